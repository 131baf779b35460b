"""Looking at every file of a tenant in the vault: is it there, whole, and the one that was stored?

Runs beside everything else. Nothing is said of a file before it was looked at twice, the second time with
what was under way when it was seen first ended: an upload, a purge, a newer thumbnail are no alarm.
"""

import hashlib
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from documents.errors import FileMissing, VaultError
from documents.models import Asset, DocumentVersion, FileProblem
from documents.vault import Vault, VaultFile, get_vault
from jobs.batches import batched
from jobs.models import Job
from tenants.models import Tenant, TenantStatus
from tenants.scope import operator_scope, tenant_scope

MOST_SHARES = 256
_BATCH = 200
_CHUNK = 1 << 20
#: Problems that are named; all are counted.
_NAMED = 10_000

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ORIGINAL = re.compile(rf"{_UUID}/([0-9a-f]{{2}})/\1[0-9a-f]{{62}}-({_UUID})")
_ASSET = re.compile(rf"{_UUID}/assets/({_UUID})/([a-z0-9-]+)-([0-9]{{1,18}})")
_FOLDER = re.compile(rf"{_UUID}/[0-9a-f]{{2}}/.*", re.DOTALL)


@dataclass(frozen=True)
class Share:
    """Share `number` (from 0) of `of` shares of a tenant's originals, by the beginning of their hashes."""

    number: int = 0
    of: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.of <= MOST_SHARES or not 0 <= self.number < self.of:
            raise ValueError(
                f"There are 1 to {MOST_SHARES} shares, counted from 0: not {self.number}/{self.of}."
            )

    @property
    def beginnings(self) -> list[str]:
        """The first two digits of the hashes in this share."""
        return [f"{number:02x}" for number in self._range]

    @property
    def _range(self) -> range:
        return range(256 * self.number // self.of, 256 * (self.number + 1) // self.of)

    def covers(self, path: str) -> bool:
        """Whether this share looks at a path: what is no original belongs to the first one."""
        if not _FOLDER.fullmatch(path):
            return self.number == 0
        return int(path.split("/")[1], 16) in self._range


@dataclass
class Verified:
    """What one look found: files and bytes looked at, and what is wrong, by path."""

    share: Share
    started_at: datetime
    files: int = 0
    size: int = 0
    problems: dict[str, FileProblem] = field(default_factory=dict)
    #: Problems beyond those that are named.
    more: int = 0

    def add(self, path: str, problem: FileProblem) -> None:
        """Note one file with which something is wrong."""
        if len(self.problems) < _NAMED:
            self.problems[path] = problem
        else:
            self.more += 1


Progress = Callable[[int, int], None]
#: Is given assets whose hash was not known, with the one that their file has now.
KeepHashes = Callable[[Sequence[Asset]], None]


def tell_nobody(done: int, of: int) -> None:
    """Show no progress."""


def verify_files(
    *,
    tenant_id: uuid.UUID,
    share: Share,
    keep_hashes: KeepHashes,
    progress: Progress = tell_nobody,
) -> Verified | None:
    """Look at the files of one share; None if the tenant is gone or being wiped. Changes nothing itself.

    `progress` is told how many of the share's beginnings are done; what it raises ends the look.
    """
    with tenant_scope(tenant_id):
        started = _find_tenant(tenant_id).values_list(Now(), flat=True).first()
    if started is None:
        return None
    look = _Look(tenant_id, Verified(share, started), keep_hashes)
    look.at_originals(progress)
    beginnings = share.beginnings
    look.for_strays(file for each in beginnings for file in look.vault.list(f"{tenant_id}/{each}/"))
    if share.number == 0:
        elsewhere = (file for file in look.vault.list(f"{tenant_id}/") if not _FOLDER.fullmatch(file.path))
        look.for_strays(elsewhere)
    progress(len(beginnings), len(beginnings))
    return look.verified


def find_homeless_files() -> Iterator[VaultFile]:
    """Yield the files of the vault that lie under no tenant there is; the sweep takes the old ones."""
    for batch in batched(get_vault().list(""), _BATCH):
        owners = {file.path: _owner(file.path) for file in batch}
        with operator_scope():
            known = set(
                Tenant.objects.filter(pk__in=filter(None, owners.values())).values_list("pk", flat=True)
            )
        yield from (file for file in batch if owners[file.path] not in known)


def _owner(path: str) -> uuid.UUID | None:
    prefix = path.partition("/")[0]
    return uuid.UUID(prefix) if re.fullmatch(_UUID, prefix) else None


class _Look:
    """One look at the files of one tenant."""

    def __init__(self, tenant_id: uuid.UUID, verified: Verified, keep_hashes: KeepHashes) -> None:
        self.vault: Vault = get_vault()
        self.verified = verified
        self._keep_hashes = keep_hashes
        self._tenant_id = tenant_id

    def at_originals(self, progress: Progress) -> None:
        """Hash the originals of the share, and look at what was made from them."""
        beginnings = self.verified.share.beginnings
        last, end = beginnings[0], f"{beginnings[-1]}g"  # g comes after all digits
        while True:
            progress(beginnings.index(last[:2]), len(beginnings))
            with tenant_scope(self._tenant_id):
                rows = self._versions().filter(content_hash__gt=last, content_hash__lt=end)
                versions = list(rows.order_by("content_hash")[:_BATCH])
                ids = [version.pk for version in versions]
                assets = list(self._assets().filter(version_id__in=ids))
            if not versions:
                return
            last = versions[-1].content_hash
            suspects = [version.pk for version in versions if self._judge_original(version)]
            without_hash = [asset for asset in assets if not asset.content_hash]
            suspects += [asset.pk for asset in assets if self._judge_asset(asset)]
            if learnt := [asset for asset in without_hash if asset.content_hash]:
                self._keep_hashes(learnt)
            self.verified.files += len(versions) + len(assets)
            self.verified.size += sum(version.size for version in versions)
            self.verified.size += sum(asset.size for asset in assets)
            self._look_again(suspects)

    def for_strays(self, files: Iterable[VaultFile]) -> None:
        """Note the files that no row knows."""
        for batch in batched(files, _BATCH):
            with tenant_scope(self._tenant_id):
                unknown = self._unknown(batch)
            if not unknown:
                continue
            with tenant_scope(self._tenant_id), connection.cursor() as cursor:
                # An upload holds the tenant until its rows are committed: behind it, they can be seen.
                cursor.execute(
                    "SELECT status FROM tenants_tenant WHERE id = %s FOR NO KEY UPDATE", [self._tenant_id]
                )
                row = cursor.fetchone()
                still = self._unknown(unknown)
            if row is None or row[0] == TenantStatus.DELETING:
                return
            for file in still:
                if self.vault.describe(file.path) is not None:
                    self.verified.add(file.path, FileProblem.STRAY)

    def _look_again(self, suspects: Sequence[uuid.UUID]) -> None:
        """Judge again what seemed wrong, as it is known now: it may have been purged or made anew."""
        if not suspects:
            return
        with tenant_scope(self._tenant_id):
            if not _find_tenant(self._tenant_id).exists():
                return
            versions = list(self._versions().filter(pk__in=suspects))
            assets = list(self._assets().filter(pk__in=suspects))
        for version in versions:
            if problem := self._judge_original(version):
                self._note(version, problem)
        for asset in assets:
            if problem := self._judge_asset(asset):
                self._note(asset, problem)

    def _note(self, row: DocumentVersion | Asset, problem: FileProblem) -> None:
        """Note a problem, unless what was judged has gone meanwhile."""
        with tenant_scope(self._tenant_id):
            rows = self._versions() if isinstance(row, DocumentVersion) else self._assets()
            now = rows.filter(pk=row.pk).first()
        if now is not None and now.vault_path == row.vault_path:
            self.verified.add(row.vault_path, problem)

    def _judge_original(self, version: DocumentVersion) -> FileProblem | None:
        file = self.vault.describe(version.vault_path)
        if file is None:
            return FileProblem.MISSING
        try:
            digest = _hash(self.vault, version.vault_path)
        except FileMissing:
            return FileProblem.MISSING
        except (VaultError, OSError):
            return FileProblem.UNREADABLE
        if digest != version.content_hash:
            with tenant_scope(self._tenant_id):
                if DocumentVersion.objects.filter(tenant_id=self._tenant_id, content_hash=digest).exists():
                    return FileProblem.SWAPPED
            return FileProblem.CUT if file.size < version.size else FileProblem.CHANGED
        return None if file.intact else FileProblem.MODE

    def _judge_asset(self, asset: Asset) -> FileProblem | None:
        """Judge an asset; one whose hash is not known yet is given that of its file, if it is as long."""
        file = self.vault.describe(asset.vault_path)
        if file is None:
            return FileProblem.MISSING
        if file.size != asset.size:
            return FileProblem.CUT if file.size < asset.size else FileProblem.CHANGED
        try:
            digest = _hash(self.vault, asset.vault_path)
        except FileMissing:
            return FileProblem.MISSING
        except (VaultError, OSError):
            return FileProblem.UNREADABLE
        asset.content_hash = asset.content_hash or digest
        if digest != asset.content_hash:
            return FileProblem.CHANGED
        return None if file.intact else FileProblem.MODE

    def _versions(self) -> QuerySet[DocumentVersion]:
        return DocumentVersion.objects.filter(tenant_id=self._tenant_id, document__purging_at=None)

    def _assets(self) -> QuerySet[Asset]:
        return Asset.objects.filter(tenant_id=self._tenant_id, version__document__purging_at=None)

    def _unknown(self, files: Sequence[VaultFile]) -> list[VaultFile]:
        """Return the files that neither a row nor a job explains. Needs the tenant's scope.

        A thumbnail of an earlier job, or of one that has not ended, is no stray: the sweep takes it, or a row
        will know it.
        """
        originals: dict[uuid.UUID, VaultFile] = {}
        assets: dict[int, list[tuple[uuid.UUID, VaultFile]]] = {}
        unknown = []
        for file in files:
            if found := _ORIGINAL.fullmatch(file.path):
                originals[uuid.UUID(found[2])] = file
            elif found := _ASSET.fullmatch(file.path):
                assets.setdefault(int(found[3]), []).append((uuid.UUID(found[1]), file))
            else:
                unknown.append(file)
        known = {
            version.vault_path
            for version in DocumentVersion.objects.filter(tenant_id=self._tenant_id, pk__in=originals)
        }
        unknown += [file for file in originals.values() if file.path not in known]
        if assets:
            unknown += self._unknown_assets(assets)
        return unknown

    def _unknown_assets(self, assets: dict[int, list[tuple[uuid.UUID, VaultFile]]]) -> Iterator[VaultFile]:
        files = [pair for pairs in assets.values() for pair in pairs]
        versions = DocumentVersion.objects.filter(
            tenant_id=self._tenant_id, pk__in={version_id for version_id, _ in files}
        )
        documents = dict(versions.values_list("pk", "document_id"))
        jobs = dict(
            Job.objects.filter(tenant_id=self._tenant_id, pk__in=assets).values_list("pk", "document_id")
        )
        rows = Asset.objects.filter(tenant_id=self._tenant_id, version_id__in=documents)
        known = {asset.vault_path for asset in rows}
        for job_id, pairs in assets.items():
            for version_id, file in pairs:
                made_by_its_job = version_id in documents and jobs.get(job_id) == documents[version_id]
                if file.path not in known and not made_by_its_job:
                    yield file


def _find_tenant(tenant_id: uuid.UUID) -> QuerySet[Tenant]:
    return Tenant.objects.filter(pk=tenant_id).exclude(status=TenantStatus.DELETING)


def _hash(vault: Vault, path: str) -> str:
    digest = hashlib.sha256()
    with vault.open(path) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
