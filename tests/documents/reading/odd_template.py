"""Readers that go wrong in every way; the media type asked for says which."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time
from pathlib import Path

from documents.reading import sandbox
from documents.reading.messages import Facts, PageRead, ReadOptions
from documents.reading.parts import part_to_frame
from documents.reading.protocol import Frame, decode_options, send_frame
from jobs.forkserver import serve

LIBC = ctypes.CDLL(None, use_errno=True)
PR_GET_NO_NEW_PRIVS = 39


def run(payload: bytes, descriptors: list[int]) -> None:
    options = decode_options(payload)
    with socket.socket(fileno=descriptors[1]) as stream:
        sandbox.confine_reader(descriptors, 0, options.limits)
        verb, *arguments = options.media_type.split()
        if verb == "probe":
            send_frame(stream, part_to_frame(Facts(1, "text/plain")))
            report = json.dumps(probe(descriptors, arguments))
            send_frame(stream, part_to_frame(PageRead(1, report, "layer")))
            send_frame(stream, Frame("end", {}))
        elif verb == "nonsense":
            stream.sendall(b"GET / HTTP/1.1\r\n\r\n" * 100)
        else:
            pages(stream, options, verb, {int(argument) for argument in arguments})


def pages(stream: socket.socket, options: ReadOptions, verb: str, bad: set[int]) -> None:
    """Three pages; what goes wrong does so at the bad ones, or before the first where none is named."""
    if not bad:
        go_wrong(verb)
    send_frame(stream, part_to_frame(Facts(3, "application/pdf")))
    for number in {1, 2, 3} - options.skip_pages:
        if number in bad:
            go_wrong(verb)
        send_frame(stream, part_to_frame(PageRead(number, f"page {number}", "layer")))
    send_frame(stream, Frame("end", {}))


def go_wrong(verb: str) -> None:
    if verb == "burn":
        while True:
            pass
    elif verb == "sleep":
        time.sleep(60)
    elif verb == "crash":
        ctypes.string_at(0)
    elif verb == "exit":
        sys.exit(3)
    elif verb == "hoard":
        held = []
        try:
            while True:
                held.append(bytearray(16 << 20))
        except MemoryError:
            os.abort()  # as libraries do


def probe(descriptors: list[int], arguments: list[str]) -> dict[str, object]:
    """What a reader can do, tried."""
    return {
        "user": os.getuid(),
        "groups": os.getgroups(),
        "environment": dict(os.environ),
        "initial_environment": attempt(lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes().decode()),
        "descriptors": [number for number in range(1024) if is_open(number)],
        "given": descriptors,
        "fork": attempt(os.fork),
        "connect": attempt(lambda: connect(int(arguments[0]))),
        "write": attempt(lambda: Path("/tmp/archiv-probe").write_bytes(b"x")),
        "write_here": attempt(lambda: Path("here").write_bytes(b"x")),
        "folder": attempt(os.getcwd),
        "socket": attempt(socket.socket),
        "execute": attempt(lambda: os.execv("/bin/true", ["true"])),
        "thread": attempt_thread(),
        "kill": attempt(lambda: os.kill(os.getppid(), 0)),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "no_new_privileges": LIBC.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
        "capabilities": effective_capabilities(),
        "sigxcpu": signal.getsignal(signal.SIGXCPU) == signal.SIG_DFL,
    }


def is_open(number: int) -> bool:
    """Whether this descriptor leads anywhere."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def effective_capabilities() -> list[int]:
    """What this process may do beyond its user: the kernel's two words of it."""
    words = ctypes.create_string_buffer(24)
    LIBC.capget(struct.pack("=Ii", 0x20080522, 0), words)
    return [struct.unpack_from("=I", words.raw, place)[0] for place in (0, 12)]


def attempt_thread() -> bool:
    """Whether a thread can be started: not without having been allowed."""
    try:
        threading.Thread(target=int).start()
    except RuntimeError:
        return False
    return True


def connect(port: int) -> None:
    """Connect to this machine; its name as bytes, for a reader has no codec for names."""
    with socket.socket() as sock:
        sock.connect((b"127.0.0.1", port))


def attempt(action: object) -> str:
    """Try it; the name of the error, or what came of it."""
    try:
        done = action()  # type: ignore[operator]
    except (OSError, LookupError, ImportError) as error:
        return f"{type(error).__name__}: {error}"
    if done == 0:
        os._exit(0)  # a child that could be forked after all
    return f"done: {done}"


if __name__ == "__main__":
    sandbox.confine_template()
    serve(run)
