"""Jobs about tenants themselves."""

import uuid

import structlog

from jobs.errors import GiveUp
from jobs.failpoints import failpoint
from jobs.models import FailureKind, Lane
from jobs.registry import JobContext
from tenants.audit import Actor, acting_as
from tenants.errors import OrderRefused, TenantNotFound, WrongTenantStatus
from tenants.models import TenantStatus
from tenants.scope import tenant_handler
from tenants.services import authorise_order, carry_out_wipe, provision_tenant, refuse_order

log = structlog.get_logger(__name__)


@tenant_handler(
    "provision-tenant",
    statuses=(TenantStatus.CREATING, TenantStatus.ACTIVE),
    timeout=60,
    lane=Lane.URGENT,
)
def handle_provision_tenant(context: JobContext) -> None:
    """Make a new tenant ready: its system sets, its members as owners, its status active."""
    members = [uuid.UUID(member) for member in context.job.payload["members"]]
    with acting_as(Actor("worker")), context.finishing():
        done = provision_tenant(tenant_id=context.job.tenant_id, members=members)
    for unknown in done.members_unknown:
        log.warning("tenant.member_unknown", tenant=str(context.job.tenant_id), user=str(unknown))


@tenant_handler(
    "delete-tenant",
    statuses=(TenantStatus.DELETING,),
    timeout=6 * 3600,
    lane=Lane.URGENT,
    # What was authorised is carried through: some days of an unreachable vault must not end it.
    max_retries=100,
)
def handle_delete_tenant(context: JobContext) -> None:
    """Delete or empty a tenant by a signed order."""
    job = context.job
    with acting_as(Actor("worker")):
        try:
            order = authorise_order(tenant_id=job.tenant_id, job_id=job.id, payload=job.payload)
        except OrderRefused as reason:
            with context.failing(GiveUp(str(reason))):
                refuse_order(tenant_id=job.tenant_id, job_id=job.id, reason=reason)
            return
        except (WrongTenantStatus, TenantNotFound) as error:
            raise GiveUp(str(error), kind=FailureKind.TENANT_INACTIVE) from error
        failpoint("wipe.authorised")
        carry_out_wipe(order=order, context=context)
