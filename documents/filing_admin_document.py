"""What the page of a document shows of its filing, and lets an operator do: take, refuse, add, take away."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from documents.admin_edit import PERMISSION
from documents.errors import DocumentsError
from documents.filing import FilingState, LabelKind
from documents.filing_selectors import DocumentLabel, find_labels
from documents.models import Document, Label, Note, WorkflowRun
from documents.models.filing import LABEL_KINDS, SET_BY
from documents.services.filing import file_documents
from documents.services.workflow_preview import preview_workflows
from documents.why_admin import DocumentWhy
from jobs.display import page_address
from jobs.operator_admin import outside_scope
from tenants.access import operator_access
from tenants.errors import TenantsError
from tenants.scope import operator_scope

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
            "runs": list(runs.select_related("workflow").order_by("id")[:_SHOWN]),
            "notes": list(notes[:_SHOWN]),
            "previews": self._preview(request, document),
        }

    def _preview(self, request: HttpRequest, document: Document) -> Any:
        """Return what workflows would do, when that was asked for."""
        if "workflows" not in request.GET or not request.user.has_perm("documents.view_workflow"):
            return None
        try:
            return preview_workflows(access=operator_access(document.tenant_id), document_id=document.pk)
        except DocumentsError:
            return []

    @outside_scope
    def file_view(self, request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
        """Add or take away the labels that were sent, and go back to the page with the answer."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        with operator_scope():
            document = Document.objects.filter(pk=document_id).first()
        if document is None:
            raise Http404
        try:
            report = file_documents(
                access=operator_access(document.tenant_id),
                document_ids=[document_id],
                add=_ids(request, "add"),
                remove=_ids(request, "remove"),
            )
            words = gettext("Saved.") if report.changed else gettext("Nothing was changed.")
            self.message_user(request, words, messages.SUCCESS)
        except (DocumentsError, TenantsError) as error:
            self.message_user(request, str(error), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:documents_document_change", args=[document_id]))


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
