"""The page of a change of very many documents: how far it is, and how to stop it."""

import uuid

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from documents.models import Label
from documents.services.bulk_operations import read_change
from documents.services.bulk_preview import BulkVerb
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


class DocumentOperations(OperatorAdmin):
    """Adds the page of an operation on documents."""

    def get_urls(self) -> list[URLPattern]:
        """Return its addresses, before Django's own."""
        show, stop = (self.admin_site.admin_view(view) for view in (self.operation_view, self.stop_view))
        return [
            path("operations/<uuid:operation>/", show, name="documents_document_operation"),
            path("operations/<uuid:operation>/stop/", stop, name="documents_document_stop"),
            *super().get_urls(),
        ]

    def operation_view(self, request: HttpRequest, operation: uuid.UUID) -> HttpResponse:
        """Show how far an operation is, and what it left alone."""
        found = self._find_operation(request, operation)
        change = read_change(found.wanted)
        label = Label.objects.filter(pk=change.label_id).first() if change.label_id else None
        count = ngettext("%(count)d document", "%(count)d documents", found.total) % {"count": found.total}
        context = self.admin_site.each_context(request) | {
            "title": f"{capfirst(VERBS[change.verb])}{f' {label}' if label else ''}: {count}",
            "opts": self.opts,
            **operation_context(found, may_stop=request.user.has_perm(PERMISSIONS[change.verb])),
            "stop_address": reverse("admin:documents_document_stop", args=[found.pk]),
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

    def _find_operation(self, request: HttpRequest, operation: uuid.UUID) -> Operation:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = Operation.objects.filter(pk=operation, verb=Operation.Verb.CHANGE).first()
        if found is None:
            raise Http404
        return found
