"""The Django app `documents`."""

from django.apps import AppConfig


class DocumentsConfig(AppConfig):
    """Registers `documents` with Django."""

    name = "documents"
    default_auto_field = "django.db.models.BigAutoField"
