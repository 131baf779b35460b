"""The pages of tenants' queues: weight, cap and pause, which workers follow within a second."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from jobs.display import NOTHING, show_link
from jobs.filters import TenantFilter
from jobs.models import TenantQueue
from jobs.operator_admin import OperatorAdmin
from jobs.services import set_queue

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[TenantQueue]
else:
    _ModelForm = forms.ModelForm


class TenantQueueForm(_ModelForm):
    """What is exceptional about one tenant's queue."""

    class Meta:
        model = TenantQueue
        fields = ("tenant", "weight", "max_running", "paused")
        help_texts = {
            "weight": _(
                "Share of the workers' time beside other tenants: with 3 three times as much as with 1."
            ),
            "max_running": _("Most jobs of the tenant that run at once, over all workers. Empty: no limit."),
            "paused": _("Nothing of the tenant is begun, urgent jobs excepted. What runs goes on."),
        }


@admin.register(TenantQueue)
class TenantQueueAdmin(OperatorAdmin):
    """Tenants whose queue is exceptional; everybody else has weight 1, no cap, and is open."""

    form = TenantQueueForm
    keyset = ("tenant_id",)
    list_select_related = ("tenant",)
    list_filter = (TenantFilter,)
    list_display = ("tenant_name", "weight", "cap", "paused", "closed")
    autocomplete_fields = ("tenant",)
    page_fields = ("tenant_link", "weight", "max_running", "paused", "closed")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may add such rows by Django's permission."""
        return request.user.has_perm("jobs.add_tenantqueue")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change such rows by Django's permission."""
        return request.user.has_perm("jobs.change_tenantqueue")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of a new row, or of one whose tenant is fixed."""
        return self.page_fields if obj is not None else TenantQueueForm.Meta.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what suspending and the row itself decide."""
        return ("tenant_link", "closed") if obj is not None else ()

    def save_model(self, request: HttpRequest, obj: TenantQueue, form: Any, change: bool) -> None:
        """Have the service write it, which audits and wakes the workers."""
        set_queue(tenant_id=obj.tenant_id, weight=obj.weight, max_running=obj.max_running, paused=obj.paused)

    @admin.display(description=_("tenant"))
    def tenant_name(self, queue: TenantQueue) -> str:
        """Return the tenant's name."""
        return str(queue.tenant)

    @admin.display(description=_("tenant"))
    def tenant_link(self, queue: TenantQueue) -> str:
        """Return the tenant with a link to its page."""
        return show_link("tenants_tenant", queue.tenant_id, str(queue.tenant))

    @admin.display(description=_("jobs at once"))
    def cap(self, queue: TenantQueue) -> str:
        """Return the cap, if there is one."""
        return NOTHING if queue.max_running is None else str(queue.max_running)
