"""Looking at the vault: every kind of damage is found, and nothing else is an alarm."""

import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db.models.functions import Now

from documents.errors import FileDamaged
from documents.models import Document, DocumentVersion, VaultCheck, VaultFinding
from documents.services import StoredDocument
from documents.services.download import open_original
from documents.services.vault_checks import check_tenant, enqueue_check
from documents.services.verify import Share, Verified, verify_files
from documents.vault import LocalVault
from jobs.models import Job
from tenants.access import operator_access
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store, claim, end, run_attempt
from tests.documents.test_commands import run, run_failing
from tests.documents.test_purge import work_off
from tests.documents.test_sweep import put
from tests.factories import AssetFactory, JobFactory, TenantFactory

CONTENT = b"an honest paper"


def look(tenant: Tenant, share: Share | None = None) -> dict[str, str]:
    verified = verify_files(tenant_id=tenant.id, share=share or Share(), keep_hashes=lambda assets: None)
    assert verified is not None
    return {path: str(problem) for path, problem in verified.problems.items()}


def version_of(stored: StoredDocument) -> DocumentVersion:
    with operator_scope():
        return DocumentVersion.objects.get(pk=stored.version_id)


def file_of(vault: LocalVault, stored: StoredDocument) -> Path:
    return vault.root / version_of(stored).vault_path


@contextmanager
def writable(path: Path) -> Iterator[Path]:
    path.chmod(0o640)
    yield path
    if path.exists():
        path.chmod(0o440)


def flip_a_bit(path: Path, other: Path) -> None:
    with writable(path):
        content = bytearray(path.read_bytes())
        content[3] ^= 0x10
        path.write_bytes(content)


def cut(path: Path, other: Path) -> None:
    with writable(path):
        path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path, other: Path) -> None:
    with writable(path):
        path.write_bytes(path.read_bytes() + b"x")


def remove(path: Path, other: Path) -> None:
    path.unlink()


def open_to_all(path: Path, other: Path) -> None:
    path.chmod(0o666)


def replace_by_a_link(path: Path, other: Path) -> None:
    path.unlink()
    path.symlink_to(other)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (flip_a_bit, "changed"),
        (cut, "cut"),
        (lengthen, "changed"),
        (remove, "missing"),
        (open_to_all, "mode"),
        (replace_by_a_link, "unreadable"),
    ],
)
def test_a_damaged_original_is_found_and_told_apart(
    store: Store,
    tenant: Tenant,
    vault: LocalVault,
    damage: Callable[[Path, Path], None],
    problem: str,
) -> None:
    hurt, whole = store(CONTENT), store(b"another")
    assert look(tenant) == {}
    damage(file_of(vault, hurt), file_of(vault, whole))
    assert look(tenant) == {version_of(hurt).vault_path: problem}


