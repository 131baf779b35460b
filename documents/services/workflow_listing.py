"""Reading workflows: all of a tenant, and one."""

import uuid
from collections.abc import Sequence

from documents.errors import WorkflowNotFound
from documents.models import Workflow
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@requires("workflows:read")
def list_workflows(*, access: Access) -> Sequence[Workflow]:
    """Return all workflows in the order in which they are run; a tenant has a bounded number of them."""
    with tenant_scope(access.tenant_id):
        return list(Workflow.objects.filter(tenant_id=access.tenant_id).order_by("position", "key"))


@requires("workflows:read")
def read_workflow(*, access: Access, workflow_id: uuid.UUID) -> Workflow:
    """Return one workflow. Raises `WorkflowNotFound`."""
    with tenant_scope(access.tenant_id):
        workflow = Workflow.objects.filter(tenant_id=access.tenant_id, pk=workflow_id).first()
    if workflow is None:
        raise WorkflowNotFound
    return workflow
