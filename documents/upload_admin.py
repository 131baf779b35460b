"""Bringing files in by the admin: a plain form for several files; with script one by one, with progress."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from documents.admin_filters import STATUS_LABELS
from documents.admin_rows import with_processing_status
from documents.errors import DocumentsError
from documents.models import Document
from documents.models.document import DocumentSource
from documents.selectors import ProcessingStatus
from documents.services import store_document
from jobs.display import in_language, show_error
from jobs.filters import clean_typed
from jobs.models import Job, JobStatus
from jobs.operator_admin import OperatorAdmin, outside_scope
from tenants.errors import TenantNotFound, TenantsError
from tenants.models import Tenant
from tenants.scope import operator_scope
from tenants.selectors import get_tenant_by_name

PERMISSION = "documents.add_document"
#: The newest documents among which those are looked for that the person has brought in.
_LOOKED_AT, _SHOWN = 500, 20


@dataclass(frozen=True)
class Received:
    """What became of one file. `document` is the one that has its bytes now, or had them before."""

    name: str
    state: str
    words: str
    document: uuid.UUID | None = None

    @property
    def address(self) -> str:
        """The page of the document."""
        return reverse("admin:documents_document_change", args=[self.document]) if self.document else ""


@dataclass(frozen=True)
class BroughtIn:
    """One document that the person has brought in lately, and how far it is."""

    document: Document
    state: str
    words: str
    error: str


class DocumentUpload(OperatorAdmin):
    """Adds the page that takes files in."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the page, before Django's own."""
        view = self.admin_site.admin_view(self.upload_view)
        return [path("upload/", view, name="documents_document_upload"), *super().get_urls()]

    @outside_scope
    def upload_view(self, request: HttpRequest) -> HttpResponse:
        """Show the form, or store each file that was sent and say what became of it.

        A script asks for one file at a time, and gets the line of the report alone.
        """
        if not (self.has_view_permission(request) and request.user.has_perm(PERMISSION)):
            raise PermissionDenied
        given = (request.POST if request.method == "POST" else request.GET).get("tenant", "")
        name = clean_typed(given)
        tenant, wrong = self._find_tenant(name)
        received: list[Received] = []
        if request.method == "POST":
            files = request.FILES.getlist("files")
            if tenant is not None and not files:
                wrong = gettext("Choose at least one file.")
            if tenant is not None:
                received = [_store(tenant, file, request) for file in files]
            if request.headers.get("Accept") == "application/json":
                return _answer(received, wrong)
        with operator_scope():
            context = self.admin_site.each_context(request) | {
                "title": gettext("Bring documents in"),
                "opts": self.opts,
                "tenant": str(tenant) if tenant else name,
                "wrong": wrong,
                "received": received,
                "brought_in": _brought_in(request),
                "list_address": reverse("admin:documents_document_changelist"),
            }
            return TemplateResponse(request, "documents/upload_page.html", context).render()

    def _find_tenant(self, name: str) -> tuple[Tenant | None, str]:
        """Return the tenant of a name or id, and what is wrong with it."""
        if not name:
            return None, ""
        try:
            with operator_scope():
                try:
                    found = Tenant.objects.filter(pk=uuid.UUID(name)).first()
                except ValueError:
                    found = None
                return found or get_tenant_by_name(name), ""
        except TenantNotFound:
            return None, gettext("No tenant has this name.")


def _store(tenant: Tenant, file: "UploadedFile[Any]", request: HttpRequest) -> Received:
    """Store one file; what is refused is said of this file alone."""
    name = file.name or ""
    try:
        stored = store_document(
            tenant_id=tenant.pk,
            stream=cast("Any", file),
            filename=name,
            source=DocumentSource.ADMIN,
            created_by=request.user.pk,
        )
    except (DocumentsError, TenantsError) as error:
        return Received(name, "failed", show_error(error))
    if stored.duplicate:
        words = (
            gettext("These bytes are in the archive already, in the trash.")
            if stored.trashed
            else gettext("These bytes are in the archive already.")
        )
        return Received(name, "trashed", words, stored.document_id)
    return Received(name, "done", gettext("Stored; it is read now."), stored.document_id)


def _answer(received: Iterable[Received], wrong: str) -> JsonResponse:
    lines = list(received)
    if not lines:
        return JsonResponse({"line": "", "error": wrong or gettext("Name a tenant.")}, status=400)
    line = render_to_string("documents/upload_line.html", {"line": lines[0]})
    return JsonResponse({"line": line, "error": ""})


def _brought_in(request: HttpRequest) -> list[BroughtIn]:
    """Return what the person has brought in among the newest documents, and how far it is."""
    newest = Document.objects.filter(source=DocumentSource.ADMIN, created_by_id=request.user.pk)
    among = Document.objects.order_by("-created_at", "-id").values("pk")[:_LOOKED_AT]
    rows = with_processing_status(newest.filter(pk__in=among)).select_related("tenant")
    found: list[BroughtIn] = []
    for document in rows.order_by("-created_at", "-id")[:_SHOWN]:
        status = getattr(document, "newest_analysis", None)
        state = ProcessingStatus.DONE if status in (None, JobStatus.SUCCEEDED) else ProcessingStatus(status)
        error = ""
        if state is ProcessingStatus.FAILED:
            jobs = Job.objects.filter(document_id=document.pk, type="analyze-document")
            error = jobs.order_by("-id").values_list("error_message", flat=True).first() or ""
        found.append(BroughtIn(document, state.value, str(STATUS_LABELS[state]), in_language(error)[:200]))
    return found
