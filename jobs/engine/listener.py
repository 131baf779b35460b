"""LISTEN: hears at once that a tenant has jobs. Only ever a hint: what is missed is found by polling."""

import time
import uuid

from jobs.engine.database import LOST, Lifeline
from jobs.engine.hints import BACK, CHANNEL, URGENT


class Listener:
    """A connection of its own that listens; opened again after a loss."""

    def __init__(self, *, worker: str) -> None:
        self._lifeline = Lifeline("listener", worker=worker)
        self._listening = False

    @property
    def is_open(self) -> bool:
        """Whether it listens, as far as is known."""
        return self._listening

    @property
    def retry_at(self) -> float:
        """When `open` is worth calling again (monotonic seconds)."""
        return self._lifeline.retry_at

    def open(self) -> int | None:
        """Return the descriptor to watch if a new connection was opened; None if nothing changed."""
        if self._listening or time.monotonic() < self._lifeline.retry_at:
            return None
        connection = self._lifeline.get()
        if connection is None:
            return None
        try:
            connection.execute(f"LISTEN {CHANNEL}")
        except LOST as error:
            self._lifeline.lose(error)
            return None
        self._listening = True
        return connection.fileno()

    def take(self) -> list[str] | None:
        """Return the hints since the last call, tenants or `URGENT`; None: the connection is lost."""
        connection = self._lifeline.get() if self._listening else None
        if connection is None:
            return None
        hints = []
        try:
            connection.pgconn.consume_input()
            while (notice := connection.pgconn.notifies()) is not None:
                hints.append(notice.extra.decode("ascii", "replace"))
        except LOST as error:
            self._listening = False
            self._lifeline.lose(error)
            return None
        return [hint for hint in hints if hint == URGENT or _names_tenant(hint.removeprefix(BACK))]

    def close(self) -> None:
        """Listen no more."""
        self._listening = False
        self._lifeline.close()


def _names_tenant(hint: str) -> bool:
    """Whether it is what we send: whoever may connect may notify, and would end up in a claim."""
    try:
        return str(uuid.UUID(hint)) == hint
    except ValueError:
        return False
