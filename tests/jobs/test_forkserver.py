"""The fork server with real processes: what it reports, whom it kills, what it survives."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.forkserver import (
    MAX_PAYLOAD,
    Exit,
    Forked,
    ForkRefused,
    Template,
    TemplateGone,
    TemplateNotReady,
    fork,
    start_template,
)

MODULE = "tests.jobs.forkserver_template"
PROJECT = Path(__file__).resolve().parents[2]


@dataclass
class Owned:
    """A template and the write end of its life."""

    template: Template
    life: int

    def fork(self, *verb: object, descriptors: tuple[int, ...] = ()) -> Forked:
        return fork(self.template.requests, json.dumps(verb).encode(), descriptors)

    def run(self, *verb: object) -> Exit:
        with self.fork(*verb) as forked:
            return forked.read_exit(20)

    def descriptors(self) -> list[str]:
        """What the template holds open while it has nothing to do."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                send_raw(self, b"refused, and then everything before is done", theirs.fileno())
            while ours.recv(4096):
                pass
        return sorted(path.name for path in Path(f"/proc/{self.template.process.pid}/fd").iterdir())


@pytest.fixture
def owned() -> Iterator[Owned]:
    read, write = os.pipe()
    owned = Owned(start_template(MODULE, env={"GIVEN": "yes"}, life=read), write)
    os.close(read)
    try:
        owned.template.wait_ready(20)
        yield owned
    finally:
        owned.template.close()
        if owned.life >= 0:
            os.close(owned.life)


def send_raw(owned: Owned, data: bytes, *descriptors: int) -> None:
    socket.send_fds(owned.template.requests, [data], list(descriptors))


def wait_end(pipe: int, seconds: float = 1.0) -> bool:
    """Whether every holder of the pipe's other end is gone within so many seconds."""
    poll = select.poll()
    poll.register(pipe, select.POLLHUP)
    return bool(poll.poll(seconds * 1000))


@pytest.fixture
def two_waiting(owned: Owned) -> Iterator[tuple[Forked, int]]:
    """A forked process with a child of its own; the descriptor hangs up when both are gone."""
    read, write = os.pipe()
    forked = owned.fork("wait", descriptors=(write,))
    os.close(write)
    try:
        seen = b""
        while len(seen) < 2:
            seen += os.read(read, 2)
        yield forked, read
    finally:
        forked.close()
        os.close(read)


def test_an_exit_code_is_reported(owned: Owned) -> None:
    exit_ = owned.run("exit", 7)
    assert (exit_.code, exit_.signal, str(exit_)) == (7, None, "exit code 7")


def test_a_main_that_returns_exits_with_zero_and_one_that_raises_with_one(owned: Owned) -> None:
    assert owned.run("nothing").code == 0
    assert owned.run("raise").code == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_signal_is_reported_by_name(owned: Owned, number: signal.Signals) -> None:
    exit_ = owned.run("kill", number)
    assert (exit_.code, exit_.signal) == (None, number)
    assert str(exit_) == f"signal {number.name}"


def test_processor_time_and_memory_are_reported(owned: Owned) -> None:
    exit_ = owned.run("burn", 0.3, 64)
    assert 0.25 < exit_.cpu_seconds < 3
    assert 64 * 2**20 < exit_.max_rss < 400 * 2**20


def test_the_fork_is_a_session_of_its_own_with_nothing_of_the_template(owned: Owned) -> None:
    others = [owned.fork("burn", 60, 1) for _ in range(2)]
    ours, theirs = socket.socketpair()
    with ours, theirs, owned.fork("say", descriptors=(theirs.fileno(),)) as forked:
        said = json.loads(ours.recv(65536))
        assert forked.read_exit(20).code == 0
    for other in others:
        other.close()
    assert said["pid"] == said["session"] == forked.pid
    assert (said["sigint"], said["sigchld"], said["blocked"]) == (True, True, [])
    # Standard streams, the one passed, and the listing itself.
    assert len(said["descriptors"]) == 5
    assert said["environment"] == {"GIVEN": "yes", "PYTHONPATH": str(PROJECT), "LC_CTYPE": "C.UTF-8"}


def test_a_closed_leash_kills_the_whole_group_within_a_second(two_waiting: tuple[Forked, int]) -> None:
    forked, pipe = two_waiting
    forked.close()
    assert wait_end(pipe)


def test_what_a_process_leaves_behind_is_killed_when_it_ends(owned: Owned) -> None:
    read, write = os.pipe()
    with owned.fork("abandon", descriptors=(write,)) as forked:
        os.close(write)
        assert forked.read_exit(20).code == 0
        assert wait_end(read)
    os.close(read)


def test_the_template_and_its_forks_end_with_the_life_pipe(
    owned: Owned, two_waiting: tuple[Forked, int]
) -> None:
    os.close(owned.life)
    owned.life = -1
    assert wait_end(two_waiting[1])
    assert owned.template.process.wait(1) == 0
    with pytest.raises(TemplateGone):
        owned.fork("exit", 0)
    with pytest.raises(TemplateGone):
        two_waiting[0].read_exit(1)


