"""The page of a change of very many documents: how far it is, what failed, how to stop it or go on."""

import uuid

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from documents.models import Label
from documents.services.bulk_operations import list_failed_parts, read_change, requeue_failed_parts
from documents.services.bulk_preview import BulkVerb
from jobs.display import failure_line
from jobs.failures_admin import operation_context, stop_and_tell
from jobs.models import Operation
from jobs.operator_admin import OperatorAdmin

VERBS = {
    BulkVerb.FILE: _("file under"),
    BulkVerb.TAKE_AWAY: _("take away"),
    BulkVerb.REANALYZE: _("analyze again"),
    BulkVerb.TRASH: _("move to the trash"),
}
PERMISSIONS = {
    BulkVerb.FILE: "documents.change_document",
    BulkVerb.TAKE_AWAY: "documents.change_document",
    BulkVerb.REANALYZE: "documents.change_document",
    BulkVerb.TRASH: "documents.trash_document",
}

#: Failed jobs of one cause that the page links to.
_LINKED = 10


class DocumentOperations(OperatorAdmin):
    """Adds the page of an operation on documents."""

    def get_urls(self) -> list[URLPattern]:
        """Return its addresses, before Django's own."""
        views = (self.operation_view, self.stop_view, self.go_on_view)
        show, stop, go_on = (self.admin_site.admin_view(view) for view in views)
        return [
            path("operations/<uuid:operation>/", show, name="documents_document_operation"),
            path("operations/<uuid:operation>/stop/", stop, name="documents_document_stop"),
            path("operations/<uuid:operation>/go-on/", go_on, name="documents_document_go_on"),
            *super().get_urls(),
        ]

    def operation_view(self, request: HttpRequest, operation: uuid.UUID) -> HttpResponse:
        """Show how far an operation is, what it left alone, and what is not done because jobs failed."""
        found = self._find_operation(request, operation)
        change = read_change(found.wanted)
        label = Label.objects.filter(pk=change.label_id).first() if change.label_id else None
        failed = list_failed_parts(found)
        count = ngettext("%(count)d document", "%(count)d documents", found.total) % {"count": found.total}
        context = self.admin_site.each_context(request) | {
            "title": f"{capfirst(VERBS[change.verb])}{f' {label}' if label else ''}: {count}",
            "opts": self.opts,
            **operation_context(found, may_stop=request.user.has_perm(PERMISSIONS[change.verb])),
            "stop_address": reverse("admin:documents_document_stop", args=[found.pk]),
            "failed": [
                (
                    failure_line(part.reason, 160),
                    part.documents,
                    part.job_ids[:_LINKED],
                    len(part.job_ids),
                )
                for part in failed
            ],
            "lost": found.not_done - sum(part.documents for part in failed),
            "go_on_address": reverse("admin:documents_document_go_on", args=[found.pk]),
            "may_go_on": self._may_go_on(request, found) and bool(failed),
        }
        return TemplateResponse(request, "documents/operation_page.html", context)

    def stop_view(self, request: HttpRequest, operation: uuid.UUID) -> HttpResponse:
        """Stop an operation: parts that have begun are done."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        found = self._find_operation(request, operation)
        if not request.user.has_perm(PERMISSIONS[read_change(found.wanted).verb]):
            raise PermissionDenied
        stop_and_tell(request, found.pk)
        return HttpResponseRedirect(reverse("admin:documents_document_operation", args=[found.pk]))

    def go_on_view(self, request: HttpRequest, operation: uuid.UUID) -> HttpResponse:
        """Requeue the jobs of an operation that have failed: the operation runs again."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        found = self._find_operation(request, operation)
        if not self._may_go_on(request, found):
            raise PermissionDenied
        report = requeue_failed_parts(found)
        text = ngettext("%d job requeued", "%d jobs requeued", report.requeued) % report.requeued
        self.tell_changes(request, text, report.requeued, report.skipped)
        return HttpResponseRedirect(reverse("admin:documents_document_operation", args=[found.pk]))

    def _may_go_on(self, request: HttpRequest, operation: Operation) -> bool:
        """Whether somebody may requeue jobs and order what these do; what was stopped does not go on."""
        needed = ("jobs.requeue_job", PERMISSIONS[read_change(operation.wanted).verb])
        return operation.state != Operation.State.STOPPED and request.user.has_perms(needed)

    def _find_operation(self, request: HttpRequest, operation: uuid.UUID) -> Operation:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = Operation.objects.filter(pk=operation, verb=Operation.Verb.CHANGE).first()
        if found is None:
            raise Http404
        return found
