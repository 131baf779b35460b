"""The pages of wipe orders: what was ordered by whom, how far it is, and the second pair of eyes."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ListFilter
from django.contrib.auth import authenticate
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs.display import NOTHING, name_actors, show_error, show_link, show_moment, show_span, show_state
from jobs.filters import ChoiceFilter, TenantFilter
from jobs.operator_admin import OperatorAdmin, outside_scope
from tenants.access import Access, operator_access
from tenants.errors import TenantsError
from tenants.models import Tenant, TenantStatus, WipeOrder, WipeState
from tenants.scope import operator_scope
from tenants.services import approve_wipe, cancel_order
from tenants.wipe_display import expiry_of, show_progress, view_order

#: What it takes to approve a wipe, and to take one back.
PERMISSION = "tenants.approve_wipe"
_STATUSES = dict(TenantStatus.choices)


class WipeStateFilter(ChoiceFilter):
    """By the state of an order."""

    title = _("state")
    parameter_name = "state"
    options = WipeState.choices


@admin.register(WipeOrder)
class WipeOrderAdmin(OperatorAdmin):
    """All wipe orders there have been, newest first, those of tenants that are gone among them."""

    keyset = ("-ordered_at", "-nonce")
    moment_field = "ordered_at"
    look_back = 1_000
    list_display = ("ordered", "tenant_name", "what", "state_badge", "progress", "by", "approved", "ended")
    list_filter = (TenantFilter, WipeStateFilter)
    change_form_template = "tenants/wipe_page.html"
    fieldsets = (
        (None, {"fields": ("tenant_link", "what", "final", "nonce")}),
        (_("Order"), {"fields": ("by", "ordered", "approved", "signed", "expires")}),
        (_("Way"), {"fields": ("accepted", "authorised", "ended", "duration", "job_link")}),
    )

    def is_indexed(self, chosen: ListFilter) -> bool:
        """The orders of a tenant have an index."""
        return isinstance(chosen, TenantFilter)

    def narrow_list(self, queryset: Any) -> Any:
        """Leave out what the list does not show."""
        return queryset.defer("report")

    def complete_rows(self, rows: list[Any]) -> list[Any]:
        """Give each order the tenant, if it is still there, and the names of those who acted."""
        tenants = Tenant.objects.in_bulk({row.tenant_id for row in rows})
        names = name_actors(actor for row in rows for actor in (row.ordered_by, row.approved_by) if actor)
        for row in rows:
            row.tenant = tenants.get(row.tenant_id)
            row.names = names
        return rows

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses of the buttons, before Django's own."""
        views = {"approve": self.approve_view, "cancel": self.cancel_view}
        own = [
            path(
                f"<str:object_id>/{name}/", self.admin_site.admin_view(view), name=f"tenants_wipeorder_{name}"
            )
            for name, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return how far the wipe is, and the buttons of whoever may press them."""
        view = view_order(row)
        context: dict[str, Any] = {"title": self._title(row), "wipe": view}
        if request.user.has_perm(PERMISSION) and row.state in (WipeState.REQUESTED, WipeState.ACCEPTED):
            context["cancel_address"] = _address("cancel", row)
            if row.state == WipeState.REQUESTED:
                context["approve_address"] = _address("approve", row)
        return context

    @outside_scope
    def approve_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Approve the request that was looked at, for whoever gives their password once more."""

        def approve(access: Access) -> str:
            placed = approve_wipe(access=access, nonce=object_id)
            text = gettext("Approved: job %(job)d begins as soon as a worker is free.")
            return text % {"job": placed.job_id or 0}

        return self._run(request, object_id, approve, with_password=True)

    @outside_scope
    def cancel_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Refuse a request, or take back an order that no worker has begun."""

        def cancel(access: Access) -> str:
            count = cancel_order(access=access, nonce=object_id).requeued
            text = ngettext(
                "Taken back; %(count)d job runs again.", "Taken back; %(count)d jobs run again.", count
            )
            return text % {"count": count}

        return self._run(request, object_id, cancel)

    def _run(
        self,
        request: HttpRequest,
        nonce: str,
        service: Callable[[Access], str],
        *,
        with_password: bool = False,
    ) -> HttpResponse:
        """Call the service and go back to the page with its answer, or with the reason why not."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        with operator_scope():
            order = WipeOrder.objects.filter(nonce=nonce).first()
        if order is None:
            raise Http404
        if with_password and not _gave_password(request):
            text = gettext("That is not your password: nothing was changed.")
            self.message_user(request, text, messages.ERROR)
        else:
            try:
                self.message_user(request, service(operator_access(order.tenant_id)), messages.SUCCESS)
            except TenantsError as error:
                self.message_user(request, show_error(error), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:tenants_wipeorder_change", args=[nonce]))

    def _title(self, order: Any) -> str:
        name = str(order.tenant) if order.tenant else str(order.tenant_id)
        return f"{name}: {self.what(order)}"

    @admin.display(description=_("ordered"))
    def ordered(self, order: WipeOrder) -> str:
        """Return when it was ordered or requested."""
        return show_moment(order.ordered_at)

    @admin.display(description=_("tenant"))
    def tenant_name(self, order: Any) -> str:
        """Return the tenant's name; of one that is gone only the id is left."""
        return str(order.tenant) if order.tenant else gettext("%s (deleted)") % order.tenant_id

    @admin.display(description=_("tenant"))
    def tenant_link(self, order: Any) -> str:
        """Return the tenant with a link to its page, while it is there."""
        name = self.tenant_name(order)
        return show_link("tenants_tenant", order.tenant_id, name) if order.tenant else name

    @admin.display(description=_("action"))
    def what(self, order: WipeOrder) -> str:
        """Return whether the tenant is deleted or emptied."""
        return str(order.get_action_display())

    @admin.display(description=_("status afterwards"))
    def final(self, order: WipeOrder) -> str:
        """Return how a tenant that was emptied is left."""
        return str(_STATUSES.get(order.final_status, NOTHING))

    @admin.display(description=_("state"))
    def state_badge(self, order: WipeOrder) -> str:
        """Return the state as a badge."""
        return show_state(f"wipe-{order.state}", order.get_state_display())

    @admin.display(description=_("progress"))
    def progress(self, order: WipeOrder) -> str:
        """Return the phase and how much is done, of a wipe at work."""
        return show_progress(order) or NOTHING

    @admin.display(description=_("ordered by"))
    def by(self, order: Any) -> str:
        """Return who ordered or requested it."""
        return str(order.names.get(order.ordered_by, order.ordered_by))

    @admin.display(description=_("approved by"))
    def approved(self, order: Any) -> str:
        """Return who approved it, where approval was asked for."""
        return str(order.names.get(order.approved_by, order.approved_by)) or NOTHING

    @admin.display(description=_("signed"))
    def signed(self, order: WipeOrder) -> str:
        """Return when it was signed."""
        return show_moment(order.issued_at)

    @admin.display(description=_("expires"))
    def expires(self, order: WipeOrder) -> str:
        """Return when it ends by itself unless somebody approves it, or a worker begins."""
        return show_moment(expiry_of(order))

    @admin.display(description=_("accepted"))
    def accepted(self, order: WipeOrder) -> str:
        """Return when the tenant was closed."""
        return show_moment(order.accepted_at)

    @admin.display(description=_("authorised"))
    def authorised(self, order: WipeOrder) -> str:
        """Return when a worker began: from then on nothing takes it back."""
        return show_moment(order.authorised_at)

    @admin.display(description=_("ended"))
    def ended(self, order: WipeOrder) -> str:
        """Return when it was done, refused, taken back, or expired."""
        return show_moment(order.ended_at)

    @admin.display(description=_("duration"))
    def duration(self, order: WipeOrder) -> str:
        """Return how long the wipe took, or has taken so far."""
        return show_span(order.authorised_at, order.ended_at)

    @admin.display(description=_("job"))
    def job_link(self, order: WipeOrder) -> str:
        """Return the job that carries it out."""
        return show_link("jobs_job", order.job_id, f"#{order.job_id}") if order.job_id else NOTHING


def _gave_password(request: HttpRequest) -> bool:
    """Tell whether the form has the password of whoever is signed in; wrong ones count as at the door."""
    name, password = request.user.get_username(), request.POST.get("password", "")
    found = authenticate(request, username=name, password=password)
    return found is not None and found.pk == request.user.pk


def _address(name: str, order: Model) -> str:
    return reverse(f"admin:tenants_wipeorder_{name}", args=[order.pk])
