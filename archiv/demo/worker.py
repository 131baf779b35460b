"""Run the real worker until nothing is due, and say meanwhile how far it is."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

POLL_SECONDS = 0.3
_TAIL_LINES = 15


class WorkerFailed(Exception):
    """The worker ended with an error."""


def drain(*, log: Path, on_progress: Callable[[], object]) -> None:
    """Run `manage.py runworker --drain` to its end; `on_progress` is called about three times a second.

    What it prints goes to `log`. Raises `WorkerFailed` with the end of the log.
    """
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), "runworker", "--drain"]
    with log.open("ab") as output, _ended(subprocess.Popen(command, stdout=output, stderr=output)) as worker:
        while True:
            try:
                code = worker.wait(POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                on_progress()
    on_progress()
    if code != 0:
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        lines = log.read_text(errors="replace").splitlines()[-_TAIL_LINES:]
        raise WorkerFailed("\n".join([f"The worker ended with {how}; the end of {log}:", *lines]))


@contextmanager
def _ended(worker: "subprocess.Popen[bytes]") -> Iterator["subprocess.Popen[bytes]"]:
    """Never leave a worker behind: on Ctrl-C it gives its jobs back, and after ten seconds it is killed."""
    try:
        yield worker
    finally:
        if worker.poll() is None:
            worker.terminate()
            try:
                worker.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
