"""Tenants and files for tests of documents."""

import io
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from documents.models.document import DocumentSource
from documents.services import StoredDocument, store_document
from documents.vault import STAGING, LocalVault, get_vault
from tenants.models import Tenant
from tests.factories import TenantFactory

Store = Callable[..., StoredDocument]


@pytest.fixture
def tenant(transactional_db: None) -> Tenant:
    """An active tenant, committed."""
    made: Tenant = TenantFactory.create()
    return made


@pytest.fixture
def vault(transactional_db: None) -> LocalVault:
    """The vault of this run, emptied."""
    vault = get_vault()
    assert isinstance(vault, LocalVault)
    for file in [*vault.list(""), *vault.list(f"{STAGING}/")]:
        vault.remove(file.path)
    return vault


@pytest.fixture
def store(tenant: Tenant, vault: LocalVault) -> Store:
    """Store bytes, or a file, for the tenant."""

    def call(
        content: bytes | Path = b"paper", filename: str = "", tenant_id: uuid.UUID | None = None
    ) -> StoredDocument:
        data = content.read_bytes() if isinstance(content, Path) else content
        name = filename or (content.name if isinstance(content, Path) else "paper.txt")
        return store_document(
            tenant_id=tenant_id or tenant.id,
            stream=io.BytesIO(data),
            filename=name,
            source=DocumentSource.IMPORT,
        )

    return call
