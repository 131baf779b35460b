"""pgqueuer: one process, asyncpg, batches of 100."""

import asyncio
import json
import os
import signal
import sys
import time

import asyncpg
from note import backlog, note, numbers
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries

DSN = os.environ["BENCH_DSN"]


async def connect() -> AsyncpgDriver:
    return AsyncpgDriver(await asyncpg.connect(DSN))


async def work() -> None:
    pgq = PgQueuer(await connect())

    @pgq.entrypoint("noop")
    async def noop(job: Job) -> None:
        pass

    @pgq.entrypoint("note")
    async def run_note(job: Job) -> None:
        fields = json.loads(job.payload or b"{}")
        note(**fields)
        await asyncio.sleep(fields["seconds"])

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, pgq.shutdown.set)
    print("ready", flush=True)
    at_once = int(os.environ.get("BENCH_AT_ONCE", "0"))
    await pgq.run(batch_size=int(os.environ.get("BENCH_BATCH", "100")), max_concurrent_tasks=at_once or None)


async def main() -> None:
    if sys.argv[1] == "work":
        await work()
        return
    queries = Queries(await connect())
    if sys.argv[1] == "prepare":
        await queries.install()
    elif sys.argv[1] == "load":
        number, _, _ = numbers()
        await queries.enqueue(["noop"] * number, [None] * number, [0] * number)
    elif sys.argv[1] == "backlog":
        who, seconds, number = backlog()
        payload = json.dumps({"who": who, "sent": 0, "seconds": seconds}).encode()
        await queries.enqueue(["note"] * number, [payload] * number, [0] * number)
    else:
        number, pause, seconds = numbers()
        for _ in range(number):
            await asyncio.sleep(pause)
            fields = {"who": "light", "sent": time.time(), "seconds": seconds}
            await queries.enqueue("note", json.dumps(fields).encode())


asyncio.run(main())
