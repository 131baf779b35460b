"""The pages of workflows and their runs."""

import json
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from documents.action_words import say_results
from documents.filing_admin import OfOneTenant, ServiceForm, WrittenByForm
from documents.models import Label, Workflow, WorkflowRun
from documents.services.webhooks import workflow_key
from documents.services.workflows import change_workflow, create_workflow, delete_workflow
from jobs.display import show_json, show_link, show_moment, show_state
from tenants.access import operator_access

_RUNS_SHOWN = 20
_BOX = forms.Textarea(attrs={"rows": 12, "cols": 80, "spellcheck": "false"})


class _JsonBox(forms.JSONField):
    """JSON over several lines, as people write it."""

    widget = _BOX

    def prepare_value(self, value: Any) -> Any:
        """Return the text to be shown; what was typed wrongly stays as it was."""
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


class WorkflowForm(ServiceForm):
    """Conditions and actions as JSON; labels are shown by name where names say enough."""

    conditions = _JsonBox(
        label=_("conditions"),
        required=False,
        initial=dict,
        help_text=_('Such as {"source": ["mail"], "text": {"kind": "any", "pattern": "rechnung"}}.'),
    )
    actions = _JsonBox(
        label=_("actions"),
        help_text=_('Such as [{"do": "add_tags", "tags": ["Rechnung"]}, {"do": "add_note", "text": "…"}].'),
    )

    class Meta:
        model = Workflow
        fields = ("tenant", "name", "position", "enabled", "conditions", "actions")
        help_texts = {"position": _("Those with a lower number are run first.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.tenant_id is not None:
            rows = Label.objects.filter(tenant_id=self.instance.tenant_id)
            names = {str(pk): name for pk, name in rows.values_list("pk", "name")}
            for name in ("conditions", "actions"):
                self.initial[name] = _with_names(getattr(self.instance, name), names)

    def write(self) -> Workflow:
        """Make the workflow, or change it."""
        given = self.cleaned_data
        wanted = {
            "name": given["name"],
            "conditions": given["conditions"] if given["conditions"] is not None else {},
            "actions": given["actions"],
            "position": given["position"],
            "enabled": given["enabled"],
        }
        if self.instance.tenant_id is None:
            return create_workflow(access=operator_access(given["tenant"].pk), **wanted)
        access = operator_access(self.instance.tenant_id)
        return change_workflow(access=access, workflow_id=self.instance.pk, **wanted)


def _with_names(data: Any, names: dict[str, str]) -> Any:
    """Return the JSON with the names of labels in place of their ids."""
    if isinstance(data, dict):
        return {key: _with_names(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [_with_names(value, names) for value in data]
    return names.get(data, data) if isinstance(data, str) else data


@admin.register(Workflow)
class WorkflowAdmin(WrittenByForm):
    """Workflows of all tenants; the page of one shows its latest runs."""

    form = WorkflowForm
    list_display = ("name", "tenant_name", "position", "state")
    autocomplete_fields = ("tenant",)
    change_form_template = "documents/workflow_page.html"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of a new workflow, or of one whose tenant is fixed."""
        own = ("name", "position", "enabled", "conditions", "actions")
        return ("tenant", *own) if obj is None else ("tenant_link", *own)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what the row itself decides."""
        return () if obj is None else ("tenant_link",)

    def page_context(self, request: HttpRequest, row: Workflow) -> dict[str, Any]:
        """Return the latest runs, and, for whoever may change it, the key that signs its webhooks."""
        runs = WorkflowRun.objects.filter(tenant_id=row.tenant_id, workflow_id=row.pk)
        calls = any(action.get("do") == "call_webhook" for action in row.actions)
        shows_key = calls and self.has_change_permission(request, row)
        return {
            "runs": [
                (run, say_results(run.results))
                for run in runs.select_related("document").order_by("-id")[:_RUNS_SHOWN]
            ],
            "signing_key": workflow_key(row.tenant_id, row.pk) if shows_key else None,
        }

    def take_away(self, row: Workflow) -> None:
        """Delete the workflow."""
        delete_workflow(access=operator_access(row.tenant_id), workflow_id=row.pk)

    @admin.display(description=_("state"))
    def state(self, row: Workflow) -> str:
        """Return whether it is run."""
        if row.enabled:
            return show_state("done", _("switched on"))
        return show_state("queued", _("switched off"))


@admin.register(WorkflowRun)
class WorkflowRunAdmin(OfOneTenant):
    """What workflows did, newest first."""

    keyset = ("-id",)
    actions = ()
    list_display = ("time", "workflow_name", "document_title", "tenant_name", "outcome")
    list_select_related = ("tenant", "workflow", "document")
    fieldsets = (
        (None, {"fields": ("time", "tenant_link", "workflow_link", "document_link", "all_results")}),
    )

    def page_context(self, request: HttpRequest, row: WorkflowRun) -> dict[str, Any]:
        """Name the page by what it is about."""
        return {"title": f"{row.workflow.name}: {row.document.title}"}

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds by hand what an analysis records."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody edits a record."""
        return False

    @admin.display(description=_("time"))
    def time(self, run: WorkflowRun) -> str:
        """Return when it was run."""
        return show_moment(run.created_at)

    @admin.display(description=_("workflow"))
    def workflow_name(self, run: WorkflowRun) -> str:
        """Return which workflow."""
        return run.workflow.name

    @admin.display(description=_("document"))
    def document_title(self, run: WorkflowRun) -> str:
        """Return on which document."""
        return run.document.title

    @admin.display(description=_("workflow"))
    def workflow_link(self, run: WorkflowRun) -> str:
        """Return the workflow with a link to its page."""
        return show_link("documents_workflow", run.workflow_id, run.workflow.name)

    @admin.display(description=_("document"))
    def document_link(self, run: WorkflowRun) -> str:
        """Return the document with a link to its page."""
        return show_link("documents_document", run.document_id, run.document.title)

    @admin.display(description=_("results"))
    def outcome(self, run: WorkflowRun) -> str:
        """Return the actions with what came of each, in one line."""
        return ", ".join(say_results(run.results))

    @admin.display(description=_("results"))
    def all_results(self, run: WorkflowRun) -> str:
        """Return all that is known of each action."""
        return show_json(run.results)
