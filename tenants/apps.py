"""The Django app `tenants`."""

from django.apps import AppConfig


class TenantsConfig(AppConfig):
    """Registers `tenants` with Django."""

    name = "tenants"
    default_auto_field = "django.db.models.BigAutoField"
