"""The Django app `archiv`: first of the installed apps, so that its `migrate` is the one that runs."""

from django.apps import AppConfig


class ArchivConfig(AppConfig):
    """Registers `archiv` with Django."""

    name = "archiv"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from archiv import checks  # noqa: F401