def test_sigkill_of_the_template_takes_its_forks_along(owned: Owned) -> None:
    with owned.fork("burn", 60, 1) as forked:
        process = os.pidfd_open(forked.pid)
        owned.template.process.kill()
        poll = select.poll()
        poll.register(process, select.POLLIN)
        assert poll.poll(1000), "the forked process still runs"
        os.close(process)
        with pytest.raises(TemplateGone):
            forked.read_exit(1)


def test_nothing_lives_a_second_after_the_owner_was_killed() -> None:
    read, write = os.pipe()
    owner = subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.forkserver_owner", str(write)],
        cwd=PROJECT,
        pass_fds=(write,),
        stdout=subprocess.PIPE,
    )
    os.close(write)
    assert owner.stdout is not None
    template, _forked = (int(word) for word in owner.stdout.readline().split())
    watched = os.pidfd_open(template)
    seen = b""
    while len(seen) < 2:
        seen += os.read(read, 2)
    owner.kill()
    assert wait_end(read), "a forked process outlived the owner"
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    assert poll.poll(1000), "the template outlived the owner"
    owner.wait()
    owner.stdout.close()
    for descriptor in (read, watched):
        os.close(descriptor)


def test_garbage_does_not_kill_the_template(owned: Owned) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        send_raw(owned, b"")
        send_raw(owned, b"no descriptor")
        send_raw(owned, b"fork1 []")
        send_raw(owned, b"not a request", theirs.fileno())
        assert b"not a request" in ours.recv(4096)
        send_raw(owned, b"fork1 " + b"x" * (2 * MAX_PAYLOAD), theirs.fileno())
        assert b"refused" in ours.recv(4096)
        send_raw(owned, b"fork1 []", *[theirs.fileno()] * 100)
        assert b"refused" in ours.recv(4096)
    before = owned.descriptors()
    assert owned.run("exit", 3).code == 3
    assert owned.descriptors() == before


def test_a_leash_that_is_no_socket_harms_nobody(owned: Owned) -> None:
    read, write = os.pipe()
    send_raw(owned, b"fork1 []", write)
    os.close(write)
    assert wait_end(read)
    os.close(read)
    assert owned.run("exit", 3).code == 3


def test_words_on_a_leash_are_not_heard(owned: Owned) -> None:
    with owned.fork("burn", 0.2, 1) as forked:
        forked.leash.send(b"garbage")
        assert forked.read_exit(20).code == 0


def test_too_large_a_request_is_refused_before_it_is_sent(owned: Owned) -> None:
    with pytest.raises(ForkRefused):
        fork(owned.template.requests, b"x" * (MAX_PAYLOAD + 1))
    with pytest.raises(ForkRefused):
        fork(owned.template.requests, b"[]", [0] * 17)


def test_a_hundred_forks_leave_no_zombie_and_no_descriptor(owned: Owned) -> None:
    assert owned.run("exit", 0).code == 0
    template_had, we_had = owned.descriptors(), len(list(Path("/proc/self/fd").iterdir()))
    forks = [owned.fork("exit", number) for number in range(100)]
    assert [forked.read_exit(20).code for forked in forks] == list(range(100))
    for forked in forks:
        forked.close()
    assert owned.run("exit", 0).code == 0
    pid = owned.template.process.pid
    assert Path(f"/proc/{pid}/task/{pid}/children").read_text() == ""
    assert owned.descriptors() == template_had
    assert len(list(Path("/proc/self/fd").iterdir())) == we_had


def test_several_processes_may_ask_over_one_socket(owned: Owned) -> None:
    code = (
        "import socket, sys; from jobs.forkserver import fork\n"
        "asked = [fork(socket.socket(fileno=int(sys.argv[1])), b'[\"exit\", 5]') for _ in range(1)]\n"
        "assert all(one.read_exit(20).code == 5 for one in asked)"
    )
    requests = owned.template.requests.fileno()
    askers = [
        subprocess.Popen([sys.executable, "-c", code, str(requests)], cwd=PROJECT, pass_fds=(requests,))
        for _ in range(3)
    ]
    assert [asker.wait(20) for asker in askers] == [0, 0, 0]


def test_a_template_that_cannot_start_says_so() -> None:
    read, write = os.pipe()
    template = start_template("tests.jobs.no_such_module", env={}, life=read)
    with pytest.raises(TemplateGone, match="exit code 1"):
        template.wait_ready(20)
    template.close()
    os.close(read)
    os.close(write)


def test_a_template_that_hangs_is_noticed(owned: Owned) -> None:
    os.kill(owned.template.process.pid, signal.SIGSTOP)
    with pytest.raises(TemplateNotReady):
        fork(owned.template.requests, b"[]", timeout=0.1)
    started = time.monotonic()
    owned.template.close()
    assert time.monotonic() - started < 5
