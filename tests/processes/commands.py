"""Commands in processes forked from one that has loaded Django: loading takes 2.6 s of a processor."""

import json
import subprocess
import sys
from types import TracebackType
from typing import Self

from tests.processes.workers import PROJECT

#: Reads failpoint and command as one line of JSON each, runs it in a fork, and answers with how that ended.
_TEMPLATE = """
import json, os, sys
import django
from django.conf import settings
from django.core.management import execute_from_command_line
django.setup()
for line in sys.stdin:
    failpoint, command = json.loads(line)
    pid = os.fork()
    if not pid:
        settings.ARCHIV_FAILPOINT = failpoint
        try:
            execute_from_command_line(["manage.py", *command])
        except SystemExit as end:
            os._exit(end.code if isinstance(end.code, int) else 1)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(70)
        os._exit(0)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class Commands:
    """Runs one command after the other; each can be killed at a failpoint."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _TEMPLATE],
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self, *command: str, failpoint: str = "") -> int:
        """Run a command, and return its exit code, or minus the signal that killed it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([failpoint, command]) + "\n")
        self._process.stdin.flush()
        said = []
        for line in self._process.stdout:
            if line.startswith("ended "):
                return int(line.split()[1])
            said.append(line)
        raise AssertionError(f"the template ended: {''.join(said)}")
