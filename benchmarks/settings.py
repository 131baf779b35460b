"""Settings of the workers that are measured: the queue alone, with row-level security and both roles."""

from archiv.settings import *  # noqa: F403

INSTALLED_APPS = [
    "tenants",
    "jobs",
    "benchmarks.archiv_jobs",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
]
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.settings"
urlpatterns: list[object] = []
TEMPLATES: list[object] = []
