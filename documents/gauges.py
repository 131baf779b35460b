"""The disk of the vault: how much is used and free."""

import shutil
from typing import NamedTuple

from documents.vault import LocalVault, get_vault
from jobs.gauges import disk_gauge


class Disk(NamedTuple):
    """Bytes of the file system that the vault lies on, whatever else lies there."""

    total: int
    used: int
    free: int


def look_at_disk() -> Disk | None:
    """Return the room there is; None where the vault is no folder, or is away."""
    vault = get_vault()
    if not isinstance(vault, LocalVault):
        return None
    try:
        return Disk(*shutil.disk_usage(vault.root))
    except OSError:
        return None


@disk_gauge
def used_beside_the_vault() -> int | None:
    """Return the bytes used on the vault's disk."""
    disk = look_at_disk()
    return disk.used if disk else None
