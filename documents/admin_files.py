"""Sending the files of documents from the admin: thumbnails, originals, searchable PDFs."""

import uuid
from pathlib import PurePath
from typing import BinaryIO

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from documents.admin_rows import ListedDocument, find_newest_version, find_thumbnail
from documents.errors import DocumentNotFound, FileDamaged, FileMissing
from documents.models import Document
from documents.services.download import open_original
from documents.services.searchable import MEDIA_TYPE, open_searchable
from documents.vault import get_vault
from jobs.display import page_address
from jobs.operator_admin import OperatorAdmin, outside_scope
from tenants.access import operator_access
from tenants.scope import operator_scope

#: Sent with files: whatever is in them, the browser runs none of it.
FILE_POLICY = "default-src 'none'; sandbox"


class DocumentFiles(OperatorAdmin):
    """Adds the addresses of files."""

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


def thumbnail_address(document: Document, listed: ListedDocument) -> str | None:
    """Return the address of the picture of a document's newest version; None without one."""
    if listed.thumbnail_job is None:
        return None
    return reverse("admin:documents_document_thumbnail", args=[document.pk, listed.thumbnail_job])


def _send(file: BinaryIO, *, media_type: str, name: str) -> FileResponse:
    """Return an open file as a download that a browser neither guesses about nor runs."""
    response = FileResponse(file, as_attachment=True, filename=name, content_type=media_type)
    response.headers["Content-Security-Policy"] = FILE_POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
