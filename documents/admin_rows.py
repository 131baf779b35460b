"""What the pages of documents read, each by an index: newest versions, thumbnails, texts, steps.

In the operator's scope. The tenant is part of every filter but those by primary key, because it is the first
column of the indexes.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery

from documents.models import Asset, Document, DocumentVersion, PageText, StepResult
from jobs.models import Job

#: Pages of text on one page of the admin.
PAGES_SHOWN = 10


@dataclass(frozen=True)
class TextPages:
    """Some pages of a document's text, and the first page of the group before and after."""

    pages: Sequence[PageText]
    earlier: int | None
    later: int | None


@dataclass(frozen=True)
class ListedDocument:
    """What a list says about a document's file: the newest version, and the job that made its thumbnail."""

    version: DocumentVersion | None
    thumbnail_job: int | None


def with_processing_status(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Annotate `newest_analysis`: the status of the newest analysis of each document, None without one."""
    analyses = Job.objects.filter(
        document_id=OuterRef("pk"), tenant_id=OuterRef("tenant_id"), type="analyze-document"
    ).order_by("-id")
    return documents.annotate(newest_analysis=Subquery(analyses.values("status")[:1]))


def find_files(documents: Sequence[Document]) -> dict[uuid.UUID, ListedDocument]:
    """Return the newest version of each document and the job of its thumbnail, in two statements for all."""
    newest = DocumentVersion.objects.filter(
        tenant_id=OuterRef("tenant_id"), document_id=OuterRef("pk")
    ).order_by("-number")
    pairs = dict(
        Document.objects.filter(pk__in=[document.pk for document in documents])
        .annotate(newest_version=Subquery(newest.values("pk")[:1]))
        .values_list("pk", "newest_version")
    )
    made = Asset.objects.filter(
        tenant_id=OuterRef("tenant_id"), version_id=OuterRef("pk"), kind=Asset.THUMBNAIL
    ).values("job_id")
    versions = DocumentVersion.objects.filter(pk__in=[pk for pk in pairs.values() if pk]).annotate(
        thumbnail_job=Subquery(made[:1])
    )
    by_id = {version.pk: version for version in versions}
    return {
        document_id: ListedDocument(
            by_id.get(version_id), getattr(by_id.get(version_id), "thumbnail_job", None)
        )
        for document_id, version_id in pairs.items()
    }


def find_newest_version(document: Document) -> DocumentVersion | None:
    """Return the newest version of a document."""
    versions = DocumentVersion.objects.filter(tenant_id=document.tenant_id, document_id=document.pk)
    return versions.order_by("-number").first()


def has_searchable(version: DocumentVersion) -> bool:
    """Return whether a searchable PDF was made of a version."""
    assets = Asset.objects.filter(tenant_id=version.tenant_id, version_id=version.pk, kind=Asset.SEARCHABLE)
    return assets.exists()


def find_thumbnail(version: DocumentVersion) -> Asset | None:
    """Return the thumbnail of a version."""
    assets = Asset.objects.filter(tenant_id=version.tenant_id, version_id=version.pk, kind=Asset.THUMBNAIL)
    return assets.first()


def find_steps(version: DocumentVersion) -> QuerySet[StepResult]:
    """Return how the steps of the latest analysis ended, in their order."""
    return StepResult.objects.filter(tenant_id=version.tenant_id, version_id=version.pk).order_by("id")


def find_text_pages(version: DocumentVersion, first: int) -> TextPages:
    """Return the text of `PAGES_SHOWN` pages from page `first` on."""
    first = max(1, first)
    texts = PageText.objects.filter(
        tenant_id=version.tenant_id, version_id=version.pk, page__gte=first
    ).defer("boxes")
    found = list(texts.order_by("page")[: PAGES_SHOWN + 1])
    later = found[PAGES_SHOWN].page if len(found) > PAGES_SHOWN else None
    earlier = max(1, first - PAGES_SHOWN) if first > 1 else None
    return TextPages(found[:PAGES_SHOWN], earlier, later)
