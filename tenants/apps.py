"""The Django app `tenants`."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TenantsConfig(AppConfig):
    """Registers `tenants` with Django."""

    name = "tenants"
    verbose_name = _("Tenants and accounts")
    default_auto_field = "django.db.models.BigAutoField"
