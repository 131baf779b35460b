"""A process that owns a template and waits to be killed; says the ids of template and fork."""

from __future__ import annotations

import os
import signal
import sys

from jobs.forkserver import fork, start_template

life, _held = os.pipe()
template = start_template("tests.jobs.forkserver_template", env={}, life=life)
template.wait_ready(20)
forked = fork(template.requests, b'["wait"]', [int(sys.argv[1])])
sys.stdout.write(f"{template.process.pid} {forked.pid}\n")
sys.stdout.flush()
signal.pause()
