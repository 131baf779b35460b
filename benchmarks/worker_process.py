"""A worker on the database that a benchmark has set up."""

import os
import subprocess
import sys
from dataclasses import replace

from django.conf import settings
from django.db import connections


def start_worker(slots: int = 1) -> subprocess.Popen[bytes]:
    """Start a worker on this database, and wait until it claims."""
    name = connections["owner"].settings_dict["NAME"]
    addresses = {
        "DATABASE_URL": settings.ARCHIV_OWNER_ADDRESS,
        "ARCHIV_APP_DATABASE_URL": settings.ARCHIV_APP_ADDRESS,
        "ARCHIV_QUEUE_DATABASE_URL": settings.ARCHIV_QUEUE_ADDRESS,
    }
    urls = {key: replace(address, database=name).url() for key, address in addresses.items()}
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "runworker", "--slots", str(slots)],
        env=os.environ | urls | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert worker.stdout.readline().startswith(b"ready"), "the worker did not start"
    return worker
