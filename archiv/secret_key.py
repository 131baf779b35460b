"""A random SECRET_KEY for an installation that names none, kept in one file that only its owner reads."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from archiv.embedded_place import make_shared_folder


def kept_in(folder: Path) -> str:
    """Return the key in `folder`/secret_key, making it at the first call. Processes that start at once agree.

    Raises ImproperlyConfigured when it can be neither read nor made.
    """
    path = folder / "secret_key"
    try:
        if not path.exists():
            make_shared_folder(folder)
            _make(path)
        key = path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"SECRET_KEY is not set, and the key in {path} cannot be used ({error.strerror}): "
            "set SECRET_KEY, or let this user write there."
        ) from None
    if len(key) < 50:
        raise ImproperlyConfigured(
            f"{path} holds no whole key: remove it to have a new one, or set SECRET_KEY."
        )
    return key


def _make(path: Path) -> None:
    """Write a whole key under a name of its own, then link it in place: no one ever reads half of one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first: its key counts
    finally:
        draft.unlink()
