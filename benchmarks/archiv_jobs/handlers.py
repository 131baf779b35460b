"""Jobs that do nothing, note when they began, kill their child, or write one row."""

import os
import signal
import time

from jobs.models import ProbeEffect
from jobs.registry import JobContext, handler
from tenants.scope import tenant_handler


@handler("bench-noop", timeout=60)
def run_noop(context: JobContext) -> None:
    """Do nothing."""


@handler("bench-note", timeout=60)
def run_note(context: JobContext) -> None:
    """Append who was enqueued when and began when; then take the time that was asked for.

    What took time appends a second line, with its end in place of the time that was asked for: on a busy
    machine a job of 20 ms takes 22.
    """
    payload, began = context.job.payload, time.time()
    with open(os.environ["BENCH_NOTES"], "a") as notes:
        notes.write(f"{payload['who']} {payload['sent']} {began} {payload['seconds']}\n")
    if payload["seconds"]:
        time.sleep(payload["seconds"])
        with open(os.environ["BENCH_NOTES"], "a") as notes:
            notes.write(f"ended:{payload['who']} 0 {began} {time.time()}\n")


@handler("bench-crash", timeout=60)
def run_crash(context: JobContext) -> None:
    """Note the moment, and kill the child."""
    with open(os.environ["BENCH_NOTES"], "a") as notes:
        notes.write(f"{context.job.payload['who']} 0 {time.time()} 0\n")
    os.kill(os.getpid(), signal.SIGKILL)


@tenant_handler("bench-effect", timeout=60)
def run_effect(context: JobContext) -> None:
    """As every job of the product: look whether the tenant is active, and write one row with the finish."""
    with context.finishing():
        job = context.job
        ProbeEffect.objects.create(tenant_id=job.tenant_id, job_id=job.id, lease=job.lease)
