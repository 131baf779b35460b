"""What the page of a document shows of its filing, and lets an operator do: take, refuse, add, take away."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.translation import gettext

from documents.action_words import say_action, say_results
from documents.admin_forms import PERMISSION, document_form
from documents.errors import DocumentsError
from documents.filing import FilingState, LabelKind
from documents.filing_selectors import DocumentLabel, find_labels
from documents.models import Document, Label, Note, WorkflowRun
from documents.models.filing import LABEL_KINDS, SET_BY
from documents.services.filing import file_documents
from documents.services.workflow_preview import preview_workflows
from documents.why_admin import DocumentWhy
from jobs.display import page_address
from tenants.access import operator_access

#: Labels to choose from, and notes and runs shown.
_CHOICES, _SHOWN = 1000, 50


@dataclass(frozen=True)
class ShownLabel:
    """One label of the page. `reasons` are words."""

    label: DocumentLabel
    kind: str
    set_by: str
    reasons: str
    rule_address: str | None

    @property
    def is_suggested(self) -> bool:
        """Whether a person is asked."""
        return self.label.state is FilingState.SUGGESTED


class DocumentFiling(DocumentWhy):
    """Adds what the page of a document says of its filing, and the address that changes it."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the buttons, before Django's own."""
        view = self.admin_site.admin_view(self.file_view)
        return [path("<uuid:document_id>/file/", view, name="documents_document_file"), *super().get_urls()]

    def filing_context(self, request: HttpRequest, document: Document) -> dict[str, Any]:
        """Return labels, suggestions, notes, and what workflows did and would do."""
        tenant_id = document.tenant_id
        may_change = request.user.has_perm(PERMISSION) and document.purging_at is None
        labels = find_labels(tenant_id, [document.pk]).get(document.pk, ())
        runs = WorkflowRun.objects.filter(tenant_id=tenant_id, document_id=document.pk)
        notes = Note.objects.filter(tenant_id=tenant_id, document_id=document.pk).order_by("id")
        return {
            "labels": [_show(label) for label in labels],
            "may_file": may_change,
            "label_choices": _choices(document) if may_change else [],
            "runs": [
                (run, say_results(run.results))
                for run in runs.select_related("workflow").order_by("id")[:_SHOWN]
            ],
            "notes": list(notes[:_SHOWN]),
            "previews": self._preview(request, document),
        }

    def _preview(self, request: HttpRequest, document: Document) -> Any:
        """Return what workflows would do, when that was asked for."""
        if "workflows" not in request.GET or not request.user.has_perm("documents.view_workflow"):
            return None
        try:
            found = preview_workflows(access=operator_access(document.tenant_id), document_id=document.pk)
            return [(each, [say_action(one.do, one.what) for one in each.actions]) for each in found]
        except DocumentsError:
            return []

    @document_form
    def file_view(self, request: HttpRequest, document: Document) -> str:
        """Add or take away the labels that were sent."""
        report = file_documents(
            access=operator_access(document.tenant_id),
            document_ids=[document.pk],
            add=_ids(request, "add"),
            remove=_ids(request, "remove"),
        )
        return gettext("Saved.") if report.changed else gettext("Nothing was changed.")


def _ids(request: HttpRequest, name: str) -> list[uuid.UUID]:
    found = []
    for text in request.POST.getlist(name):
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found


def _show(label: DocumentLabel) -> ShownLabel:
    rule = page_address("documents_matchingrule_change", label.rule_id) if label.rule_id else None
    return ShownLabel(
        label=label,
        kind=str(LABEL_KINDS[label.kind.value]),
        set_by=str(SET_BY.get(label.set_by, label.set_by)),
        reasons=", ".join(label.because),
        rule_address=rule,
    )


def _choices(document: Document) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the labels of the tenant, by kind."""
    rows = Label.objects.filter(tenant_id=document.tenant_id).order_by("kind", "key")
    found: dict[str, list[tuple[str, str]]] = {}
    for pk, kind, name in rows.values_list("pk", "kind", "name")[:_CHOICES]:
        found.setdefault(str(LABEL_KINDS[LabelKind(kind).value]), []).append((str(pk), name))
    return list(found.items())
