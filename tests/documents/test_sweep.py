"""The sweep: what goes, what stays, and what is missed."""

import uuid
from datetime import timedelta

import pytest

from documents.models import DocumentVersion
from documents.services.sweep import sweep_vault
from documents.vault import STAGING, LocalVault
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.factories import AssetFactory, TenantFactory

NOW = timedelta(0)


def put(vault: LocalVault, path: str, data: bytes = b"x") -> str:
    with vault.stage() as staged:
        staged.write(data)
        staged.seal()
        vault.place(staged, path)
    return path


def files(vault: LocalVault) -> set[str]:
    return {file.path for file in [*vault.list(""), *vault.list(f"{STAGING}/")]}


def original(tenant_id: uuid.UUID) -> str:
    return f"{tenant_id}/ab/{'ab' * 32}-{uuid.uuid4()}"


def test_originals_and_assets_with_a_row_stay(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    stored = store(b"paper")
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get()
        asset = AssetFactory.create(tenant=tenant, version=version, job_id=7, size=1)
    put(vault, asset.vault_path)
    report = sweep_vault(older_than=NOW)
    assert (report.files, report.orphans.count, report.missing.count) == (2, 0, 0)
    assert files(vault) == {version.vault_path, asset.vault_path}
    assert stored.version_id == version.id


def test_what_no_row_knows_goes(store: Store, tenant: Tenant, vault: LocalVault) -> None:
    store(b"paper")
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get()
        asset = AssetFactory.create(tenant=tenant, version=version, job_id=7, size=1)
    put(vault, asset.vault_path)
    gone = TenantFactory.build().id
    orphans = {
        put(vault, original(tenant.id)),
        put(vault, original(gone)),
        put(vault, f"{tenant.id}/assets/{version.id}/thumbnail-6"),  # of an earlier job
        put(vault, f"{gone}/assets/{uuid.uuid4()}/thumbnail-1"),
        # the name of a row under another hash, as after a swap
        put(vault, f"{tenant.id}/cd/{'cd' * 32}-{version.id}"),
    }
    report = sweep_vault(older_than=NOW)
    assert set(report.orphans.paths) == orphans
    assert report.orphans.size == 5
    assert files(vault) == {version.vault_path, asset.vault_path}


def test_young_files_and_uploads_under_way_stay(tenant: Tenant, vault: LocalVault) -> None:
    path = put(vault, original(tenant.id))
    with vault.stage() as staged:
        staged.write(b"half")
        report = sweep_vault(older_than=timedelta(hours=24))
        assert (report.orphans.count, report.leftovers.count) == (0, 0)
        assert len(files(vault)) == 2
        report = sweep_vault(older_than=NOW, remove=False)
        assert (report.orphans.count, report.leftovers.count) == (1, 1)
        assert len(files(vault)) == 2
        sweep_vault(older_than=NOW)
    assert files(vault) == set()
    assert not vault.remove(path)


def test_what_is_not_the_archives_own_is_named_and_stays(vault: LocalVault) -> None:
    put(vault, "notes/readme.txt")
    report = sweep_vault(older_than=NOW)
    assert report.strangers.paths == ["notes/readme.txt"]
    assert files(vault) == {"notes/readme.txt"}
    vault.remove("notes/readme.txt")


@pytest.mark.parametrize("damage", ["removed", "cut"])
def test_a_missing_or_cut_file_is_named(store: Store, tenant: Tenant, vault: LocalVault, damage: str) -> None:
    store(b"paper")
    with tenant_scope(tenant.id):
        path = DocumentVersion.objects.get().vault_path
    if damage == "removed":
        vault.remove(path)
    else:
        (vault.root / path).chmod(0o640)
        (vault.root / path).write_bytes(b"pap")
    report = sweep_vault()
    assert not report.is_whole
    assert (report.missing.paths, report.missing.size) == ([path], 5)