def test_two_files_that_were_swapped_are_both_named(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    one, two = store(b"the first"), store(b"the second, longer")
    first, second = file_of(vault, one), file_of(vault, two)
    first.rename(vault.root / "between")
    second.rename(first)
    (vault.root / "between").rename(second)
    assert look(tenant) == {version_of(stored).vault_path: "swapped" for stored in (one, two)}


@pytest.mark.parametrize(
    "place",
    [
        "{tenant}/ab/" + "ab" * 32 + "-" + "3f2b1c9a-0000-4000-8000-000000000007",  # like an original
        "{tenant}/ab/notes.txt",
        "{tenant}/notes.txt",
        "{tenant}/assets/" + "3f2b1c9a-0000-4000-8000-000000000007" + "/thumbnail-1",
        "{tenant}/assets/{version}/thumbnail-999999",  # of a job that there never was
    ],
)
def test_a_file_that_no_row_knows_is_a_stray(
    store: Store, tenant: Tenant, vault: LocalVault, place: str
) -> None:
    stored = store(CONTENT)
    path = put(vault, place.format(tenant=tenant.id, version=stored.version_id))
    assert look(tenant) == {path: "stray"}


def test_an_asset_is_looked_at_by_size_and_permissions(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    version = version_of(store(CONTENT))
    with tenant_scope(tenant.id):
        asset = AssetFactory.create(tenant_id=tenant.id, version=version, size=1)
    assert look(tenant) == {asset.vault_path: "missing"}
    put(vault, asset.vault_path)
    assert look(tenant) == {}
    (vault.root / asset.vault_path).chmod(0o600)
    assert look(tenant) == {asset.vault_path: "mode"}


def test_a_changed_asset_of_the_same_length_is_found(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    version = version_of(store(CONTENT))
    with tenant_scope(tenant.id):
        asset = AssetFactory.create(
            tenant_id=tenant.id, version=version, size=7, content_hash=hashlib.sha256(b"picture").hexdigest()
        )
    put(vault, asset.vault_path, b"picture")
    assert look(tenant) == {}
    flip_a_bit(vault.root / asset.vault_path, vault.root)
    assert look(tenant) == {asset.vault_path: "changed"}


def test_a_check_learns_the_hash_of_an_asset_that_was_made_without_one(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    version = version_of(store(CONTENT))
    with tenant_scope(tenant.id):
        asset = AssetFactory.create(tenant_id=tenant.id, version=version, size=7)
        job_id = enqueue_check(access=operator_access(tenant.id))
    put(vault, asset.vault_path, b"picture")
    with operator_scope():
        work_off(Job.objects.get(pk=job_id))
    with tenant_scope(tenant.id):
        asset.refresh_from_db()
    assert asset.content_hash == hashlib.sha256(b"picture").hexdigest()
    flip_a_bit(vault.root / asset.vault_path, vault.root)
    verified = check_tenant(access=operator_access(tenant.id), share=Share())
    assert verified is not None
    assert verified.problems == {asset.vault_path: "changed"}


def test_thumbnails_of_jobs_of_the_document_are_no_strays(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    stored = store(CONTENT)
    with tenant_scope(tenant.id):
        job = JobFactory.create(tenant_id=tenant.id, document_id=stored.document_id)
    put(vault, f"{tenant.id}/assets/{stored.version_id}/thumbnail-{job.pk}")
    assert look(tenant) == {}


def test_what_is_being_purged_or_wiped_is_no_alarm(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    stored = store(CONTENT)
    file_of(vault, stored).unlink()
    with tenant_scope(tenant.id):
        Document.objects.update(purging_at=Now())
    assert look(tenant) == {}
    with tenant_scope(tenant.id):
        Document.objects.update(purging_at=None)
        Tenant.objects.filter(pk=tenant.pk).update(status="deleting")
    assert verify_files(tenant_id=tenant.id, share=Share(), keep_hashes=lambda assets: None) is None


def test_shares_look_at_everything_once(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    stored = [store(f"paper {number}".encode()) for number in range(12)]
    for each in stored:
        file_of(vault, each).unlink()
    put(vault, f"{tenant.id}/notes.txt")
    seen = [path for number in range(5) for path in look(tenant, Share(number, 5))]
    paths = [version_of(each).vault_path for each in stored]
    assert sorted(seen) == sorted([*paths, f"{tenant.id}/notes.txt"])
    for share in (Share(number, 5) for number in range(5)):
        assert all(share.covers(path) for path in look(tenant, share))


@pytest.mark.parametrize(("number", "of"), [(0, 0), (0, 257), (3, 3), (-1, 3)])
def test_shares_that_cannot_be_are_refused(number: int, of: int) -> None:
    with pytest.raises(ValueError, match="There are 1 to 256 shares"):
        Share(number, of)


def check(tenant: Tenant, share: Share | None = None) -> Verified:
    verified = check_tenant(access=operator_access(tenant.id), share=share or Share())
    assert verified is not None
    return verified


def findings(tenant: Tenant) -> dict[str, tuple[str, bool]]:
    with tenant_scope(tenant.id):
        return {row.path: (row.problem, row.resolved_at is None) for row in VaultFinding.objects.all()}


def test_findings_are_kept_until_a_later_look_finds_the_file_well_again(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    stored = store(CONTENT)
    path, file = version_of(stored).vault_path, file_of(vault, stored)
    file.chmod(0o600)
    check(tenant)
    check(tenant)
    assert findings(tenant) == {path: ("mode", True)}
    file.chmod(0o440)
    elsewhere = 0 if int(path.split("/")[1], 16) >= 128 else 1
    check(tenant, Share(elsewhere, 2))
    assert findings(tenant) == {path: ("mode", True)}, "another share says nothing of it"
    check(tenant)
    assert findings(tenant) == {path: ("mode", False)}
    file.chmod(0o600)
    check(tenant)
    assert findings(tenant) == {path: ("mode", True)}
    with tenant_scope(tenant.id):
        newest = VaultCheck.objects.latest("id")
        assert (newest.files, newest.size, newest.problems) == (1, len(CONTENT), 1)
        trail = AuditEvent.objects.filter(action="vault.damage_found")
        assert [event.details for event in trail] == ['{"problem":"mode"}'] * 2, "once each time it was new"


def test_a_worker_looks_at_one_share_after_the_other(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    stored = store(CONTENT)
    file_of(vault, stored).unlink()
    shares = []
    for _ in range(3):
        job_id = enqueue_check(access=operator_access(tenant.id), shares=2)
        with operator_scope():
            job = Job.objects.get(pk=job_id)
        attempt = claim(job)
        report = run_attempt(attempt, None)  # type: ignore[arg-type]
        end(attempt, report)
        with operator_scope():
            job.refresh_from_db()
        assert (job.status, job.get_lane_display()) == ("succeeded", "bulk")
        shares.append(job.payload["share"])
    assert shares == [0, 1, 0]
    assert list(findings(tenant).values()) == [("missing", True)]


def test_a_damaged_original_is_never_handed_out_and_kept_as_a_finding(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    stored = store(CONTENT)
    access = operator_access(tenant.id)
    with open_original(access=access, document_id=stored.document_id).file as file:
        assert file.read() == CONTENT
    flip_a_bit(file_of(vault, stored), vault.root)
    with pytest.raises(FileDamaged):
        open_original(access=access, document_id=stored.document_id)
    assert list(findings(tenant).values()) == [("changed", True)]
    with tenant_scope(tenant.id):
        actions = AuditEvent.objects.filter(tenant_id=tenant.id).order_by("sequence")
        assert list(actions.values_list("action", flat=True)) == [
            "document.stored",
            "document.downloaded",
            "vault.damage_found",
            "document.download_refused",
        ]


def test_the_command_names_what_is_wrong_in_all_tenants(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    other = TenantFactory.create()
    hurt = store(CONTENT, tenant_id=other.id)
    store(CONTENT)
    homeless = put(vault, f"{uuid.uuid4()}/notes.txt")
    file_of(vault, hurt).unlink()
    out, error = run_failing("verify_archive")
    assert f"{tenant.name}: 1 files, {len(CONTENT)} bytes, all well." in out
    assert f"  missing: {version_of(hurt).vault_path}" in out
    assert f"no tenant: stray: {homeless}" in out
    assert error == "2 files of the vault are not as they should be."
    answer = json.loads(run("verify_archive", tenant.name, "--json"))
    assert (answer["files"], answer["problems"]) == (1, {})


def test_the_command_has_workers_look_at_the_next_share(tenant: Tenant, vault: LocalVault) -> None:
    suspended = TenantFactory.create(status="suspended")
    out = run("verify_archive", "--enqueue", "--shares", 30)
    assert f"{suspended.name}: left alone, it is suspended." in out
    with tenant_scope(tenant.id):
        assert Job.objects.get().payload == {"share": 0, "shares": 30}
