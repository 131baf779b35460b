"""Settings of the workers that tests start by the dozen: the queue alone, so that one is ready in a moment.

What the other apps add to a worker (their handlers, the reader's template) has tests of its own.
"""

import os
from pathlib import Path

from archiv.test_settings import *  # noqa: F403

INSTALLED_APPS = [
    "tenants",
    "jobs",
    "tests.processes.odd_jobs",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
]
MIDDLEWARE = []
ROOT_URLCONF = "tests.processes.settings"
urlpatterns: list[object] = []
TEMPLATES = []

if "TEST_CLOCK_OFFSET" in os.environ:
    from tests.processes.odd_jobs import wrong_clock

    wrong_clock.install(float(os.environ["TEST_CLOCK_OFFSET"]))
if "TEST_BREAKS" in os.environ:
    from tests.processes.odd_jobs import breaking

    breaking.install(Path(os.environ["TEST_BREAKS"]))
