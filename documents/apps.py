"""The Django app `documents`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DocumentsConfig(AppConfig):
    """Registers `documents` with Django."""

    name = "documents"
    verbose_name = _("Archive")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from documents import checks  # noqa: F401
