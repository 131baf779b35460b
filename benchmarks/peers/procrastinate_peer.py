"""procrastinate: one process, asynchronous, 20 jobs at once."""

import asyncio
import os
import sys
import time

import procrastinate
from note import backlog, note, numbers

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=os.environ["BENCH_DSN"]))


@app.task(name="noop")
async def noop() -> None:
    pass


@app.task(name="note")
async def run_note(who: str, sent: float, seconds: float) -> None:
    note(who, sent, seconds)
    await asyncio.sleep(seconds)


async def main() -> None:
    async with app.open_async():
        if sys.argv[1] == "prepare":
            await app.schema_manager.apply_schema_async()
        elif sys.argv[1] == "load":
            number, _, _ = numbers()
            await noop.batch_defer_async(*[{}] * number)
        elif sys.argv[1] == "backlog":
            who, seconds, number = backlog()
            await run_note.batch_defer_async(*[{"who": who, "sent": 0, "seconds": seconds}] * number)
        elif sys.argv[1] == "trickle":
            number, pause, seconds = numbers()
            for _ in range(number):
                await asyncio.sleep(pause)
                await run_note.defer_async(who="light", sent=time.time(), seconds=seconds)
        else:
            print("ready", flush=True)
            await app.run_worker_async(concurrency=int(os.environ.get("BENCH_SLOTS", "20")))


asyncio.run(main())
