"""Settings of test runs, and of the processes that tests start: short times, folders that go with the run.

What a child process must share with its test goes through the environment, which it inherits.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def _remove_folder(folder: str, *, maker: int) -> None:
    """Remove the folder of this run with the process that made it, not with one forked from it."""
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)


for _name, _value in {
    "ARCHIV_LEASE_SECONDS": "5",
    "ARCHIV_REAPER_SECONDS": "0.5",
    "ARCHIV_BACKOFF_BASE_SECONDS": "0.05",
    "ARCHIV_POLL_SECONDS": "0.1",
    "ARCHIV_LOG_LEVEL": "WARNING",
    "SECRET_KEY": "test-secret-key-0123456789",
}.items():
    os.environ.setdefault(_name, _value)
if "ARCHIV_TEST_FOLDER" not in os.environ:
    os.environ["ARCHIV_TEST_FOLDER"] = tempfile.mkdtemp(prefix="archiv-tests-")
    atexit.register(_remove_folder, os.environ["ARCHIV_TEST_FOLDER"], maker=os.getpid())
_folder = Path(os.environ["ARCHIV_TEST_FOLDER"])
# One of each for each worker of a parallel run: a sweep must not meet the files of another.
for _name, _leaf in {"ARCHIV_VAULT_ROOT": "vault", "ARCHIV_AUDIT_HEADS": "audit-heads"}.items():
    _shared = str(_folder / "main" / _leaf)
    if os.environ.get(_name, _shared) == _shared:
        os.environ[_name] = str(_folder / os.environ.get("PYTEST_XDIST_WORKER", "main") / _leaf)

from archiv.settings import *  # noqa: F403
from archiv.settings import STORAGES, UNKNOWN_SETTINGS

ARCHIV_PROBE = True
UNKNOWN_SETTINGS = tuple(name for name in UNKNOWN_SETTINGS if name != "ARCHIV_TEST_FOLDER")
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# The manifest and the folder of static files exist only after collectstatic, which tests do without.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
