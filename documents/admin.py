"""The pages of documents: to find, to look at, to read. Services change documents, these pages do not."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin import ListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import formats
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.admin_files import DocumentFiles, thumbnail_address
from documents.admin_filters import FILTERS, STATUS_LABELS, AddedFrom, ExactFilter, TrashFilter
from documents.admin_rows import (
    find_files,
    find_steps,
    find_text_pages,
    has_searchable,
    with_processing_status,
)
from documents.admin_search import DocumentChangeList, show_hit
from documents.bulk_admin import DocumentBulk
from documents.filing_admin import (
    CorrespondentAdmin,
    DocumentTypeAdmin,
    FilingSettingsAdmin,
    MatchingRuleAdmin,
    TagAdmin,
)
from documents.filing_admin_document import DocumentFiling
from documents.history_admin import find_history
from documents.mail_links import find_attachments, find_mails
from documents.models import Document
from documents.naming_admin import NamingSettingsAdmin
from documents.selectors import ProcessingStatus
from documents.similar_admin import find_alike
from documents.upload_admin import PERMISSION as UPLOAD_PERMISSION
from documents.upload_admin import DocumentUpload
from documents.vault_admin import VaultCheckAdmin, VaultFindingAdmin
from documents.workflow_admin import WorkflowAdmin, WorkflowRunAdmin
from jobs.display import NOTHING, page_address, show_link, show_moment, show_size, show_state
from jobs.filters import TenantFilter
from jobs.models import JobStatus

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


@dataclass(frozen=True)
class Tile:
    """One document of the grid."""

    document: Any
    address: str
    picture: str | None
    title: str
    issued: str
    tenant: str
    state: str


@admin.register(Document)
class DocumentAdmin(DocumentBulk, DocumentUpload, DocumentFiles, DocumentFiling):
    """All documents, newest first, or those of one tenant; a search goes through one tenant's texts."""

    keyset = ("-created_at", "-id")
    list_display = ("thumbnail", "title_line", "tenant_name", "state", "issued", "pages", "added")
    list_display_links = ("title_line",)
    search_fields = ("title",)
    search_help_text = _(
        "Words in any form; “words in a row” in quotes; begin*; -without; date:2024-03 for the issued date."
    )
    list_select_related = ("tenant",)
    list_filter = FILTERS
    # Neighbours share pages of the table; each costs the status of its newest analysis as well.
    look_back = 3_000
    change_list_template = "documents/document_list.html"
    change_form_template = "documents/document_page.html"
    fieldsets = (
        (_("Document"), {"fields": ("tenant_link", "state", "issued", "added", "source_line")}),
        (_("File"), {"fields": ("file_name", "file_type", "pages", "content_hash")}),
        (_("Retention"), {"fields": ("retention_class_name", "retained", "held", "trashed")}),
    )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list as rows or as a grid, with the ways to change many and to bring documents in."""
        response = super().changelist_view(request, extra_context)
        if not isinstance(response, TemplateResponse) or response.context_data is None:
            return response
        shown = response.context_data.get("cl")
        if shown is None:
            return response
        response.context_data["tiles"] = (
            [self._tile(row) for row in shown.result_list] if shown.look == "grid" else ()
        )
        if self.has_bulk_permission(request):
            query = urlencode({"filter": shown.get_query_string()})
            response.context_data["bulk_address"] = f"{reverse('admin:documents_document_bulk')}?{query}"
        if request.user.has_perm(UPLOAD_PERMISSION):
            tenant = urlencode({"tenant": shown.params["tenant"]}) if "tenant" in shown.params else ""
            response.context_data["upload_address"] = f"{reverse('admin:documents_document_upload')}?{tenant}"
        return response

    def _tile(self, document: Any) -> Tile:
        return Tile(
            document,
            reverse("admin:documents_document_change", args=[document.pk]),
            thumbnail_address(document, document.listed),
            self.title_line(document),
            self.issued(document),
            self.tenant_name(document),
            self.state(document),
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return documents with their processing status, which is that of their newest analysis."""
        return with_processing_status(super().get_queryset(request))

    def is_indexed(self, chosen: ListFilter) -> bool:
        """Tell whether all documents of a filter were looked up before."""
        return isinstance(chosen, ExactFilter) and chosen.is_exact

    def is_stretch(self, chosen: ListFilter) -> bool:
        """The documents of a tenant come in the order of the list, and so does the trash."""
        return isinstance(chosen, TenantFilter | AddedFrom) or (
            isinstance(chosen, TrashFilter) and chosen.value() == "yes"
        )

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

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return the picture, the steps of the analysis and some pages of the text."""
        version = row.listed.version
        first = request.GET.get("page", "")
        return {
            "version": version,
            "steps": find_steps(version) if version else [],
            "texts": find_text_pages(version, int(first) if first.isdecimal() else 1) if version else None,
            "thumbnail_address": thumbnail_address(row, row.listed),
            "has_searchable": bool(version) and has_searchable(version),
            "attachments": find_attachments(row),
            "mails": find_mails(row),
            "jobs_address": page_address("jobs_job_changelist"),
            "buttons": self.find_buttons(request, row),
            "edit_form": self.edit_form(request, row),
            "history": find_history(row),
            "alike": find_alike(request, row),
            **self.why_context(request, row, version),
            **self.filing_context(request, row),
        }

    @admin.display(description=_("preview"))
    def thumbnail(self, document: Any) -> str:
        """Return the thumbnail, drawn small; the place stays empty without one."""
        address = thumbnail_address(document, document.listed)
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
