"""A file system under vault and staging that is really full: a small one in memory, where that is allowed."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from documents.errors import VaultFull
from documents.models import Document, DocumentVersion
from documents.services import StoredDocument
from documents.vault import STAGING, LocalVault
from jobs.models import Job
from tenants.scope import operator_scope


@pytest.fixture
def small(vault: LocalVault) -> Iterator[Path]:
    """The folder of the vault on a file system of one megabyte."""
    vault.root.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(vault.root)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("NO FULL FILE SYSTEM WAS TRIED: only root may mount one, and not in every container")
    yield vault.root
    subprocess.run(["umount", str(vault.root)], check=True)


def test_a_file_system_that_is_full_registers_nothing_and_the_next_try_works(
    small: Path, vault: LocalVault, store: Callable[..., StoredDocument]
) -> None:
    filler = small / "filler"
    filler.write_bytes(b"x" * 900_000)
    with pytest.raises(VaultFull):
        store(b"paper" * 100_000)
    filler.write_bytes(b"x" * 10)
    with operator_scope():
        left = (Document.objects.count(), DocumentVersion.objects.count(), Job.objects.count())
    assert left == (0, 0, 0)
    assert [file.path for file in vault.list(f"{STAGING}/")] == []
    assert not store(b"paper" * 100_000).duplicate
