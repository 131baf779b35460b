"""The pages of documents: to find, to look at, to read. Services change documents, these pages do not."""

import uuid
from pathlib import PurePath
from typing import Any, BinaryIO

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import formats
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.admin_rows import (
    ListedDocument,
    find_files,
    find_newest_version,
    find_steps,
    find_text_pages,
    find_thumbnail,
    has_searchable,
    with_processing_status,
)
from documents.admin_search import DocumentChangeList, TrashFilter, show_hit
from documents.errors import DocumentNotFound, FileDamaged, FileMissing
from documents.filing_admin import (
    CorrespondentAdmin,
    DocumentTypeAdmin,
    FilingSettingsAdmin,
    MatchingRuleAdmin,
    TagAdmin,
)
from documents.filing_admin_document import DocumentFiling
from documents.models import Document
from documents.naming_admin import NamingSettingsAdmin
from documents.selectors import ProcessingStatus
from documents.services.download import open_original
from documents.services.searchable import MEDIA_TYPE, open_searchable
from documents.vault import get_vault
from documents.vault_admin import VaultCheckAdmin, VaultFindingAdmin
from documents.workflow_admin import WorkflowAdmin, WorkflowRunAdmin
from jobs.display import NOTHING, page_address, show_link, show_moment, show_size, show_state
from jobs.filters import TenantFilter
from jobs.models import JobStatus
from jobs.operator_admin import outside_scope
from tenants.access import operator_access
from tenants.scope import operator_scope

STATUS_LABELS = {
    ProcessingStatus.QUEUED: _("queued"),
    ProcessingStatus.PROCESSING: _("processing"),
    ProcessingStatus.FAILED: _("failed"),
    ProcessingStatus.DONE: _("done"),
}
__all__ = [
    "CorrespondentAdmin",
    "DocumentAdmin",
    "DocumentTypeAdmin",
    "FilingSettingsAdmin",
    "MatchingRuleAdmin",
    "NamingSettingsAdmin",
    "TagAdmin",
    "VaultCheckAdmin",
    "VaultFindingAdmin",
    "WorkflowAdmin",
    "WorkflowRunAdmin",
]

#: Sent with files: whatever is in them, the browser runs none of it.
FILE_POLICY = "default-src 'none'; sandbox"


