"""Jobs about tenants themselves."""

import uuid

import structlog

from jobs.models import Lane
from jobs.registry import JobContext
from tenants.audit import Actor, acting_as
from tenants.models import TenantStatus
from tenants.scope import tenant_handler
from tenants.services import provision_tenant

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
