"""The Django app `jobs`."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Registers `jobs` with Django."""

    name = "jobs"
    default_auto_field = "django.db.models.BigAutoField"
