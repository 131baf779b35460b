"""Settings of the workers that tests start by the dozen: the queue alone, so that one is ready in a moment.

What the other apps add to a worker (their handlers, the reader's template) has tests of its own.
"""

from archiv.test_settings import *  # noqa: F403

INSTALLED_APPS = [
    "tenants",
    "jobs",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
]
MIDDLEWARE = []
ROOT_URLCONF = "tests.processes.settings"
urlpatterns: list[object] = []
TEMPLATES = []
