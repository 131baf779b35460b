"""Exports: everything is in them, each byte can be verified, and one that was stopped goes on."""

import json
import shutil
import stat
import subprocess
import zipfile
from datetime import date
from pathlib import Path
from typing import BinaryIO

import pytest
from django.db.models.functions import Now

from documents.errors import ExportRefused
from documents.export import zipformat
from documents.export.verify import NoExport, verify_export
from documents.models import Document, DocumentVersion
from documents.services.export import Exported, export_tenant
from documents.vault import LocalVault
from tenants.access import operator_access
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.documents.test_commands import run, run_failing
from tests.factories import TenantFactory
from tests.filing_factories import FilingFactory, LabelFactory

KINDS = ["folder", "archive.zip"]


def export(tenant: Tenant, place: Path) -> Exported:
    return export_tenant(access=operator_access(tenant.id), place=place, progress=lambda done, of: None)


def wrong(place: Path) -> list[str]:
    return list(verify_export(place, progress=lambda done: None))


def read_all(place: Path) -> dict[str, bytes]:
    if place.is_dir():
        files = (path for path in place.rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def originals(place: Path) -> dict[str, bytes]:
    return {path: data for path, data in read_all(place).items() if path.startswith("originals/")}


@pytest.fixture
def papers(store: Store, tenant: Tenant) -> list[bytes]:
    """Three papers, one of them in the trash, and one of another tenant."""
    contents = [b"first", b"second", b"third"]
    names = ["Rechnung März.pdf", "../../etc/passwd", "zip.txt"]
    ids = [store(data, name).document_id for data, name in zip(contents, names, strict=True)]
    store(b"theirs", tenant_id=TenantFactory.create().id)
    with tenant_scope(tenant.id):
        Document.objects.filter(pk=ids[0]).update(issued_at=date(2019, 3, 1), title="Rechnung <März>\n& Co")
        Document.objects.filter(pk=ids[2]).update(trashed_at=Now())
        sender = ("correspondent", "X", "filed")
        for kind, name, state in (("tag", "Steuer", "filed"), ("tag", "Nein", "removed"), sender):
            label = LabelFactory.create(tenant_id=tenant.id, kind=kind, name=name)
            FilingFactory.create(
                tenant_id=tenant.id, document_id=ids[0], document=None, label=label, state=state
            )
    return contents


@pytest.mark.parametrize("kind", KINDS)
def test_every_original_is_there_with_what_is_known_of_it(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    place = tmp_path / kind
    exported = export(tenant, place)
    assert (exported.totals.documents, exported.totals.files, exported.totals.problems) == (3, 3, 0)
    files = read_all(place)
    assert sorted(originals(place).values()) == sorted(papers)
    documents = [json.loads(line) for line in files["documents.jsonl"].splitlines()]
    assert [document["day"] for document in documents] == sorted(document["day"] for document in documents)
    for document in documents:
        (version,) = document["versions"]
        assert len(files[version["path"]]) == version["size"]
    assert (documents[0]["title"], documents[0]["issued"]) == ("Rechnung <März>\n& Co", "2019-03-01")
    labels = [documents[0][name] for name in ("tags", "correspondent", "document_type")]
    assert labels == [["Steuer"], "X", None]
    assert [document["trashed"] for document in documents].count(True) == 1
    assert b"theirs" not in files.values()
    assert sorted(path.name for path in tmp_path.iterdir()) == [kind], "nothing is left beside it"


@pytest.mark.parametrize("kind", KINDS)
def test_sha256sum_accepts_the_list_of_hashes(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    place = tmp_path / kind
    exported = export(tenant, place)
    if place.suffix:
        with zipfile.ZipFile(place) as archive:
            archive.extractall(tmp_path / "unpacked")
        place = tmp_path / "unpacked"
    answer = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    listed = {line.split("  ", 1)[1] for line in (place / "SHA256SUMS").read_text().splitlines()}
    assert listed == set(read_all(place)) - {"SHA256SUMS"}
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.get(action="tenant.exported")
    assert json.loads(event.details)["sums"] == exported.sums_hash


@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_link_to_every_original_and_run_nothing(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    place = tmp_path / kind
    export(tenant, place)
    files = read_all(place)
    page = files["pages/00001.html"].decode()
    assert "Rechnung &lt;März&gt;" in page
    assert "<März>" not in page
    assert "in the trash" in page
    assert page.count('<a href="../originals/') == 3
    assert 'href="pages/00001.html"' in files["index.html"].decode()
    assert "default-src 'none'" in page


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stop_at", [1, 2, 3, 4, 6])
def test_an_export_that_was_stopped_goes_on(
    tenant: Tenant,
    papers: list[bytes],
    tmp_path: Path,
    kind: str,
    stop_at: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stopped at each original, and while the lists are written."""
    place, whole = tmp_path / kind, tmp_path / f"whole {kind}"
    count = 0

    def stopping(*arguments: object, **named: object) -> None:
        nonlocal count
        count += 1
        if count == stop_at:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("documents.services.export._BATCH", 1)
        patch.setattr("documents.export.targets._sync", stopping)
        patch.setattr("documents.export.targets.zipformat.local_header", header_after(stopping))
        with pytest.raises(KeyboardInterrupt):
            export(tenant, place)
    assert not (place.exists() and place.suffix), "a ZIP file has its name when it is complete"
    assert export(tenant, place).totals.files == 3
    assert wrong(place) == []
    export(tenant, whole)
    assert originals(place) == originals(whole)
    assert set(read_all(place)) == set(read_all(whole))


def header_after(call: object) -> object:
    original = zipformat.local_header

    def header(path: str, *, size: int, crc: int) -> bytes:
        assert callable(call)
        if crc == 0:
            call()
        return original(path, size=size, crc=crc)

    return header


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_exported_is_not_read_again_when_the_export_goes_on(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / kind
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("documents.services.export._Export.finish", stop)
        export(tenant, place)
    opened: list[str] = []
    original = LocalVault.open

    def noted(vault: LocalVault, path: str) -> BinaryIO:
        opened.append(path)
        return original(vault, path)

    monkeypatch.setattr(LocalVault, "open", noted)
    assert export(tenant, place).totals.files == 3
    assert opened == []


def stop(*arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place_in_code", ["export.published", "export.recorded"])
def test_an_export_that_was_stopped_when_it_had_its_name_is_cleared_up_and_on_record_once(
    tenant: Tenant,
    papers: list[bytes],
    tmp_path: Path,
    kind: str,
    place_in_code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopping(name: str) -> None:
        if name == place_in_code:
            raise KeyboardInterrupt

    place = tmp_path / kind
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("documents.services.export.failpoint", stopping)
        export(tenant, place)
    before = read_all(place) if place.suffix else originals(place)
    exported = export(tenant, place)
    assert exported.totals.files == 3
    assert (read_all(place) if place.suffix else originals(place)) == before
    left = {path.name for path in tmp_path.iterdir()} | {path.name for path in place.glob(".*")}
    assert left == {kind}, "nothing of the work is left"
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.get(tenant_id=tenant.id, action="tenant.exported")
    assert json.loads(event.details)["sums"] == exported.sums_hash
    with pytest.raises(ExportRefused, match="a complete export already"):
        export(tenant, place)


@pytest.mark.parametrize("kind", KINDS)
def test_a_work_folder_whose_journal_went_while_it_was_cleared_up_goes_too(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    place = tmp_path / kind
    export(tenant, place)
    work = place.with_name("archive.zip.partial") if place.suffix else place / ".export"
    work.mkdir()
    (work / "lock").touch()
    with pytest.raises(ExportRefused, match="a complete export already"):
        export(tenant, place)
    assert not work.exists()


def test_a_file_that_was_put_where_a_zip_file_was_to_be_is_not_written_over(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "archive.zip"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("documents.services.export._Export.finish", stop)
        export(tenant, place)
    place.write_bytes(b"mine")
    with pytest.raises(FileExistsError, match="another file was put here"):
        export(tenant, place)
    assert place.read_bytes() == b"mine"
    place.unlink()
    assert export(tenant, place).totals.files == 3


def test_papers_that_come_while_an_export_is_at_work_are_in_it(
    store: Store, tenant: Tenant, papers: list[bytes], tmp_path: Path
) -> None:
    late = iter([b"late"])

    def progress(done: int, of: int) -> None:
        for content in late:
            store(content)

    exported = export_tenant(access=operator_access(tenant.id), place=tmp_path / "x", progress=progress)
    assert exported.totals.files == 4
    assert b"late" in originals(tmp_path / "x").values()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_damaged_or_missing_is_named_and_left_out(
    tenant: Tenant, vault: LocalVault, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    with tenant_scope(tenant.id):
        first, second, _ = DocumentVersion.objects.order_by("document__created_at")
    hurt, lost = vault.root / first.vault_path, vault.root / second.vault_path
    hurt.chmod(0o640)
    hurt.write_bytes(b"FIRST")
    lost.unlink()
    place = tmp_path / kind
    out, error = run_failing("export_tenant", tenant.name, place)
    assert error == "2 files are missing or damaged."
    assert "1 originals" in out
    files = read_all(place)
    assert len(originals(place)) == 1
    assert b"FIRST" not in files.values()
    index = files["index.html"].decode()
    assert "damaged" in index
    assert "missing" in index
    assert wrong(place) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_byte_that_changes_in_an_export_is_found(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    place = tmp_path / kind
    export(tenant, place)
    assert run("export_tenant", tenant.name, place, "--verify") == "Every file is as it was exported.\n"
    if place.suffix:
        data = place.read_bytes()
        place.write_bytes(data.replace(b"second", b"sec0nd", 1))
    else:
        (path,) = (path for path in originals(place) if b"second" in (place / path).read_bytes())
        (place / path).write_bytes(b"sec0nd")
    out, error = run_failing("export_tenant", tenant.name, place, "--verify")
    assert out.startswith("originals/")
    assert error == "1 files are missing or damaged."


def test_files_of_an_export_are_for_nobody_else_to_read(
    tenant: Tenant, papers: list[bytes], tmp_path: Path
) -> None:
    export(tenant, tmp_path / "x")
    for path in (tmp_path / "x").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize("kind", KINDS)
def test_a_complete_export_is_not_written_over(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str
) -> None:
    export(tenant, tmp_path / kind)
    before = read_all(tmp_path / kind)
    with pytest.raises(ExportRefused, match="a complete export already"):
        export(tenant, tmp_path / kind)
    assert read_all(tmp_path / kind) == before


def test_a_folder_with_something_else_in_it_is_refused(tenant: Tenant, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "mine.txt").touch()
    with pytest.raises(ExportRefused, match="not empty"):
        export(tenant, tmp_path / "x")
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_of_another_tenant_is_not_gone_on_with(
    tenant: Tenant, papers: list[bytes], tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("documents.services.export._Export.finish", stop)
        export(tenant, tmp_path / kind)
    with pytest.raises(ExportRefused, match="of another tenant"):
        export(TenantFactory.create(), tmp_path / kind)


def test_two_exports_to_one_place_do_not_meet(tenant: Tenant, papers: list[bytes], tmp_path: Path) -> None:
    def progress(done: int, of: int) -> None:
        with pytest.raises(ExportRefused, match="another export is at work"):
            export(tenant, tmp_path / "x")

    export_tenant(access=operator_access(tenant.id), place=tmp_path / "x", progress=progress)


def test_a_tenant_without_papers_is_exported_too(tenant: Tenant, tmp_path: Path) -> None:
    for kind in KINDS:
        assert export(tenant, tmp_path / kind).totals.files == 0
        assert wrong(tmp_path / kind) == []


@pytest.mark.parametrize("kind", KINDS)
def test_where_there_is_no_export_there_is_nothing_to_verify(
    tenant: Tenant, tmp_path: Path, kind: str
) -> None:
    place = tmp_path / kind
    if place.suffix:
        place.write_bytes(b"PK nonsense")
    else:
        place.mkdir()
    with pytest.raises(NoExport):
        wrong(place)


@pytest.mark.skipif(shutil.which("unzip") is None, reason="unzip is not installed")
def test_unzip_finds_nothing_wrong(tenant: Tenant, papers: list[bytes], tmp_path: Path) -> None:
    place = tmp_path / "archive.zip"
    export(tenant, place)
    assert subprocess.run(["unzip", "-tq", place], capture_output=True, check=False).returncode == 0
