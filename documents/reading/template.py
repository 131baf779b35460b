"""The template of readers: run as a module, it loads OCR and all libraries, confines itself, and forks.

It must see nothing that a reader must not: before anything is loaded it replaces itself by a copy
with a bare environment, for what a process was started with stays readable in its memory.
"""

from __future__ import annotations

import os
import sys
from functools import partial

ALLOWED = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "ARCHIV_TESSDATA", "ARCHIV_OCR_LANGUAGES")
ONE_THREAD = {"OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def bare_environment(environment: dict[str, str]) -> dict[str, str]:
    """What of an environment a reader's template may have: where its files lie, and one thread."""
    kept = {name: environment[name] for name in ALLOWED if name in environment}
    return {"LANG": "C.UTF-8", **kept, **ONE_THREAD}


def main() -> None:
    """Warm up and serve; never returns."""
    bare = bare_environment(dict(os.environ))
    if dict(os.environ) != bare:
        os.execve(sys.executable, sys.orig_argv, bare)  # noqa: S606  there is to be no shell

    from documents.reading import reader, sandbox
    from jobs.forkserver import serve

    warm = reader.warm_up()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208  a count of names
    if threads != 1:
        raise SystemExit(f"the reader's template has {threads} threads; a fork would lose all but one")
    sandbox.confine_template()
    serve(partial(reader.run, warm))


if __name__ == "__main__":
    main()
