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
    with local_setting("archiv.tenant_id", str(tenant_id), using=using, durable=True):
        yield


@contextmanager
def all_rows(*, using: str = "default") -> Iterator[None]:
    """Run the outermost transaction with the rows of all tenants: for operators' commands."""
    with local_setting("archiv.operator", "on", using=using, durable=True):
        yield


@contextmanager
def local_setting(name: str, value: str, *, using: str, durable: bool = False) -> Iterator[None]:
    """Run a transaction, or a savepoint of the one that is open, in which the server's setting is `value`.

    It leaks into nothing that was open before: it ends with a transaction; a released savepoint would keep
    it, so there the former value is put back by hand; and what an error rolls back takes it along. `durable`
    refuses to be opened within another transaction, with RuntimeError.
    """
    within = connections[using].in_atomic_block
    with transaction.atomic(using=using, durable=durable), connections[using].cursor() as cursor:
        before = ""
        if within:
            cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [name])
            (before,) = cursor.fetchone()
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
        yield
        if within:
            cursor.execute("SELECT set_config(%s, %s, true)", [name, before])
