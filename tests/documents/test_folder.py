"""Importing from a folder that others may write into."""

import hashlib
import os
import tempfile
import threading
from pathlib import Path

import pytest

from documents.errors import FileUnreadable, NotAPlainFile, StillBeingWritten, UploadRefused
from documents.models import DocumentVersion
from documents.services import StoredDocument
from documents.services.folder import FolderFile, import_file, walk_files
from documents.vault import LocalVault
from tenants.models import Tenant
from tenants.scope import tenant_scope


def names(path: Path) -> list[str]:
    return [str(file.path.relative_to(path)) for file in walk_files(path)]


def take(tenant: Tenant, path: Path) -> StoredDocument:
    return import_file(tenant_id=tenant.id, file=FolderFile(path))


def test_a_walk_goes_by_name_and_leaves_out_hidden_folders_and_litter(tmp_path: Path) -> None:
    litter = (".folder/x.txt", "b/.DS_Store", "b/._1.txt", "Thumbs.db")
    for name in ("b/2.txt", "b/1.txt", "a.txt", "..%2fx.txt", ".note", *litter):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names(tmp_path) == ["..%2fx.txt", ".note", "a.txt", "b/1.txt", "b/2.txt"]
    assert [file.path for file in walk_files(tmp_path / "Thumbs.db")] == [tmp_path / "Thumbs.db"]


def test_links_pipes_and_devices_are_refused_and_not_followed(tenant: Tenant, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (secret / "below").mkdir(parents=True)
    (secret / "paper.txt").write_text("secret")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "file").symlink_to(secret / "paper.txt")
    (inbox / "folder").symlink_to(secret)
    (inbox / "dangling").symlink_to(tmp_path / "nowhere")
    os.mkfifo(inbox / "pipe")
    found = 0
    for file in walk_files(inbox):
        found += 1
        with pytest.raises(NotAPlainFile, match="no links, pipes"):
            import_file(tenant_id=tenant.id, file=file)
    assert found == 4
    for path in (inbox / "folder", Path("/dev/null")):
        with pytest.raises(NotAPlainFile):
            take(tenant, path)


def test_a_folder_swapped_for_a_link_during_the_walk_is_not_followed(tenant: Tenant, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "paper.txt").write_text("secret")
    inbox = tmp_path / "inbox"
    (inbox / "sub").mkdir(parents=True)
    (inbox / "sub" / "paper.txt").write_text("mine")
    for file in walk_files(inbox):
        (inbox / "sub").rename(tmp_path / "away")
        (inbox / "sub").symlink_to(tmp_path / "secret")
        import_file(tenant_id=tenant.id, file=file)
    with tenant_scope(tenant.id):
        assert DocumentVersion.objects.get().content_hash == hashlib.sha256(b"mine").hexdigest()


def test_what_is_in_the_vault_is_what_was_hashed_in_an_inode_of_its_own(
    tenant: Tenant, vault: LocalVault, tmp_path: Path
) -> None:
    path, twin = tmp_path / "paper.txt", tmp_path / "twin.txt"
    path.write_bytes(b"paper")
    os.link(path, twin)
    with path.open("r+b") as kept:
        stored = take(tenant, path)
        kept.write(b"PAPER")
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get(id=stored.version_id)
    with vault.open_verified(version.vault_path, content_hash=hashlib.sha256(b"paper").hexdigest()) as file:
        assert file.read() == b"paper"
        assert os.fstat(file.fileno()).st_nlink == 1
        assert os.fstat(file.fileno()).st_ino != twin.stat().st_ino
    assert path.exists()


def test_a_file_that_is_written_to_while_it_is_read_is_refused(
    tenant: Tenant, vault: LocalVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "paper.txt"
    path.write_bytes(b"half")
    read = os.read
    more = threading.Event()

    def reading(descriptor: int, size: int) -> bytes:
        chunk = read(descriptor, size)
        if chunk == b"half" and not more.is_set():
            more.set()
            with path.open("ab") as file:
                file.write(b" a paper")
        return chunk

    monkeypatch.setattr("documents.services.folder.os.read", reading)
    with pytest.raises(StillBeingWritten, match="wait until it is complete"):
        take(tenant, path)
    assert list(vault.list("")) == []
    monkeypatch.undo()
    assert not take(tenant, path).duplicate


def test_what_cannot_be_opened_says_why(tenant: Tenant, tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match="No such file"):
        take(tenant, tmp_path / "nowhere.txt")
    assert issubclass(FileUnreadable, UploadRefused)


def test_a_name_that_is_no_utf8_is_imported(tenant: Tenant, tmp_path: Path) -> None:
    name = os.fsdecode(b"R\xe4ume.txt")
    (tmp_path / name).write_bytes(b"paper")
    for file in walk_files(tmp_path):
        import_file(tenant_id=tenant.id, file=file)
    with tenant_scope(tenant.id):
        assert DocumentVersion.objects.get().filename == "R\ufffdume.txt"


def test_a_file_of_another_file_system_is_copied_like_any_other(
    tenant: Tenant, vault: LocalVault, tmp_path: Path
) -> None:
    elsewhere = Path("/dev/shm")
    if not os.access(elsewhere, os.W_OK) or elsewhere.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no other file system to take a file from")
    with tempfile.NamedTemporaryFile(dir=elsewhere, suffix=".txt") as paper:
        paper.write(b"paper")
        paper.flush()
        stored = take(tenant, Path(paper.name))
        assert Path(paper.name).exists()
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get(id=stored.version_id)
    with vault.open_verified(version.vault_path, content_hash=hashlib.sha256(b"paper").hexdigest()) as file:
        assert file.read() == b"paper"
