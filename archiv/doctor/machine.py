"""Looks at this machine: settings, the vault, the readers' shutter, languages."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core import checks

from archiv.doctor.finding import Finding, Verdict, error, warning, well
from documents.ocr.languages import find_folder, installed
from documents.vault import STAGING, LocalVault, get_vault
from tenants.models import Tenant
from tenants.scope import operator_scope

_LEAST_FREE = 0.1
_LEAST_FREE_BYTES = 2_000_000_000


def look_at_settings() -> Iterator[Finding]:
    """Django's checks and archiv's own, with those for production."""
    found = checks.run_checks(include_deployment_checks=True, databases=["owner", "default", "queue"])
    transport = [str(message.id) for message in found if str(message.id).startswith("security.")]
    if transport:
        yield warning(
            "settings",
            f"not as for production: {', '.join(transport)}",
            "Set ARCHIV_HTTPS=1 behind a proxy that ends TLS; `manage.py check --deploy` says more.",
        )
    for message in found:
        if str(message.id) in transport:
            continue
        verdict = Verdict.ERROR if message.level >= checks.ERROR else Verdict.WARNING
        yield Finding("settings", verdict, f"{message.id}: {message.msg}", message.hint or "")
    if not found:
        yield well("settings", "no check complains")


def look_at_vault() -> Iterator[Finding]:
    """The vault takes files, has room, and only archiv can look into it."""
    vault = get_vault()
    with vault.stage() as staged:  # thrown away on leaving
        staged.write(b"doctor")
        staged.seal()
    if not isinstance(vault, LocalVault):
        yield well("vault", "takes files")
        return
    root = vault.root
    usage = shutil.disk_usage(root)
    room = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.1f} GB free"
    if usage.free < max(_LEAST_FREE * usage.total, _LEAST_FREE_BYTES):
        yield warning(
            "vault",
            f"{room} in {root}",
            "Make room: uploads are refused, and nothing is lost, when it is full.",
        )
    else:
        yield well("vault", f"takes files; {room}")
    if root.stat().st_mode & 0o007:
        yield warning("vault", f"{root} is open to everybody on this machine", f"chmod o-rwx {root}")
    if (root / STAGING).stat().st_dev != root.stat().st_dev:
        yield error(
            "vault",
            f"{root / STAGING} is another file system",
            "Keep it in the vault's own: uploads are moved into place, never copied.",
        )


def look_at_languages() -> Iterator[Finding]:
    """Every tenant's languages can be read."""
    there = installed(find_folder(settings.ARCHIV_TESSDATA))
    with operator_scope():
        wanted = {code for codes in Tenant.objects.values_list("languages", flat=True) for code in codes}
    missing = sorted(wanted - there)
    if missing:
        yield warning(
            "languages",
            f"tenants name languages whose data are not here: {', '.join(missing)}",
            "Install the system's tesseract packages for them.",
        )
    else:
        yield well("languages", f"{', '.join(sorted(there))} can be read")


def look_at_folders() -> Iterator[Finding]:
    """What only archiv may read, nobody else can."""
    for path in (settings.ARCHIV_VAR_ROOT / "secret_key", settings.ARCHIV_AUDIT_HEADS):
        if Path(path).exists() and Path(path).stat().st_mode & 0o007:
            yield warning("folders", f"{path} is open to everybody on this machine", f"chmod o-rwx {path}")
    yield well("folders", f"archiv's own: {settings.ARCHIV_VAR_ROOT}")
