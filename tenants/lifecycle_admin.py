"""What the page of a tenant lets an operator do: suspend, resume, pause, add a member, by services."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext

from jobs.display import page_address, show_error
from jobs.models import TenantQueue
from jobs.operator_admin import outside_scope
from jobs.services import set_queue
from tenants.access import Access, operator_access
from tenants.errors import TenantNotFound, TenantsError
from tenants.models import CapabilitySet, Tenant, TenantStatus
from tenants.scope import tenant_scope
from tenants.selectors import get_user
from tenants.services import add_member, resume_tenant, suspend_tenant

if TYPE_CHECKING:
    _Base = admin.ModelAdmin[Tenant]
else:
    _Base = object

#: What it takes to do any of this: Django's permission to change tenants.
PERMISSION = "tenants.change_tenant"
QUEUE_PERMISSION = "jobs.change_tenantqueue"


@dataclass(frozen=True)
class Button:
    """One thing to do with the tenant of a page."""

    label: str
    address: str


class LifecycleActions(_Base):
    """Adds the buttons and their addresses to the page of a tenant.

    The services commit step by step, so these views stand outside the page's own transaction.
    """

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses of the buttons, before Django's own."""
        views = {
            "suspend": self.suspend_view,
            "resume": self.resume_view,
            "pause": self.pause_view,
            "unpause": self.unpause_view,
            "add-member": self.add_member_view,
        }
        own = [
            path(
                f"<uuid:tenant_id>/{name}/",
                self.admin_site.admin_view(view),
                name=f"tenants_tenant_{name.replace('-', '_')}",
            )
            for name, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def lifecycle_context(self, request: HttpRequest, tenant: Tenant) -> dict[str, Any]:
        """Return the buttons of the page, and the sets that a new member may get; none without permission."""
        found = TenantQueue.objects.filter(tenant_id=tenant.pk).first()
        queue = found or TenantQueue(tenant_id=tenant.pk)
        shown: dict[str, Any] = {
            "queue": queue,
            "queue_address": _queue_address(request, queue, is_there=found is not None),
        }
        buttons = []
        if request.user.has_perm(QUEUE_PERMISSION):
            words, name = (gettext("Unpause"), "unpause") if queue.paused else (gettext("Pause"), "pause")
            buttons.append(Button(words, _address(name, tenant.pk)))
        if not request.user.has_perm(PERMISSION):
            return shown | {"buttons": buttons}
        if tenant.status == TenantStatus.ACTIVE:
            buttons.append(Button(gettext("Suspend"), _address("suspend", tenant.pk)))
        if tenant.status == TenantStatus.SUSPENDED:
            buttons.append(Button(gettext("Resume"), _address("resume", tenant.pk)))
        sets = CapabilitySet.objects.filter(tenant_id=tenant.pk).order_by("name")
        return shown | {
            "buttons": buttons,
            "sets": list(sets.values_list("name", flat=True)[:100]),
            "add_member_address": _address("add_member", tenant.pk),
        }

    @outside_scope
    def suspend_view(self, request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
        """Suspend the tenant, and say how many jobs were set aside."""

        def suspend(access: Access) -> str:
            count = suspend_tenant(access=access)
            text = ngettext(
                "The tenant is suspended; %(count)d job was set aside until it is resumed.",
                "The tenant is suspended; %(count)d jobs were set aside until it is resumed.",
                count,
            )
            return text % {"count": count}

        return self._run(request, tenant_id, suspend)

    @outside_scope
    def resume_view(self, request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
        """Resume the tenant, and say how many jobs came back."""

        def resume(access: Access) -> str:
            count = resume_tenant(access=access).requeued
            text = ngettext(
                "The tenant is active again; %(count)d job was requeued.",
                "The tenant is active again; %(count)d jobs were requeued.",
                count,
            )
            return text % {"count": count}

        return self._run(request, tenant_id, resume)

    @outside_scope
    def pause_view(self, request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
        """Begin none of the tenant's jobs from now on."""
        return self._run(request, tenant_id, partial(_set_paused, paused=True), QUEUE_PERMISSION)

    @outside_scope
    def unpause_view(self, request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
        """Begin the tenant's jobs again."""
        return self._run(request, tenant_id, partial(_set_paused, paused=False), QUEUE_PERMISSION)

    @outside_scope
    def add_member_view(self, request: HttpRequest, tenant_id: uuid.UUID) -> HttpResponse:
        """Make the user named in the form a member, with the set chosen there."""

        def add(access: Access) -> str:
            user = get_user(request.POST.get("user", "").strip())
            add_member(access=access, user_id=user.pk, capability_set=request.POST.get("capability_set", ""))
            return gettext("New member: %(user)s.") % {"user": user.username}

        return self._run(request, tenant_id, add)

    def _run(
        self,
        request: HttpRequest,
        tenant_id: uuid.UUID,
        service: Callable[[Access], str],
        permission: str = PERMISSION,
    ) -> HttpResponse:
        """Call the service and go back to the page with its answer, or with the reason why not."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.has_perm(permission):
            raise PermissionDenied
        try:
            self.message_user(request, service(operator_access(tenant_id)), messages.SUCCESS)
        except TenantsError as error:
            self.message_user(request, show_error(error), messages.ERROR)
        return HttpResponseRedirect(_way_back(request, tenant_id))


def _way_back(request: HttpRequest, tenant_id: uuid.UUID) -> str:
    """Return the page that the button stands on: the tenant's, unless the form says that it is the first."""
    if request.POST.get("back") == "overview":
        return reverse("admin:index")
    return reverse("admin:tenants_tenant_change", args=[tenant_id])


def _set_paused(access: Access, *, paused: bool) -> str:
    """Pause or unpause the queue of a tenant that is there, and say so."""
    with tenant_scope(access.tenant_id):
        tenant = Tenant.objects.filter(pk=access.tenant_id).first()
        if tenant is None:
            raise TenantNotFound
        set_queue(tenant_id=access.tenant_id, paused=paused)
    if paused:
        text = gettext("Paused: %(tenant)s. Nothing of it is begun, urgent jobs excepted.")
    else:
        text = gettext("Jobs of %(tenant)s are begun again.")
    return text % {"tenant": tenant}


def _queue_address(request: HttpRequest, queue: TenantQueue, *, is_there: bool) -> str | None:
    """Return the page on which weight and cap are set, for those who may."""
    if is_there:
        allowed = request.user.has_perm("jobs.view_tenantqueue")
        return page_address("jobs_tenantqueue_change", queue.pk) if allowed else None
    allowed = request.user.has_perm("jobs.add_tenantqueue")
    address = page_address("jobs_tenantqueue_add") if allowed else None
    return address and f"{address}?tenant={queue.pk}"


def _address(name: str, tenant_id: uuid.UUID) -> str:
    return reverse(f"admin:tenants_tenant_{name}", args=[tenant_id])
