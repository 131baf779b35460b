"""Who acts: named once at the door (a page, a command, a worker), and read wherever something is recorded."""

import os
import pwd
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """Who acts (`user:<id>`, `token:<id>`, `command:<account of the system>`, `worker`) and from where."""

    name: str
    origin: str = ""


_SYSTEM = Actor("system")
_actor: ContextVar[Actor] = ContextVar("archiv_actor", default=_SYSTEM)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Name the actor of everything that is recorded within."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def current_actor() -> Actor:
    """Return whoever acts at this moment."""
    return _actor.get()


def command_actor() -> Actor:
    """Return the account of the system that runs this process, and the host.

    By the process's own id: what the environment says can be set by anybody.
    """
    try:
        account = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        account = str(os.getuid())
    return Actor(f"command:{account}", socket.gethostname())
