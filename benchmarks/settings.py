"""Settings of the workers that are measured: the queue alone, with row-level security and both roles."""

import os

from archiv.settings import *  # noqa: F403

INSTALLED_APPS = [
    "tenants",
    "jobs",
    "benchmarks.archiv_jobs",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
]
if os.environ.get("BENCH_AS_OWNER"):
    # What row-level security and roles cost is measured against one role that owns everything.
    _owner = {key: DATABASES["owner"][key] for key in ("USER", "PASSWORD")}  # noqa: F405
    DATABASES = {alias: one | _owner for alias, one in DATABASES.items()}  # noqa: F405
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.settings"
urlpatterns: list[object] = []
TEMPLATES: list[object] = []
