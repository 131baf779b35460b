"""The Django app `documents`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DocumentsConfig(AppConfig):
    """Registers `documents` with Django."""

    name = "documents"
    verbose_name = _("Archive")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks, and the words of failures."""
        from documents import checks, failure_words  # noqa: F401
