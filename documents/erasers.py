"""What of a tenant's documents goes with a wipe, and what forbids one."""

import uuid
from collections.abc import Iterator
from typing import ClassVar
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Max, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_noop as _

from documents.models import Document
from documents.retention import last_day
from documents.search.engine import get_search
from documents.vault import get_vault
from jobs.batches import batched
from jobs.wording import Wording
from tenants.erasure import BATCH, Amount, Obstacle, Wipe, eraser, obstacle, register_eraser
from tenants.erasure_rows import TableRows
from tenants.models import Tenant, WipePhase


@eraser(WipePhase.FILES)
class VaultFiles:
    """Whatever lies under the tenant's prefix in the vault, known to a row or not."""

    labels: ClassVar = {"originals": _("files: originals"), "assets": _("files: assets")}

    def count(self, tenant_id: uuid.UUID, *, spare_job: int) -> Iterator[Amount]:
        """See `Eraser.count`. By listing."""
        found = {"originals": [0, 0], "assets": [0, 0]}
        for file in get_vault().list(f"{tenant_id}/"):
            tally = found["assets" if file.path.split("/")[1] == "assets" else "originals"]
            tally[0] += 1
            tally[1] += file.size
        for kind, (files, size) in found.items():
            yield Amount(kind, self.labels[kind], files, size)

    def erase(self, wipe: Wipe) -> int:
        """See `Eraser.erase`. Names are listed first, then the lease is proved, then those very files go."""
        vault, removed, prefix = get_vault(), 0, f"{wipe.tenant_id}/"
        for files in batched(vault.list(prefix), BATCH):
            with wipe.batch() as tally:
                tally.add(len(files))
            removed += vault.remove_all(file.path for file in files)
        vault.settle(prefix)
        return removed


@eraser(WipePhase.INDEX)
class SearchIndex:
    """The tenant's entries in whichever engine serves the search; those in the database are counted there."""

    labels: ClassVar[dict[str, str]] = {}

    def count(self, tenant_id: uuid.UUID, *, spare_job: int) -> tuple[Amount, ...]:
        """See `Eraser.count`."""
        return ()

    def erase(self, wipe: Wipe) -> int:
        """See `Eraser.erase`."""
        erased = 0
        while True:
            with wipe.batch() as tally:
                batch = get_search().wipe(tenant_id=wipe.tenant_id, limit=BATCH)
                tally.add(batch)
            if not batch:
                return erased
            erased += batch


# Also where another engine serves: entries from before it did.
register_eraser(
    WipePhase.INDEX, TableRows("documents_searchentry", _("entries of the search index"), key="document_id")
)
register_eraser(
    WipePhase.INDEX, TableRows("documents_indexedcopy", _("copies in the search index"), key="document_id")
)
# Children first: each batch commits with its foreign keys whole.
for _rows in (
    TableRows("documents_filefacts", _("facts of files"), key="version_id"),
    TableRows("documents_workflowrun", _("runs of workflows"), key="document_id"),
    TableRows("documents_workflow", _("workflows"), key="id"),
    TableRows("documents_note", _("notes"), key="document_id"),
    TableRows("documents_filing", _("filings"), key="document_id"),
    TableRows("documents_learneddocument", _("learned documents"), key="document_id"),
    TableRows("documents_wordcount", _("counts of words"), key="word"),
    TableRows("documents_matchingrule", _("rules"), key="label_id"),
    TableRows("documents_label", _("tags, correspondents and document types"), key="id"),
    TableRows("documents_filingsettings", _("settings of filing"), key="id"),
    TableRows("documents_pagecheckpoint", _("kept pages"), key="job_id"),
    TableRows("documents_stepresult", _("results of steps"), key="version_id"),
    TableRows("documents_pagetext", _("texts of pages"), key="version_id"),
    TableRows("documents_asset", _("assets"), key="version_id"),
    TableRows("documents_mailattachment", "attachments of mails", key="id"),
    TableRows("documents_documentversion", _("versions"), key="id"),
    TableRows("documents_document", _("documents"), key="id"),
    TableRows("documents_tenantindex", _("indexes of tenants"), key="tenant_id"),
    TableRows("documents_namingsettings", _("naming settings"), key="id"),
    TableRows("documents_retentionclass", _("retention classes"), key="id"),
    TableRows("documents_vaultcheck", _("checks of the vault"), key="id"),
    TableRows("documents_vaultfinding", _("findings of these checks"), key="path"),
):
    register_eraser(WipePhase.ROWS, _rows)


@obstacle
def find_holds(tenant_id: uuid.UUID) -> Iterator[Obstacle]:
    """Name the documents under legal hold: nothing but lifting it lets them go."""
    held = Document.objects.filter(tenant_id=tenant_id, legal_hold=True).count()
    if held:
        template = (
            _("1 document is under legal hold: it must be lifted first.")
            if held == 1
            else _("%(count)d documents are under legal hold: it must be lifted first.")
        )
        yield Obstacle("legal_hold", held, Wording(template, {"count": held}))


@obstacle
def find_retained(tenant_id: uuid.UUID) -> Iterator[Obstacle]:
    """Name the documents whose retention has not ended, unless they were stored before it was released."""
    tenant = Tenant.objects.get(id=tenant_id)
    retained = Q(retain_until__gt=Now())
    if tenant.retention_released_at is not None:
        retained &= Q(created_at__gt=tenant.retention_released_at)
    rows = Document.objects.filter(retained, tenant_id=tenant_id)
    found = rows.aggregate(documents=Count("id"), last=Max(F("retain_until")))
    if found["documents"]:
        last = last_day(found["last"], ZoneInfo(tenant.timezone))
        count = found["documents"]
        template = (
            _(
                "1 document is to be kept, the last until %(last)s: wait, or, once the papers were handed"
                " over, release their retention with `release_retention`."
            )
            if count == 1
            else _(
                "%(count)d documents are to be kept, the last until %(last)s: wait, or, once the papers were"
                " handed over, release their retention with `release_retention`."
            )
        )
        yield Obstacle("retention", count, Wording(template, {"count": count, "last": last}))
