"""How a tenant wants its papers dated, named and made searchable: read, set, tried on what is there."""

import uuid
from dataclasses import dataclass, replace

from documents.dates import ORDERS
from documents.errors import BadNamingSettings
from documents.filing import FilingState, LabelKind, SetBy
from documents.models import Document, Filing, NamingSettings, PageText
from documents.pipeline import Findings, Page, Reading, Subject, Work
from documents.pipeline.steps import title
from documents.selectors import find_newest_versions
from documents.services.changes import lock_active_tenant
from documents.services.facts import with_kept_facts
from documents.title_templates import check_template, render_title
from tenants.access import Access, requires
from tenants.audit import record
from tenants.models import Tenant
from tenants.scope import tenant_scope

#: Documents on which a template is tried.
PREVIEWED = 10
#: Pages of each that a title is looked for in.
_PAGES = 3


@dataclass(frozen=True)
class Naming:
    """What a tenant wishes; the defaults are those of a tenant that wishes nothing."""

    title_template: str = ""
    date_order: str = "DMY"
    filename_order: str = ""
    searchable_pdfs: bool = False


@dataclass(frozen=True)
class PreviewedTitle:
    """What a template makes of one document; one whose title a person or a workflow has set keeps it."""

    document_id: uuid.UUID
    title: str
    becomes: str


def get_naming(tenant_id: uuid.UUID) -> Naming:
    """Return what a tenant wishes. Needs its scope."""
    row = NamingSettings.objects.filter(tenant_id=tenant_id).first()
    if row is None:
        return Naming()
    return Naming(row.title_template, row.date_order, row.filename_order, row.searchable_pdfs)


@requires("tenants:write")
def set_naming(
    *,
    access: Access,
    title_template: str | None = None,
    date_order: str | None = None,
    filename_order: str | None = None,
    searchable_pdfs: bool | None = None,
) -> Naming:
    """Change what is given of a tenant's wishes; returns all of them.

    It holds for what is analysed from then on; what is there is done again by `reanalyze_documents`. Raises
    `BadTitleTemplate`, `BadNamingSettings`, `TenantNotActive`, `TenantNotFound`.
    """
    values: dict[str, str | bool] = {}
    if title_template is not None:
        values["title_template"] = check_template(title_template)
    if date_order is not None:
        values["date_order"] = _check_order(date_order)
    if filename_order is not None:
        values["filename_order"] = _check_order(filename_order) if filename_order else ""
    if searchable_pdfs is not None:
        values["searchable_pdfs"] = searchable_pdfs
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        before = get_naming(access.tenant_id)
        NamingSettings.objects.update_or_create(tenant_id=access.tenant_id, defaults=values)
        after = get_naming(access.tenant_id)
        if after != before:
            # The words of a template are the tenant's; that it changed is on record.
            record(
                "naming.changed",
                tenant_id=access.tenant_id,
                object_type="tenant",
                object_id=access.tenant_id,
                details={
                    "title_template": after.title_template != before.title_template,
                    "date_order": after.date_order,
                    "filename_order": after.filename_order,
                    "searchable_pdfs": after.searchable_pdfs,
                },
            )
    return after


@requires("documents:read")
def preview_titles(*, access: Access, template: str) -> list[PreviewedTitle]:
    """Return what a template would make of the titles of the newest documents; nothing is changed.

    Raises `BadTitleTemplate`.
    """
    checked = check_template(template)
    with tenant_scope(access.tenant_id):
        languages = tuple(Tenant.objects.get(pk=access.tenant_id).languages)
        rows = Document.objects.filter(tenant_id=access.tenant_id, trashed_at=None, purging_at=None)
        documents = list(rows.order_by("-created_at", "-id")[:PREVIEWED])
        versions = find_newest_versions(access.tenant_id, [document.pk for document in documents])
        found = []
        for document in documents:
            version = versions.get(document.pk)
            if version is None:
                continue
            subject = Subject(
                tenant_id=access.tenant_id,
                document_id=document.pk,
                version_id=version.pk,
                filename=version.filename,
                media_type=version.media_type,
                size=version.size,
                languages=languages,
                today=document.created_at.date(),
            )
            work = Work(subject, _read_before(access.tenant_id, version.pk))
            title.run(work)
            becomes = document.title
            if not document.title_manually_set:
                template = document.workflow_title or checked
                becomes = name_document(document, work.findings, template=template)
            found.append(PreviewedTitle(document.pk, document.title, becomes))
    return found


def name_document(document: Document, findings: Findings, *, template: str) -> str:
    """Return the title of a document by a template, or as it was found. Needs the scope.

    A correspondent or type that a person has chosen counts, then what a workflow has, then what rules and
    former filing say now, then what the document is filed under, then what its own words say.
    """
    parts = findings.title_parts
    if not template or parts is None:
        return findings.title or document.title
    filed = Filing.objects.filter(
        tenant_id=document.tenant_id, document_id=document.pk, state=FilingState.FILED.value
    ).exclude(kind=LabelKind.TAG.value)
    stated: dict[str, str] = {}
    proposed = {
        LabelKind.CORRESPONDENT.value: findings.correspondent,
        LabelKind.DOCUMENT_TYPE.value: findings.document_type,
    }
    by_workflow_now = set(findings.effects.added.values()) if findings.effects is not None else set()
    for kind, name, set_by in filed.values_list("kind", "label__name", "set_by"):
        stands = set_by == SetBy.PERSON or (
            set_by == SetBy.WORKFLOW and LabelKind(kind) not in by_workflow_now
        )
        stated[kind] = name if stands else proposed[kind] or name
    named = proposed | stated
    parts = replace(
        parts,
        correspondent=named[LabelKind.CORRESPONDENT.value] or parts.correspondent,
        type=named[LabelKind.DOCUMENT_TYPE.value] or parts.type,
    )
    return render_title(template, parts, issued=document.issued_at)


def _read_before(tenant_id: uuid.UUID, version_id: uuid.UUID) -> Reading:
    texts = PageText.objects.filter(tenant_id=tenant_id, version_id=version_id, page__lte=_PAGES)
    pages = tuple(Page(row.page, row.text, row.source, row.confidence) for row in texts.order_by("page"))
    return with_kept_facts(Reading(pages=pages), tenant_id=tenant_id, version_id=version_id)


def _check_order(order: str) -> str:
    if order not in ORDERS:
        raise BadNamingSettings(f"There is no order of dates {order!r}: one of {', '.join(ORDERS)}.")
    return order
