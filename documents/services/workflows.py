"""Workflows of a tenant: making, changing, switching, deleting them."""

import uuid
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction

from documents.errors import BadTitleTemplate, BadWorkflowDefinition, WorkflowNotFound
from documents.filing import LabelKind
from documents.filing.names import BadName, clean_name, name_key
from documents.models import RetentionClass, Workflow, WorkflowRun
from documents.retention import BUILT_IN
from documents.services.changes import lock_active_tenant
from documents.services.labels import find_label
from documents.title_templates import check_template
from documents.workflows import (
    Action,
    BadWorkflow,
    Conditions,
    SetRetentionClass,
    parse_actions,
    parse_conditions,
)
from documents.workflows.writing import actions_as_data, conditions_as_data
from jobs.batches import batched
from tenants.access import Access, requires
from tenants.audit import record
from tenants.scope import tenant_scope

#: Workflows of a tenant.
MAX_WORKFLOWS = 100
_BATCH = 500


@requires("workflows:edit")
def create_workflow(
    *, access: Access, name: str, conditions: Any, actions: Any, position: int = 100, enabled: bool = True
) -> Workflow:
    """Have something done with each document for which the conditions hold, once it has been read.

    Conditions and actions come as from JSON; labels by id or name, and are kept by id. Raises
    `BadWorkflowDefinition`, `TenantNotActive`, `TenantNotFound`.
    """
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        if Workflow.objects.filter(tenant_id=access.tenant_id).count() >= MAX_WORKFLOWS:
            raise BadWorkflowDefinition(f"There are {MAX_WORKFLOWS} workflows, as many as may be.")
        workflow = Workflow(tenant_id=access.tenant_id)
        _define(workflow, name, conditions, actions, position, enabled=enabled)
        _record("workflow.created", workflow)
    return workflow


@requires("workflows:edit")
def change_workflow(
    *,
    access: Access,
    workflow_id: uuid.UUID,
    name: str,
    conditions: Any,
    actions: Any,
    position: int = 100,
    enabled: bool = True,
    check: Callable[[Workflow], None] | None = None,
) -> Workflow:
    """Define a workflow anew; what it did stays. `check` may refuse the workflow as it is, locked.

    Raises `WorkflowNotFound`, and what `create_workflow` raises.
    """
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        workflow = _lock(access.tenant_id, workflow_id)
        if check is not None:
            check(workflow)
        _define(workflow, name, conditions, actions, position, enabled=enabled)
        _record("workflow.changed", workflow)
    return workflow


@requires("workflows:edit")
def switch_workflow(*, access: Access, workflow_id: uuid.UUID, enabled: bool) -> Workflow:
    """Switch a workflow on or off. Raises `WorkflowNotFound`, `TenantNotActive`, `TenantNotFound`."""
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        workflow = _lock(access.tenant_id, workflow_id)
        if workflow.enabled != enabled:
            workflow.enabled = enabled
            workflow.save(update_fields=["enabled"])
            _record("workflow.switched_on" if enabled else "workflow.switched_off", workflow)
    return workflow


@requires("workflows:write")
def delete_workflow(*, access: Access, workflow_id: uuid.UUID) -> None:
    """Delete a workflow and what is known of its runs; what it did to documents stays.

    One transaction a batch. Raises `WorkflowNotFound`, `TenantNotActive`, `TenantNotFound`.
    """
    switch_workflow(access=access, workflow_id=workflow_id, enabled=False)
    rows = WorkflowRun.objects.filter(tenant_id=access.tenant_id, workflow_id=workflow_id)
    with tenant_scope(access.tenant_id):
        known = list(rows.order_by("pk").values_list("pk", flat=True))
    for batch in batched(known, _BATCH):
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            rows.filter(pk__in=batch).delete()
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        workflow = _lock(access.tenant_id, workflow_id)
        rows.delete()
        Workflow.objects.filter(tenant_id=access.tenant_id, pk=workflow_id).delete()
        _record("workflow.deleted", workflow)


def parse_definition(
    tenant_id: uuid.UUID, conditions: Any, actions: Any
) -> tuple[Conditions, tuple[Action, ...]]:
    """Return what a workflow would do, with the labels of the tenant. Raises `BadWorkflowDefinition`."""
    resolve = _resolver(tenant_id)
    try:
        parsed = (
            parse_conditions(conditions, resolve),
            parse_actions(actions, resolve, check_template=_check_template),
        )
    except BadWorkflow as error:
        raise BadWorkflowDefinition(str(error)) from error
    for action in parsed[1]:
        if isinstance(action, SetRetentionClass) and action.name not in BUILT_IN:
            known = RetentionClass.objects.filter(tenant_id=tenant_id)
            if not known.filter(name=action.name).exists():
                names = ", ".join(sorted({*BUILT_IN, *known.values_list("name", flat=True)}))
                raise BadWorkflowDefinition(
                    f"There is no retention class {action.name!r}. There are: {names}."
                )
    return parsed


def _define(
    workflow: Workflow, name: str, conditions: Any, actions: Any, position: int, *, enabled: bool
) -> None:
    parsed_conditions, parsed_actions = parse_definition(workflow.tenant_id, conditions, actions)
    if not 0 <= position <= 10_000:
        raise BadWorkflowDefinition("A position lies between 0 and 10,000.")
    try:
        workflow.name = clean_name(name)
    except BadName as error:
        raise BadWorkflowDefinition(str(error)) from error
    workflow.key = name_key(workflow.name)
    workflow.conditions = conditions_as_data(parsed_conditions)
    workflow.actions = actions_as_data(parsed_actions)
    workflow.position, workflow.enabled = position, enabled
    try:
        with transaction.atomic():
            workflow.save()
    except IntegrityError as error:
        if "documents_workflow_name" not in str(error):
            raise
        raise BadWorkflowDefinition(f"There is a workflow {workflow.name!r} already.") from error


def _resolver(tenant_id: uuid.UUID) -> Callable[[LabelKind, str], uuid.UUID]:
    def resolve(kind: LabelKind, text: str) -> uuid.UUID:
        found = find_label(tenant_id, kind, text)
        if found is None:
            raise BadWorkflow(f"there is no {kind.replace('_', ' ')} {text!r}; make it first.")
        return found.pk

    return resolve


def _check_template(template: str) -> str:
    try:
        return check_template(template)
    except BadTitleTemplate as error:
        raise BadWorkflow(str(error)) from error


def _lock(tenant_id: uuid.UUID, workflow_id: uuid.UUID) -> Workflow:
    rows = Workflow.objects.select_for_update(of=("self",))
    workflow = rows.filter(tenant_id=tenant_id, pk=workflow_id).first()
    if workflow is None:
        raise WorkflowNotFound(f"The tenant has no workflow {workflow_id}.")
    return workflow


def _record(action: str, workflow: Workflow) -> None:
    record(
        action,
        tenant_id=workflow.tenant_id,
        object_type="workflow",
        object_id=workflow.pk,
        details={"actions": len(workflow.actions)},
    )
