"""A template for the tests of the fork server: each fork does what its payload, a JSON list, says."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from jobs.forkserver import serve


def end(code: int) -> None:
    sys.exit(code)


def kill(number: int) -> None:
    os.kill(os.getpid(), number)


def fail() -> None:
    raise RuntimeError("as asked")


def nothing() -> None:
    """Return at once."""


def burn(seconds: float, megabytes: int) -> None:
    held = bytearray(megabytes * 2**20)
    while time.process_time() < seconds:
        held[:4096] = held[4096:8192]


def say(descriptor: int) -> None:
    os.write(descriptor, json.dumps(describe()).encode())


def wait(descriptor: int) -> None:
    """Wait for ever, beside a child that does the same."""
    abandon(descriptor)
    pause(descriptor)


def abandon(descriptor: int) -> None:
    """End, and leave a process behind."""
    if os.fork() == 0:
        pause(descriptor)


def pause(descriptor: int) -> None:
    os.write(descriptor, b"+")
    while True:
        signal.pause()


VERBS: dict[str, Callable[..., None]] = {
    "exit": end,
    "kill": kill,
    "raise": fail,
    "nothing": nothing,
    "burn": burn,
    "say": say,
    "wait": wait,
    "abandon": abandon,
}


def main(payload: bytes, descriptors: list[int]) -> None:
    verb, *arguments = json.loads(payload)
    VERBS[verb](*arguments, *descriptors)


def describe() -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "session": os.getsid(0),
        "descriptors": sorted(int(path.name) for path in Path("/proc/self/fd").iterdir()),
        "sigint": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "sigchld": signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL,
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "environment": dict(os.environ),
    }


if __name__ == "__main__":
    serve(main)
