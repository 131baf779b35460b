"""Files that are made from a version: its picture, its searchable PDF."""

import uuid

from documents.errors import PathTaken
from documents.models import Asset
from documents.vault import Staged, get_vault


def write_asset(
    *,
    tenant_id: uuid.UUID,
    version_id: uuid.UUID,
    kind: str,
    job_id: int,
    media_type: str,
    staged: Staged,
    width: int | None = None,
    height: int | None = None,
) -> None:
    """Keep a file made from a version in place of an earlier one. Needs the transaction that ends the job."""
    asset = Asset(
        tenant_id=tenant_id,
        version_id=version_id,
        kind=kind,
        job_id=job_id,
        media_type=media_type,
        content_hash=staged.digest,
        size=staged.size,
        width=width,
        height=height,
    )
    Asset.objects.bulk_create(
        [asset],
        update_conflicts=True,
        unique_fields=["tenant", "version", "kind"],
        update_fields=["job_id", "media_type", "content_hash", "size", "width", "height"],
    )
    vault = get_vault()
    try:
        vault.place(staged, asset.vault_path)
    except PathTaken:
        # Only an earlier attempt of this very job used this path: it was rolled back, or is requeued now.
        vault.remove(asset.vault_path)
        vault.place(staged, asset.vault_path)
