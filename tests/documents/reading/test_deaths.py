"""How readers die, and what the child is told: the right error, and the pages that could be read."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents.reading import seccomp
from documents.reading.client import read_file
from documents.reading.errors import LimitExceeded, ReaderCrashed, ReadError, ReaderUnavailable
from documents.reading.messages import Limits, Note, PageRead, Part, ReadOptions
from jobs.forkserver import Template, start_template

SMALL = Limits(cpu_seconds=1, wall_seconds=20, memory_bytes=200 << 20)


@pytest.fixture(scope="module")
def odd() -> Iterator[Template]:
    read, write = os.pipe()
    template = start_template("tests.documents.reading.odd_template", env={"KEPT": "secret"}, life=read)
    os.close(read)
    template.wait_ready(30)
    yield template
    template.close()
    os.close(write)


def read(template: Template, verb: str, limits: Limits = SMALL) -> list[Part]:
    with tempfile.TemporaryFile() as file:
        return list(read_file(template.requests, file.fileno(), ReadOptions(verb, limits=limits)))


def test_too_much_processor_time_is_named(odd: Template) -> None:
    with pytest.raises(LimitExceeded, match="1 seconds of processor time for one page") as caught:
        read(odd, "burn")
    assert caught.value.which == "cpu_seconds"
    assert caught.value.permanent


def test_silence_is_named(odd: Template) -> None:
    with pytest.raises(LimitExceeded) as caught:
        read(odd, "sleep", Limits(wall_seconds=0.2))
    assert caught.value.which == "wall_seconds"


def test_too_much_memory_is_named(odd: Template) -> None:
    with pytest.raises(LimitExceeded) as caught:
        read(odd, "hoard")
    assert caught.value.which == "memory_bytes"


def test_a_crash_is_told_with_its_signal(odd: Template) -> None:
    with pytest.raises(ReaderCrashed, match="SIGSEGV") as caught:
        read(odd, "crash")
    assert caught.value.exit is not None
    assert caught.value.exit.signal == signal.SIGSEGV


def test_an_exit_without_a_goodbye_is_a_crash(odd: Template) -> None:
    with pytest.raises(ReaderCrashed, match="exit code 3"):
        read(odd, "exit")


def test_nonsense_is_a_crash_and_not_asked_for_twice(odd: Template) -> None:
    with pytest.raises(ReaderCrashed, match="nonsense"):
        read(odd, "nonsense")


@pytest.mark.parametrize("verb", ["crash", "burn", "hoard"])
def test_a_page_that_kills_its_reader_does_not_take_the_others_along(odd: Template, verb: str) -> None:
    parts = read(odd, f"{verb} 2")
    pages = [part for part in parts if isinstance(part, PageRead)]
    assert [(page.number, page.text, page.source) for page in pages] == [
        (1, "page 1", "layer"),
        (2, "", "none"),
        (3, "page 3", "layer"),
    ]
    assert next(part.message for part in parts if isinstance(part, Note)).startswith("Page 2 was left out")


def test_a_file_that_kills_every_reader_fails(odd: Template) -> None:
    with pytest.raises(ReaderCrashed):
        read(odd, "crash 1 2 3")


def test_a_reader_dies_with_the_interest_in_it(odd: Template) -> None:
    with tempfile.TemporaryFile() as file:
        parts = read_file(odd.requests, file.fileno(), ReadOptions("sleep 2", limits=SMALL))
        next(parts)
        children = Path(f"/proc/{odd.process.pid}/task/{odd.process.pid}/children")
        (pid,) = map(int, children.read_text().split())
        watched = os.pidfd_open(pid)
        parts.close()  # type: ignore[attr-defined]
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        assert poll.poll(1000), "the reader outlived its reading by a second"
        os.close(watched)


def test_without_a_template_there_is_no_reader_and_one_may_try_again() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    with ours, tempfile.TemporaryFile() as file, pytest.raises(ReaderUnavailable) as caught:
        list(read_file(ours, file.fileno(), ReadOptions("")))
    assert not caught.value.permanent


def test_every_error_but_a_missing_reader_is_permanent() -> None:
    errors = ReadError.__subclasses__()
    assert {error for error in errors if not error.permanent} == {ReaderUnavailable}
    assert len(errors) == 5


@pytest.fixture(scope="module")
def probed(odd: Template) -> dict[str, object]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        parts = read(odd, f"probe {server.getsockname()[1]}")
    page = next(part for part in parts if isinstance(part, PageRead))
    found: dict[str, object] = json.loads(page.text)
    return found


def test_a_reader_has_no_environment_and_cannot_see_its_templates(probed: dict[str, object]) -> None:
    assert probed["environment"] == {}
    assert "secret" not in str(probed["initial_environment"])


def test_a_reader_has_only_the_descriptors_it_was_given(probed: dict[str, object]) -> None:
    assert isinstance(probed["given"], list)
    assert isinstance(probed["descriptors"], list)
    assert len(probed["descriptors"]) == 3 + len(probed["given"])


def test_a_reader_can_write_nowhere_and_stands_nowhere(probed: dict[str, object]) -> None:
    for name in ("write", "write_here", "folder"):
        assert "Error" in str(probed[name]), name
    Path("/tmp/archiv-probe").unlink(missing_ok=True)


def test_a_reader_leaves_no_core_and_gets_no_rights(probed: dict[str, object]) -> None:
    assert probed["core"] == [0, 0]
    assert probed["no_new_privileges"] == 1
    assert probed["sigxcpu"]


@pytest.mark.skipif(not seccomp.is_supported(), reason="no filter for this processor")
def test_a_reader_starts_nothing_opens_no_socket_and_signals_nobody(probed: dict[str, object]) -> None:
    for name in ("fork", "execute", "socket", "connect", "kill"):
        assert str(probed[name]).startswith("PermissionError"), name
    assert probed["thread"] is False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its user and network")
def test_a_reader_started_by_root_is_nobody_without_network_and_children(probed: dict[str, object]) -> None:
    assert probed["user"] != 0
    assert probed["groups"] == []
    assert probed["capabilities"] == [0, 0]
    assert "Error" in str(probed["connect"])
