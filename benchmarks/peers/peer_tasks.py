"""The tasks of the Django peers, and how they are enqueued."""

import os
import time

from django.db import transaction
from note import note as write_note


def noop() -> None:
    """Do nothing."""


def note(who: str, sent: float, seconds: float) -> None:
    """Note when it began."""
    write_note(who, sent, seconds)
    if seconds:
        time.sleep(seconds)


if os.environ["BENCH_PEER"] == "django-q2":
    from django_q.tasks import async_task

    def load(number: int) -> None:
        """Enqueue many in one transaction."""
        with transaction.atomic():
            for _ in range(number):
                async_task("peer_tasks.noop")

    def enqueue_note(who: str, sent: float, seconds: float) -> None:
        """Enqueue one."""
        async_task("peer_tasks.note", who, sent, seconds)

else:
    from django_tasks import task

    # Workers find a task by its name in this module: the functions give way to the tasks.
    noop, note = task()(noop), task()(note)

    def load(number: int) -> None:
        """Enqueue many in one transaction."""
        with transaction.atomic():
            for _ in range(number):
                noop.enqueue()

    def enqueue_note(who: str, sent: float, seconds: float) -> None:
        """Enqueue one."""
        note.enqueue(who, sent, seconds)
