"""Enqueue noting jobs one by one, through the service and in a scope, as the site does."""

import os
import sys
import time
import uuid

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.settings")
django.setup()

from benchmarks.systems import TENANT  # noqa: E402  Django first
from jobs.scope import tenant_rows  # noqa: E402
from jobs.services import enqueue_job  # noqa: E402


def main() -> None:
    """Enqueue so many, one after each pause."""
    tenant = uuid.UUID(TENANT)
    for _ in range(int(sys.argv[1])):
        time.sleep(float(sys.argv[2]))
        with tenant_rows(tenant):
            # From insert to start: the scope is open, as every request has one.
            payload = {"who": "light", "sent": time.time(), "seconds": float(sys.argv[3])}
            enqueue_job(tenant_id=tenant, type="bench-note", payload=payload)


main()
