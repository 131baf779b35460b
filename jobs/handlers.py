"""Job types of this app: `probe`, for tests and checkers of the engine, under test settings only."""

import os
import signal
import time

from django.conf import settings

from jobs.models import ProbeEffect
from jobs.registry import JobContext, handler

_MEGABYTE = 1 << 20


def run_probe(context: JobContext) -> None:
    """Do what the payload asks for, in this order; without `effect` nothing is written.

    `alloc_mb` (hold so many megabytes), `sleep` (seconds), `spin` (seconds with the interpreter lock held),
    `fail` (raise with this text), `kill` (a signal's number, or "exit" for os._exit), `effect` (write a row),
    and with it `hold` (seconds for which its transaction stays open, with one short statement after another).
    """
    payload = context.job.payload
    held = bytearray(int(payload.get("alloc_mb") or 0) * _MEGABYTE)
    held[::4096] = b"\1" * len(held[::4096])
    time.sleep(float(payload.get("sleep") or 0))
    if payload.get("spin"):
        _hold_interpreter(float(payload["spin"]))
    if payload.get("fail"):
        raise RuntimeError(str(payload["fail"]))
    if payload.get("kill"):
        _die(payload["kill"])
    if payload.get("effect"):
        with context.finishing():
            job = context.job
            ProbeEffect.objects.create(tenant_id=job.tenant_id, job_id=job.id, lease=job.lease)
            until = time.monotonic() + float(payload.get("hold") or 0)
            while time.monotonic() < until:
                ProbeEffect.objects.filter(job_id=job.id).exists()
                time.sleep(0.1)


def _hold_interpreter(seconds: float) -> None:
    """Keep every other thread of this process from running."""
    import ctypes

    # PyDLL calls without releasing the interpreter lock.
    ctypes.PyDLL(None).usleep(int(seconds * 1_000_000))


def _die(how: object) -> None:
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL if how is True else int(str(how)))
    time.sleep(60)  # a signal that stops, not kills


if settings.ARCHIV_PROBE:
    handler("probe", timeout=600)(run_probe)
    handler("probe-hasty", timeout=0.5)(run_probe)
