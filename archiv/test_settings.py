"""Settings of the test runs, and of the processes that tests start: short times, a vault that goes with the run.

What a child process must share with its test goes through the environment, which it inherits.
"""

import os
import tempfile

os.environ.setdefault("ARCHIV_LEASE_SECONDS", "5")
os.environ.setdefault("ARCHIV_REAPER_SECONDS", "0.5")
os.environ.setdefault("ARCHIV_BACKOFF_BASE_SECONDS", "0.05")
os.environ.setdefault("ARCHIV_POLL_SECONDS", "0.1")
os.environ.setdefault("ARCHIV_LOG_LEVEL", "WARNING")
os.environ.setdefault("SECRET_KEY", "test-secret-key-0123456789")
if "ARCHIV_VAULT_ROOT" not in os.environ:
    os.environ["ARCHIV_VAULT_ROOT"] = os.path.join(tempfile.mkdtemp(prefix="archiv-tests-"), "vault")

from archiv.settings import *  # noqa: E402, F403
from archiv.settings import STORAGES  # noqa: E402

ARCHIV_PROBE = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Names in the manifest exist only after collectstatic, which tests do without.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
