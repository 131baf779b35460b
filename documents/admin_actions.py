"""What operators do with documents: each action calls a service and says what was left alone."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.models import Document
from documents.services.changes import NOT_THERE, ChangeReport
from documents.services.holds import hold_documents, release_documents
from documents.services.purge import purge_documents
from documents.services.searchable import request_searchable_pdfs
from documents.services.trash import restore_documents, trash_documents
from jobs.display import show_error
from jobs.operator_admin import ActionButton, OperatorAdmin
from tenants.access import operator_access
from tenants.errors import TenantsError

Service = Callable[..., ChangeReport]


class DocumentActions(OperatorAdmin):
    """The actions of the list, and as buttons on the page of one document."""

    actions = (
        "change_many",
        "trash",
        "restore",
        "purge",
        "hold",
        "release",
        "make_searchable",
    )

    def has_trash_permission(self, request: HttpRequest) -> bool:
        """Seeing is not trashing."""
        return request.user.has_perm("documents.trash_document")

    def has_purge_permission(self, request: HttpRequest) -> bool:
        """Trashing is not purging."""
        return request.user.has_perm("documents.purge_document")

    def has_hold_permission(self, request: HttpRequest) -> bool:
        """A hold is set and lifted by few."""
        return request.user.has_perm("documents.hold_document")

    @admin.action(description=_("Move selected documents to the trash"), permissions=["trash"])
    def trash(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Trash the documents ticked."""
        report = self._change(request, trash_documents)
        done = ngettext("%d document trashed", "%d documents trashed", report.changed)
        self.tell_changes(request, done % report.changed, report.changed, report.skipped)

    @admin.action(description=_("Restore selected documents"), permissions=["trash"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Restore the documents ticked."""
        report = self._change(request, restore_documents)
        done = ngettext("%d document restored", "%d documents restored", report.changed)
        self.tell_changes(request, done % report.changed, report.changed, report.skipped)

    @admin.action(description=_("Purge selected documents from the trash"), permissions=["purge"])
    def purge(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Queue the purge of the documents ticked."""
        report = self._change(request, purge_documents)
        done = ngettext("the purge of %d document queued", "the purge of %d documents queued", report.changed)
        self.tell_changes(request, done % report.changed, report.changed, report.skipped)

    @admin.action(description=_("Put selected documents under legal hold"), permissions=["hold"])
    def hold(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Hold the documents ticked."""
        report = self._change(request, hold_documents)
        done = ngettext("%d document put under hold", "%d documents put under hold", report.changed)
        self.tell_changes(request, done % report.changed, report.changed, report.skipped)

    @admin.action(description=_("Lift the legal hold of selected documents"), permissions=["hold"])
    def release(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Lift the holds of the documents ticked."""
        report = self._change(request, release_documents)
        done = ngettext("%d hold lifted", "%d holds lifted", report.changed)
        self.tell_changes(request, done % report.changed, report.changed, report.skipped)

    @admin.action(description=_("Make searchable PDFs of selected documents"), permissions=["trash"])
    def make_searchable(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Queue the making of searchable PDFs of the documents ticked."""
        report = self._change(request, request_searchable_pdfs)
        done = ngettext(
            "the searchable PDF of %d document queued",
            "the searchable PDFs of %d documents queued",
            report.changed,
        )
        self.tell_changes(request, done % report.changed, report.changed, report.skipped)

    def find_buttons(self, request: HttpRequest, document: Document) -> list[ActionButton]:
        """Return what this operator may do with this document in its present state."""
        address = reverse("admin:documents_document_changelist")
        if document.purging_at is not None:
            return []
        buttons = []
        if self.has_trash_permission(request):
            if document.trashed_at is not None:
                buttons.append(ActionButton("restore", gettext("Restore"), address))
            elif not document.legal_hold:
                buttons.append(ActionButton("trash", gettext("Move to the trash"), address))
        if self.has_purge_permission(request) and document.trashed_at and not document.legal_hold:
            buttons.append(ActionButton("purge", gettext("Purge"), address))
        if self.has_hold_permission(request):
            held = document.legal_hold
            words = gettext("Lift the legal hold") if held else gettext("Put under legal hold")
            buttons.append(ActionButton("release" if held else "hold", words, address))
        return buttons

    def _change(self, request: HttpRequest, service: Service) -> ChangeReport:
        """Call a service for each tenant whose documents are ticked, and add up what it did."""
        ids = _ticked(request)
        by_tenant: defaultdict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
        for tenant_id, document_id in Document.objects.filter(pk__in=ids).values_list("tenant_id", "pk"):
            by_tenant[tenant_id].append(document_id)
        changed, skipped = 0, Counter({NOT_THERE: len(ids) - sum(map(len, by_tenant.values()))})
        for tenant_id, documents in by_tenant.items():
            try:
                report = service(access=operator_access(tenant_id), document_ids=documents)
            except TenantsError as error:
                self.message_user(request, show_error(error), messages.ERROR)
                continue
            changed += report.changed
            skipped.update(report.skipped)
        return ChangeReport(changed, dict(+skipped))


def _ticked(request: HttpRequest) -> list[uuid.UUID]:
    """Return the documents ticked, those that went meanwhile included: they are reported as skipped."""
    return list(_parse(request.POST.getlist(ACTION_CHECKBOX_NAME)))


def _parse(given: Iterable[Any]) -> Iterable[uuid.UUID]:
    for text in given:
        try:
            yield uuid.UUID(text)
        except ValueError:
            continue
