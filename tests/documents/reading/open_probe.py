"""A prober that is not confined at all, to show that the probe sees what succeeds."""

from __future__ import annotations

from documents.reading import probe, sandbox
from jobs.forkserver import serve

if __name__ == "__main__":
    sandbox.confine_reader = lambda *_args, **_options: None
    serve(lambda payload, descriptors: probe.run("nothing", payload, descriptors))
