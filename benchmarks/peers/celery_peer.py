"""Celery on Redis: two processes, acknowledged late, one job fetched ahead; `BENCH_REDIS` is its address."""

import os
import sys
import time

# Celery would take archiv for a project of its own.
os.environ.pop("DJANGO_SETTINGS_MODULE", None)

from celery import Celery, group
from note import note, numbers

app = Celery("bench", broker=os.environ["BENCH_REDIS"])
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
)


@app.task(name="noop")
def noop() -> None:
    pass


@app.task(name="note")
def run_note(who: str, sent: float, seconds: float) -> None:
    note(who, sent, seconds)
    time.sleep(seconds)


def main() -> None:
    if sys.argv[1] == "load":
        number, _, _ = numbers()
        group(noop.s() for _ in range(number)).apply_async()
    elif sys.argv[1] == "trickle":
        number, pause, seconds = numbers()
        for _ in range(number):
            time.sleep(pause)
            run_note.delay("light", time.time(), seconds)
    elif sys.argv[1] == "work":
        print("ready", flush=True)
        app.worker_main(["worker", "--pool=prefork", "--concurrency=2", "--loglevel=ERROR"])


main()
