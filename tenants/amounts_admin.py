"""The page that counts what a tenant has, and a wipe would take away: asked for, since it takes its time."""

import uuid
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from jobs.display import show_wording
from jobs.operator_admin import outside_scope
from tenants.access import operator_access
from tenants.errors import TenantNotFound
from tenants.models import Tenant
from tenants.services import inspect_wipe
from tenants.wipe_display import list_amounts

if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Tenant]
else:
    _Base = object


class AmountsPage(_Base):
    """Adds the page to those of a tenant. It opens scopes of its own, one after the other."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the page, before Django's own."""
        view = self.admin_site.admin_view(self.amounts_view)
        return [path("<uuid:tenant_id>/amounts/", view, name="tenants_tenant_amounts"), *super().get_urls()]

    @outside_scope
    def amounts_view(self, request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
        """Show how much of each kind there is now, and what forbids a wipe; changes nothing."""
        if not request.user.has_perm("tenants.view_tenant"):
            raise PermissionDenied
        try:
            found = inspect_wipe(access=operator_access(tenant_id))
        except TenantNotFound as error:
            raise Http404 from error
        context: dict[str, Any] = self.admin_site.each_context(request) | {
            "title": gettext("What lies there: %(tenant)s") % {"tenant": found.tenant.name},
            "amounts": list_amounts(found.amounts),
            "obstacles": [show_wording(each.wording) for each in found.obstacles],
            "running_jobs": found.running_jobs,
            "tenant_address": reverse("admin:tenants_tenant_change", args=[tenant_id]),
        }
        return TemplateResponse(request, "tenants/amounts_page.html", context)
