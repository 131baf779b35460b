"""Keeping vault and database in step: what a killed process left behind goes, what is missing is named.

Runs in an operator's scope, in short transactions, beside everything else; removes nothing that is younger
than a day, because the row of a younger file may not have been committed yet.
"""

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from django.db.models import Q, QuerySet

from documents.models import Asset, DocumentVersion
from documents.vault import STAGING, Vault, VaultFile, get_vault
from jobs.batches import batched
from tenants.models import TenantStatus
from tenants.scope import operator_scope

_Row = TypeVar("_Row", DocumentVersion, Asset)

OLDER_THAN = timedelta(hours=24)
_BATCH = 500
#: Paths that are named; all are counted.
_NAMED = 1000

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ORIGINAL = re.compile(rf"({_UUID})/[0-9a-f]{{2}}/[0-9a-f]{{64}}-({_UUID})")
_ASSET = re.compile(rf"({_UUID})/assets/({_UUID})/([a-z0-9-]+)-([0-9]+)")


@dataclass
class Listing:
    """Paths of one sort: how many, their bytes, and the first thousand by name."""

    count: int = 0
    size: int = 0
    paths: list[str] = field(default_factory=list)

    def add(self, path: str, size: int) -> None:
        """Count one more."""
        self.count += 1
        self.size += size
        if len(self.paths) < _NAMED:
            self.paths.append(path)


@dataclass(frozen=True)
class SweepReport:
    """What a sweep found. Orphans and leftovers are gone, unless it was told to leave them."""

    files: int
    #: Files of no row.
    orphans: Listing
    #: Uploads that never ended.
    leftovers: Listing
    #: Files that are not archiv's own; never removed.
    strangers: Listing
    #: Rows whose file is not there, or has another size.
    missing: Listing

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        return self.missing.count == 0


def sweep_vault(*, older_than: timedelta = OLDER_THAN, remove: bool = True) -> SweepReport:
    """Remove what no committed row knows and what was never placed, if older; name what is missing."""
    vault = get_vault()
    before = datetime.now(UTC) - older_than
    orphans, leftovers, strangers, missing = Listing(), Listing(), Listing(), Listing()
    for file in vault.list(f"{STAGING}/"):
        if file.changed < before:
            _drop(vault, file, leftovers, remove=remove)
    files = 0
    for batch in batched(vault.list(""), _BATCH):
        files += len(batch)
        for file in _find_unknown(batch, strangers):
            if file.changed < before:
                _drop(vault, file, orphans, remove=remove)
    for path, size in _find_missing(vault):
        missing.add(path, size)
    return SweepReport(files, orphans, leftovers, strangers, missing)


def _drop(vault: Vault, file: VaultFile, listing: Listing, *, remove: bool) -> None:
    if not remove or vault.remove(file.path):
        listing.add(file.path, file.size)


def _find_unknown(files: Sequence[VaultFile], strangers: Listing) -> list[VaultFile]:
    """Return the files that no committed row knows."""
    versions: dict[uuid.UUID, VaultFile] = {}
    assets: dict[tuple[uuid.UUID, str, int], VaultFile] = {}
    for file in files:
        if found := _ORIGINAL.fullmatch(file.path):
            versions[uuid.UUID(found[2])] = file
        elif found := _ASSET.fullmatch(file.path):
            assets[uuid.UUID(found[2]), found[3], int(found[4])] = file
        else:
            strangers.add(file.path, file.size)
    with operator_scope():
        known = {version.vault_path for version in DocumentVersion.objects.filter(pk__in=versions)}
        of_versions = Asset.objects.filter(version_id__in={version_id for version_id, _, _ in assets})
        known |= {asset.vault_path for asset in of_versions}
    return [file for file in (*versions.values(), *assets.values()) if file.path not in known]


def _find_missing(vault: Vault) -> Iterator[tuple[str, int]]:
    """Yield path and size of the rows whose file is not there as they say."""
    # What is being purged or wiped loses its files before its rows.
    versions = DocumentVersion.objects.filter(document__purging_at=None)
    assets = Asset.objects.filter(version__document__purging_at=None)
    wiped = Q(tenant__status=TenantStatus.DELETING)
    yield from _find_missing_of(versions.exclude(wiped).order_by("pk"), vault)
    yield from _find_missing_of(assets.exclude(wiped).order_by("pk"), vault)


def _find_missing_of(rows: QuerySet[_Row], vault: Vault) -> Iterator[tuple[str, int]]:
    last = uuid.UUID(int=0)
    while True:
        with operator_scope():
            batch = list(rows.filter(pk__gt=last)[:_BATCH])
        if not batch:
            return
        last = batch[-1].pk
        suspects = [row.pk for row in batch if not _is_there(vault, row)]
        if suspects:  # looked at again: a purge or a newer thumbnail may have come between
            with operator_scope():
                again = list(rows.filter(pk__in=suspects))
            yield from ((row.vault_path, row.size) for row in again if not _is_there(vault, row))


def _is_there(vault: Vault, row: DocumentVersion | Asset) -> bool:
    file = vault.describe(row.vault_path)
    return file is not None and file.size == row.size