@admin.register(Document)
class DocumentAdmin(DocumentFiling):
    """All documents, newest first, or those of one tenant; a search goes through one tenant's texts."""

    keyset = ("-created_at", "-id")
    list_display = ("thumbnail", "title_line", "tenant_name", "state", "issued", "pages", "added")
    list_display_links = ("title_line",)
    search_fields = ("title",)
    search_help_text = _(
        "Words in any form; “words in a row” in quotes; begin*; -without; date:2024-03 for the issued date."
    )
    list_select_related = ("tenant",)
    list_filter = (TenantFilter, TrashFilter)
    change_form_template = "documents/document_page.html"
    fieldsets = (
        (None, {"fields": ("tenant_link", "state", "issued", "added", "source_line")}),
        (_("File"), {"fields": ("file_name", "file_type", "pages", "content_hash")}),
        (_("Retention"), {"fields": ("retention_class_name", "retained", "held", "trashed")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return documents with their processing status, which is that of their newest analysis."""
        return with_processing_status(super().get_queryset(request))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that can search."""
        return DocumentChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Leave the rows alone: the list itself searches, through the index and not by LIKE."""
        return queryset, False

    def narrow_list(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Leave out what the list does not show."""
        return queryset.defer("issued_candidates", "source_ref")

    def complete_rows(self, rows: list[Any]) -> list[Any]:
        """Give each document its newest version and its thumbnail."""
        files = find_files(rows)
        for document in rows:
            document.listed = files[document.pk]
        return rows

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of files."""
        view = self.admin_site.admin_view
        thumbnail = view(self.thumbnail_view, cacheable=True)
        original = view(self.original_view)
        return [
            path(
                "<uuid:document_id>/thumbnail/<int:job_id>/",
                thumbnail,
                name="documents_document_thumbnail",
            ),
            path("<uuid:document_id>/original/", original, name="documents_document_original"),
            path(
                "<uuid:document_id>/searchable/",
                view(self.searchable_view),
                name="documents_document_searchable",
            ),
            *super().get_urls(),
        ]

    @outside_scope
    def thumbnail_view(self, request: HttpRequest, document_id: uuid.UUID, job_id: int) -> FileResponse:
        """Send the thumbnail that a job made. Its bytes never change, so the browser may keep them."""
        with operator_scope():
            version = find_newest_version(self._find(request, document_id))
            asset = find_thumbnail(version) if version else None
        if asset is None or asset.job_id != job_id:
            raise Http404
        try:
            if asset.content_hash:
                file = get_vault().open_verified(asset.vault_path, content_hash=asset.content_hash)
            else:
                file = get_vault().open(asset.vault_path)
        except (FileDamaged, FileMissing) as error:
            raise Http404 from error
        response = _send(file, media_type=asset.media_type, name=f"{document_id}.webp")
        response.headers["Cache-Control"] = "private, max-age=86400, immutable"
        return response

    @outside_scope
    def original_view(self, request: HttpRequest, document_id: uuid.UUID) -> FileResponse | TemplateResponse:
        """Send the newest original to be kept, its bytes compared with its hash; or say why not."""
        with operator_scope():
            document = self._find(request, document_id)
        try:
            original = open_original(access=operator_access(document.tenant_id), document_id=document_id)
        except DocumentNotFound as error:
            raise Http404 from error
        except (FileDamaged, FileMissing) as error:
            return self._show_damage(request, document_id, is_missing=isinstance(error, FileMissing))
        version = original.version
        return _send(original.file, media_type=version.media_type, name=version.filename)

    @outside_scope
    def searchable_view(
        self, request: HttpRequest, document_id: uuid.UUID
    ) -> FileResponse | TemplateResponse:
        """Send the searchable PDF to be kept; or say why not."""
        with operator_scope():
            document = self._find(request, document_id)
        try:
            file, asset = open_searchable(access=operator_access(document.tenant_id), document_id=document_id)
        except DocumentNotFound as error:
            raise Http404 from error
        except (FileDamaged, FileMissing) as error:
            return self._show_damage(request, document_id, is_missing=isinstance(error, FileMissing))
        return _send(file, media_type=MEDIA_TYPE, name=f"{PurePath(asset.version.filename).stem}.pdf")

    def _show_damage(
        self, request: HttpRequest, document_id: uuid.UUID, *, is_missing: bool
    ) -> TemplateResponse:
        """Say that the file is not what was stored. Not an error of the server: a state of this document."""
        findings = page_address("documents_vaultfinding_changelist")
        context = self.admin_site.each_context(request) | {
            "title": gettext("This file is damaged"),
            "is_missing": is_missing,
            "document_address": reverse("admin:documents_document_change", args=[document_id]),
            "findings_address": findings if request.user.has_perm("documents.view_vaultfinding") else None,
        }
        return TemplateResponse(request, "documents/damaged_file.html", context, status=409)

    def _find(self, request: HttpRequest, document_id: uuid.UUID) -> Document:
        document = Document.objects.filter(pk=document_id).first()
        if not self.has_view_permission(request, document):
            raise PermissionDenied
        if document is None:
            raise Http404
        return document

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return the picture, the steps of the analysis and some pages of the text."""
        version = row.listed.version
        first = request.GET.get("page", "")
        return {
            "version": version,
            "steps": find_steps(version) if version else [],
            "texts": find_text_pages(version, int(first) if first.isdecimal() else 1) if version else None,
            "thumbnail_address": _thumbnail_address(row, row.listed),
            "has_searchable": bool(version) and has_searchable(version),
            "jobs_address": page_address("jobs_job_changelist"),
            "buttons": self.find_buttons(request, row),
            "edit_form": self.edit_form(request, row),
            **self.why_context(request, row, version),
            **self.filing_context(request, row),
        }

    @admin.display(description=_("preview"))
    def thumbnail(self, document: Any) -> str:
        """Return the thumbnail, drawn small; the place stays empty without one."""
        address = _thumbnail_address(document, document.listed)
        if address is None:
            return format_html('<span class="thumbnail {}"></span>', "thumbnail-none")
        return format_html(
            '<img class="thumbnail" src="{}" alt="" loading="lazy" width="48" height="64">', address
        )

    @admin.display(description=_("title"))
    def title_line(self, document: Any) -> str:
        """Return the title; in a search also the place that was found."""
        hit = getattr(document, "hit", None)
        return show_hit(hit) if hit else document.title

    @admin.display(description=_("tenant"))
    def tenant_name(self, document: Document) -> str:
        """Return the name of the tenant."""
        return document.tenant.name

    @admin.display(description=_("tenant"))
    def tenant_link(self, document: Document) -> str:
        """Return the tenant with a link to its page."""
        return show_link("tenants_tenant", document.tenant_id, document.tenant.name)

    @admin.display(description=_("status"))
    def state(self, document: Any) -> str:
        """Return the processing status as a badge; of what lies in the trash, that it does."""
        if document.trashed_at is not None:
            return show_state("trashed", gettext("in the trash"))
        state = document.newest_analysis
        if state in (None, JobStatus.SUCCEEDED):
            state = ProcessingStatus.DONE
        return show_state(state, STATUS_LABELS[ProcessingStatus(state)])

    @admin.display(description=_("issued date"))
    def issued(self, document: Document) -> str:
        """Return the date on the document."""
        if document.issued_at is None:
            return NOTHING
        day = formats.date_format(document.issued_at, "SHORT_DATE_FORMAT")
        if not document.issued_doubt:
            return day
        return format_html('{} <span class="quiet">({})</span>', day, gettext("unconfirmed"))

    @admin.display(description=_("pages"))
    def pages(self, document: Any) -> str:
        """Return the number of pages, once it is known."""
        version = document.listed.version
        return str(version.pages) if version and version.pages is not None else NOTHING

    @admin.display(description=_("added"))
    def added(self, document: Document) -> str:
        """Return when the document came in."""
        return show_moment(document.created_at)

    @admin.display(description=_("source"))
    def source_line(self, document: Document) -> str:
        """Return how the document came in, and from where."""
        source = str(document.get_source_display())
        return f"{source}: {document.source_ref}" if document.source_ref else source

    @admin.display(description=_("file name"))
    def file_name(self, document: Any) -> str:
        """Return the name under which the file came."""
        return document.listed.version.filename if document.listed.version else NOTHING

    @admin.display(description=_("type"))
    def file_type(self, document: Any) -> str:
        """Return what kind of file it is, and its size."""
        version = document.listed.version
        return f"{version.media_type}, {show_size(version.size)}" if version else NOTHING

    @admin.display(description=_("hash (SHA-256)"))
    def content_hash(self, document: Any) -> str:
        """Return the hash of the original's bytes."""
        version = document.listed.version
        return format_html("<code>{}</code>", version.content_hash) if version else NOTHING

    @admin.display(description=_("retention class"))
    def retention_class_name(self, document: Document) -> str:
        """Return the class of the document with its years."""
        found = document.retention_class
        if found is None:
            return NOTHING
        return ngettext("%(name)s (%(years)d year)", "%(name)s (%(years)d years)", found.years) % {
            "name": found.name,
            "years": found.years,
        }

    @admin.display(description=_("retain until"))
    def retained(self, document: Document) -> str:
        """Return the instant until which the document must be kept."""
        return show_moment(document.retain_until)

    @admin.display(description=_("legal hold"))
    def held(self, document: Document) -> str:
        """Return whether the document must not be deleted whatever its date."""
        return gettext("yes, it must not be deleted") if document.legal_hold else gettext("no")

    @admin.display(description=_("trashed"))
    def trashed(self, document: Document) -> str:
        """Return since when the document lies in the trash."""
        return show_moment(document.trashed_at)


def _thumbnail_address(document: Document, listed: ListedDocument) -> str | None:
    if listed.thumbnail_job is None:
        return None
    return reverse("admin:documents_document_thumbnail", args=[document.pk, listed.thumbnail_job])


def _send(file: BinaryIO, *, media_type: str, name: str) -> FileResponse:
    """Return an open file as a download that a browser neither guesses about nor runs."""
    response = FileResponse(file, as_attachment=True, filename=name, content_type=media_type)
    response.headers["Content-Security-Policy"] = FILE_POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
