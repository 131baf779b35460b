"""Whose rows a transaction may see: one tenant's, or, for operators, everybody's.

The settings live in the transaction (`set_config(…, true)`), and PostgreSQL's policies read them, so a query
that forgets its filter still sees nothing of another tenant. Outside a scope there are no rows at all.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps

from django.db import connections

from jobs.errors import GiveUp
from jobs.failure_words import known
from jobs.models import FailureKind, Lane
from jobs.registry import Handler, JobContext, handler
from jobs.scope import local_setting
from tenants.models import Tenant, TenantStatus

_NOT_AS_NEEDED = known("The tenant is %(status)s, and %(type)s needs it %(needed)s.")
_current_tenant: ContextVar[uuid.UUID | None] = ContextVar("archiv_current_tenant", default=None)


class ScopeError(RuntimeError):
    """A scope was opened inside that of another tenant."""


@contextmanager
def tenant_scope(tenant_id: uuid.UUID, *, using: str = "default") -> Iterator[None]:
    """Run a short transaction that sees the rows of one tenant, and of nobody else.

    Opened again for the same tenant it joins. Raises `ScopeError` inside the scope of another tenant.
    """
    current = _current_tenant.get()
    if current is not None and current != tenant_id:
        raise ScopeError(
            f"The scope of tenant {tenant_id} was opened inside that of {current}: leave that one first."
        )
    token = _current_tenant.set(tenant_id)
    try:
        with local_setting("archiv.tenant_id", str(tenant_id), using=using):
            yield
    finally:
        _current_tenant.reset(token)


@contextmanager
def operator_scope(*, using: str = "default") -> Iterator[None]:
    """Run a short transaction that sees the rows of all tenants.

    For the admin site, for commands that name or maintain tenants, for data migrations and for checkers:
    nowhere else.
    """
    with local_setting("archiv.operator", "on", using=using):
        yield


def current_tenant_id() -> uuid.UUID | None:
    """Return the tenant whose scope is open in this thread or task, or None."""
    return _current_tenant.get()


def tenant_handler(
    type: str,
    *,
    timeout: float,
    statuses: Sequence[TenantStatus] = (TenantStatus.ACTIVE,),
    lane: Lane = Lane.NORMAL,
    max_retries: int | None = None,
) -> Callable[[Handler], Handler]:
    """Register a handler that runs only while its tenant has one of `statuses`, and in the tenant's scope.

    The status is read after the claim, once for all jobs that a child was given together; a job of a tenant
    in another one fails at once as `tenant_inactive`, under the tenant's lock, so that `resume_tenant` either
    finds it or comes first and the job runs. Every handler of the product is one of these. For the rest see
    `jobs.registry.handler`.
    """

    def register(run: Handler) -> Handler:
        @wraps(run)
        def guarded(context: JobContext) -> None:
            tenant_id = context.job.tenant_id
            status = context.once_a_batch(("status", tenant_id), lambda: _read_status(tenant_id))
            if status in statuses or not _set_aside(context, type, statuses):
                run(context)

        return handler(type, timeout=timeout, lane=lane, max_retries=max_retries, scope=tenant_scope)(guarded)

    return register


def _set_aside(context: JobContext, type: str, statuses: Sequence[TenantStatus]) -> bool:
    """Fail the job if its tenant still has none of `statuses`; nobody changes the status meanwhile."""
    with tenant_scope(context.job.tenant_id):
        tenants = Tenant.objects.select_for_update(no_key=True).filter(id=context.job.tenant_id)
        status = tenants.values_list("status", flat=True).first()
        if status in statuses:
            return False
        words = _NOT_AS_NEEDED % {"status": status or "gone", "type": type, "needed": " or ".join(statuses)}
        with context.failing(GiveUp(words, kind=FailureKind.TENANT_INACTIVE)):
            return True


def _read_status(tenant_id: uuid.UUID) -> str | None:
    """Return where the tenant stands now. One call: a scope would take four, before each batch there is."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT archiv_tenant_status(%s)", [tenant_id])
        status: str | None = cursor.fetchone()[0]
    return status
