"""Row-level security as the lowest app needs it: a transaction that sees one tenant's rows, or everybody's.

Handlers of the product get `tenants.scope.tenant_scope` from their registration; what stands here serves jobs
without a tenant's guard and the commands of this app, which may not import `tenants`.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction


@contextmanager
def tenant_rows(tenant_id: uuid.UUID, *, using: str = "default") -> Iterator[None]:
    """Run the outermost transaction with the rows of one tenant."""
    with _setting("archiv.tenant_id", str(tenant_id), using):
        yield


@contextmanager
def all_rows(*, using: str = "default") -> Iterator[None]:
    """Run the outermost transaction with the rows of all tenants: for operators' commands."""
    with _setting("archiv.operator", "on", using):
        yield


@contextmanager
def _setting(name: str, value: str, using: str) -> Iterator[None]:
    # Durable: the setting ends with the transaction, and must not leak into one that was open before.
    with transaction.atomic(using=using, durable=True):
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
        yield
