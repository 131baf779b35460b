"""The account to sign in with after the demo: made once, its password kept beside the other secrets."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from tenants.models import User

USERNAME = "admin"
PASSWORD_FILE = "demo-password"  # noqa: S105 - a file's name


@dataclass(frozen=True, slots=True)
class Account:
    """Who may sign in. `password` is None where somebody has set one of their own."""

    user: User
    password: str | None


def admin_account(folder: Path) -> Account:
    """Return the demo's administrator, making account and password at the first call.

    The password lies in `folder`, readable for its owner only. An account that is there is never changed:
    when its password is not the one in the file, nobody but its holder knows it.
    """
    user = User.objects.filter(username=USERNAME).first()
    password = _kept(folder / PASSWORD_FILE)
    if user is None:
        if password is None:
            password = _make(folder / PASSWORD_FILE)
        user = User.objects.create_superuser(USERNAME, email=None, password=password)
    elif password is not None and not user.check_password(password):
        password = None
    return Account(user, password)


def _kept(path: Path) -> str | None:
    try:
        return path.read_text().strip() or None
    except FileNotFoundError:
        return None


def _make(path: Path) -> str:
    password = secrets.token_urlsafe(12)
    path.unlink(missing_ok=True)  # an empty one, left by a full disk
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(password + "\n")
    return password
