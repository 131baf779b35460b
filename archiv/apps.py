"""The Django app `archiv`: first of the installed apps, so that its `migrate` is the one that runs."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class ArchivConfig(AppConfig):
    """Registers `archiv` with Django."""

    name = "archiv"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from archiv import checks  # noqa: F401


class ArchivAdminConfig(admin_apps.AdminConfig):
    """Django's admin, with the site of archiv as the one that apps register with."""

    default = False
    default_site = "archiv.admin_site.ArchivAdminSite"
