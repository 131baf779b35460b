"""The Django app `jobs`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    """Registers `jobs` with Django."""

    name = "jobs"
    verbose_name = _("Queue")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from jobs import checks  # noqa: F401
