"""Workflows: what is done with each document once it has been read; and dry runs of them."""

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Schema
from pydantic import ConfigDict, Field, StrictBool, WithJsonSchema

from archiv.api.callers import access_of
from archiv.api.headers import IF_MATCH_TAKEN
from archiv.api.routes import Routes
from archiv.api.types import Text, content_etag, expect_content
from archiv.api.workflow_shapes import ACTIONS, CONDITIONS
from documents.models import Workflow as WorkflowRow
from documents.services.workflow_listing import list_workflows, read_workflow
from documents.services.workflow_preview import preview_workflows, try_workflow
from documents.services.workflows import change_workflow, create_workflow, delete_workflow
from documents.workflows import ActionResult

routes = Routes("workflows")


class Definition(Schema):
    """When something is done, and what."""

    model_config = ConfigDict(extra="forbid")

    conditions: Annotated[dict[str, Any], WithJsonSchema(CONDITIONS)] = {}
    actions: Annotated[list[dict[str, Any]], WithJsonSchema(ACTIONS)]


class NewWorkflow(Definition):
    """A workflow; those with a lower position are run first."""

    name: Text = Field(min_length=1, max_length=100)
    position: int = Field(default=100, ge=0, le=10_000)
    enabled: StrictBool = True


class Workflow(Schema):
    """A workflow of the tenant."""

    id: uuid.UUID
    name: str
    position: int
    enabled: bool
    conditions: dict[str, Any]
    actions: list[dict[str, Any]]
    created_at: datetime


class Workflows(Schema):
    """All workflows, in the order in which they are run."""

    workflows: list[Workflow]


class DryRunWanted(Definition):
    """A workflow that nobody has made yet, and the document on which it is tried."""

    document_id: uuid.UUID


class ActionDone(Schema):
    """One action: what it was about, and whether it would change anything."""

    do: str
    what: str
    changed: bool


class DryRun(Schema):
    """What a workflow would do; `unmet` names the condition that does not hold, empty if all do."""

    unmet: str
    actions: list[ActionDone]


class FlowPreview(DryRun):
    """What one of the tenant's workflows would do."""

    id: uuid.UUID
    name: str
    enabled: bool


class FlowPreviews(Schema):
    """What each workflow would do, switched on or not, by itself."""

    workflows: list[FlowPreview]


@routes.add("GET", "/workflows", capability="workflows:read", response=Workflows)
def list_all_workflows(request: HttpRequest) -> Workflows:
    """List the workflows of the tenant in the order in which they are run."""
    return Workflows(workflows=[_show(row) for row in list_workflows(access=access_of(request))])


@routes.add("POST", "/workflows", capability="workflows:edit", response={201: Workflow})
def make_workflow(request: HttpRequest, response: HttpResponse, wanted: NewWorkflow) -> Workflow:
    """Make a workflow; it is run on documents that are analyzed from now on."""
    return _tagged(response, _show(create_workflow(access=access_of(request), **wanted.model_dump())))


@routes.add("GET", "/workflows/{uuid:workflow_id}", capability="workflows:read", response=Workflow)
def get_workflow(request: HttpRequest, response: HttpResponse, workflow_id: uuid.UUID) -> Workflow:
    """Return one workflow."""
    return _tagged(response, _show(read_workflow(access=access_of(request), workflow_id=workflow_id)))


@routes.add(
    "PUT",
    "/workflows/{uuid:workflow_id}",
    capability="workflows:edit",
    response=Workflow,
    headers=[IF_MATCH_TAKEN],
)
def define_workflow(
    request: HttpRequest, response: HttpResponse, workflow_id: uuid.UUID, wanted: NewWorkflow
) -> Workflow:
    """Define a workflow anew, or switch it on or off; what it did stays. Takes If-Match."""
    row = change_workflow(
        access=access_of(request),
        workflow_id=workflow_id,
        check=expect_content(request, _show),
        **wanted.model_dump(),
    )
    return _tagged(response, _show(row))


@routes.add("DELETE", "/workflows/{uuid:workflow_id}", capability="workflows:write", response={204: None})
def drop_workflow(request: HttpRequest, workflow_id: uuid.UUID) -> None:
    """Delete a workflow and what is known of its runs; what it did to documents stays."""
    delete_workflow(access=access_of(request), workflow_id=workflow_id)


@routes.add("POST", "/workflows/try", capability="workflows:read", response=DryRun)
def dry_run(request: HttpRequest, wanted: DryRunWanted) -> DryRun:
    """Say what a workflow would do to a document, before it is made; nothing is changed."""
    access = access_of(request)
    access.require("documents:read")
    unmet, actions = try_workflow(access=access, **wanted.model_dump())
    return DryRun(unmet=unmet, actions=_show_actions(actions))


@routes.add(
    "GET",
    "/documents/{uuid:document_id}/workflows",
    capability="workflows:read",
    response=FlowPreviews,
)
def workflows_on_document(request: HttpRequest, document_id: uuid.UUID) -> FlowPreviews:
    """Say what each workflow would do to a document as it is now; nothing is changed."""
    access = access_of(request)
    access.require("documents:read")
    previews = preview_workflows(access=access, document_id=document_id)
    return FlowPreviews(
        workflows=[
            FlowPreview(
                id=one.workflow_id,
                name=one.name,
                enabled=one.enabled,
                unmet=one.unmet,
                actions=_show_actions(one.actions),
            )
            for one in previews
        ]
    )


def _show(row: WorkflowRow) -> Workflow:
    return Workflow(
        id=row.pk,
        name=row.name,
        position=row.position,
        enabled=row.enabled,
        conditions=row.conditions,
        actions=row.actions,
        created_at=row.created_at,
    )


def _show_actions(actions: tuple[ActionResult, ...]) -> list[ActionDone]:
    return [ActionDone(do=one.do, what=one.what, changed=one.changed) for one in actions]


def _tagged(response: HttpResponse, shown: Workflow) -> Workflow:
    response.headers["ETag"] = content_etag(shown)
    return shown
