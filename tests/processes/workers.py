"""One real `runworker`: started, watched by its own events, killed, and looked after when it is gone."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

PROJECT = Path(__file__).resolve().parents[2]
Event = dict[str, Any]


class WorkerProcess:
    """A worker whose events (lines of JSON on standard error) can be waited for."""

    def __init__(self, options: Sequence[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "runworker", *options],
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.events: list[Event] = []
        self.other: list[str] = []
        self.lines: list[str] = []
        self._taken: set[int] = set()
        self._news = threading.Condition()
        self._ended = False
        self._said: queue.Queue[str | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read_events, args=(self.process.stderr,), daemon=True),
            threading.Thread(target=self._read_lines, args=(self.process.stdout,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def _read_events(self, stream: IO[str]) -> None:
        for line in stream:
            try:
                event = json.loads(line)
            except ValueError:
                self.other.append(line)
                continue
            with self._news:
                self.events.append(event)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _read_lines(self, stream: IO[str]) -> None:
        for line in stream:
            self.lines.append(line)
            self._said.put(line)
        self._said.put(None)

    def wait_ready(self, timeout: float = 180) -> None:
        """Wait for the line that says that it claims now."""
        until = time.monotonic() + timeout
        while (line := self._said.get(timeout=max(0.01, until - time.monotonic()))) is not None:
            if line.startswith("ready pid="):
                assert line == f"ready pid={self.pid}\n"
                return
        raise AssertionError(f"the worker ended while starting:\n{self.story()}")

    def wait_for(self, event: str, *, timeout: float = 60, **fields: Any) -> Event:
        """Return the first event of this name with these fields that was not returned before."""
        until = time.monotonic() + timeout
        with self._news:
            while True:
                for number, one in enumerate(self.events):
                    if number in self._taken or one["event"] != event or not fields.items() <= one.items():
                        continue
                    self._taken.add(number)
                    return one
                assert not self._ended, f"the worker ended before {event} {fields}:\n{self.story()}"
                left = until - time.monotonic()
                assert left > 0, f"no {event} {fields} within {timeout} s:\n{self.story()}"
                self._news.wait(left)

    def count(self, event: str, **fields: Any) -> int:
        return sum(one["event"] == event and fields.items() <= one.items() for one in self.events)

    def wait_exit(self, timeout: float = 60) -> int:
        """Return the exit status; the events are complete then."""
        status = self.process.wait(timeout)
        for thread in self._threads:
            thread.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return status

    def family(self) -> list[int]:
        """The process ids of everything that the worker has started, and of itself."""
        found = [self.pid]
        for pid in found:
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    found += map(int, (task / "children").read_text().split())
        return found

    def commands(self) -> list[str]:
        """The command lines of everything that the worker has started."""
        found = []
        for pid in self.family()[1:]:
            with suppress(OSError):
                found.append(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        return found

    def template(self) -> int:
        """The process id of the template that children are forked from: the first that the worker starts."""
        return min(pid for pid in self.family()[1:] if _parent(pid) == self.pid)

    def children(self) -> list[int]:
        """The process ids of the children that run handlers."""
        template = self.template()
        return [pid for pid in self.family() if _parent(pid) == template]

    def wait_stopped(self, *, timeout: float = 60) -> int:
        """Wait until a child has stopped itself, at a failpoint, and return its process id."""
        until = time.monotonic() + timeout
        while not (stopped := [pid for pid in self.children() if _state(pid) == "T"]):
            assert time.monotonic() < until, f"no child stopped within {timeout} s:\n{self.story()}"
            time.sleep(0.02)
        return stopped[0]

    def freeze(self) -> Callable[[], None]:
        """Stop all of its processes; returns how to let them go on."""
        family = self.family()
        for pid in family:
            os.kill(pid, signal.SIGSTOP)

        def thaw() -> None:
            for pid in reversed(family):
                os.kill(pid, signal.SIGCONT)

        return thaw

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def destroy(self) -> None:
        """Leave nothing of it, whatever state it is in."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait_exit()

    def story(self) -> str:
        return "".join(f"{event}\n" for event in self.events[-40:]) + "".join(self.other[-40:])


def wait_gone(pids: Sequence[int], timeout: float) -> list[int]:
    """Return those of these processes that still run after so many seconds."""
    until = time.monotonic() + timeout
    left = [pid for pid in pids if _runs(pid)]
    while left and time.monotonic() < until:
        time.sleep(0.01)
        left = [pid for pid in left if _runs(pid)]
    return left


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _runs(pid: int) -> bool:
    return _state(pid) not in ("Z", "")


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
