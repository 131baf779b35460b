"""A worker on the database that a benchmark has set up."""

import os
import subprocess
import sys

from django.db import connections

from archiv.database_roles import role_urls


def start_worker(slots: int = 1) -> subprocess.Popen[bytes]:
    """Start a worker on this database, and wait until it claims."""
    name = connections["owner"].settings_dict["NAME"]
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "runworker", "--slots", str(slots)],
        env=os.environ | role_urls(database=name) | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert worker.stdout.readline().startswith(b"ready"), "the worker did not start"
    return worker
