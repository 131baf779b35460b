"""Uploads by the API to a real web server: the memory of one very large file, and many at once.

Works in a database and a vault of its own, which go again at the end. The exit code is 1 if an upload failed,
a document is missing, or the server needed more memory for the large file than it may.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
os.environ.setdefault("ARCHIV_LEASE_SECONDS", "30")
os.environ.setdefault("ARCHIV_API_RATE", "0")

import argparse  # noqa: E402
import http.client  # noqa: E402
import json  # noqa: E402
import socket  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from contextlib import contextmanager  # noqa: E402
from dataclasses import dataclass, field  # noqa: E402
from pathlib import Path  # noqa: E402

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402
from django.test.utils import setup_databases, teardown_databases  # noqa: E402

from archiv import embedded  # noqa: E402
from archiv.database_roles import role_urls  # noqa: E402
from benchmarks.server import family  # noqa: E402
from documents.models import Document  # noqa: E402
from documents.vault import get_vault  # noqa: E402
from tenants.scope import tenant_scope  # noqa: E402
from tests.api.conftest import Api, make_caller  # noqa: E402
from tests.factories import TenantFactory  # noqa: E402

_CHUNK = os.urandom(1 << 20)
#: More than this, in megabytes, no process of the server may ever hold.
MOST_MEMORY = 150


@dataclass
class Done:
    """What became of uploads: how long each took (seconds), and the answers that were none."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@contextmanager
def web_server() -> Iterator[tuple[int, int]]:
    """Run the web server as `bin/serve` does; yields its port and process id."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    name = connections["owner"].settings_dict["NAME"]
    command = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--no-ws"]
    command += ["--blocking-threads", "8", "--backpressure", "64", "archiv.wsgi:application"]
    server = subprocess.Popen(
        [sys.executable, *command],
        env=os.environ | role_urls(database=name),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, server)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(30)


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
        except OSError:
            if server.poll() is not None:
                raise SystemExit("the web server ended while starting") from None
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the web server does not answer")


def upload(port: int, caller: Api, megabytes: int, head: bytes) -> tuple[int, float]:
    """Send one file of random bytes that begins with `head`; returns the status and the seconds it took."""
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    chunks = (head + _CHUNK[len(head) :] if number == 0 else _CHUNK for number in range(megabytes))
    headers = {
        "Authorization": f"Bearer {caller.secret}",
        "Content-Type": "application/octet-stream",
        "Content-Length": str(megabytes << 20),
    }
    connection.request("POST", "/api/documents?filename=large.bin", body=chunks, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, time.monotonic() - started


def peak_memory(pid: int) -> dict[int, float]:
    """Return the most memory that each process of the server has held so far, in megabytes."""
    found = {}
    for one in family(pid):
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                found[one] = int(line.split()[1]) / 1024
    return found


def many(port: int, caller: Api, clients: int, seconds: float) -> Done:
    """Send files of one megabyte from so many clients at once, again and again for a while."""
    done, until = Done(), time.monotonic() + seconds

    def work(number: int) -> None:
        count = 0
        while time.monotonic() < until:
            count += 1
            try:
                status, took = upload(port, caller, 1, f"{number}/{count};".encode())
            except OSError as error:
                done.wrong.append(repr(error))
                continue
            done.seconds.append(took)
            if status != 201:
                done.wrong.append(str(status))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    """Measure, and return the figures."""
    caller = make_caller(TenantFactory.create())
    with web_server() as (port, pid):
        upload(port, caller, 1, b"warm")
        before = max(peak_memory(pid).values())
        status, took = upload(port, caller, arguments.megabytes, b"large")
        peak = max(peak_memory(pid).values())
        done = many(port, caller, arguments.clients, arguments.seconds)
        after = max(peak_memory(pid).values())
    with tenant_scope(caller.tenant.id):
        documents = Document.objects.filter(tenant_id=caller.tenant.id).count()
    expected = 2 + len(done.seconds) - len(done.wrong)
    return {
        "large_megabytes": arguments.megabytes,
        "large_status": status,
        "large_seconds": round(took, 1),
        "peak_before_mb": round(before, 1),
        "peak_large_mb": round(peak, 1),
        "peak_many_mb": round(after, 1),
        "clients": arguments.clients,
        "uploads": len(done.seconds),
        "wrong": done.wrong[:10],
        "p50_seconds": round(statistics.median(done.seconds), 3) if done.seconds else None,
        "documents_missing": expected - documents,
        "ok": status == 201 and not done.wrong and expected == documents and peak < MOST_MEMORY,
    }


def main() -> None:
    """Read the command line, measure, and clear up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=2048, help="size of the large file")
    parser.add_argument("--clients", type=int, default=50, help="clients at once")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they send")
    arguments = parser.parse_args()
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    made = setup_databases(
        verbosity=0, interactive=False, aliases=dict.fromkeys(("owner", "default", "queue"))
    )
    try:
        figures = measure(arguments)
    finally:
        vault = get_vault()
        vault.remove_all(file.path for file in vault.list(""))
        for connection in connections.all():
            connection.close()
        teardown_databases(made, verbosity=0)
    print(json.dumps(figures, indent=2))
    sys.exit(0 if figures["ok"] else 1)


if __name__ == "__main__":
    main()
