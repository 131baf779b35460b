"""The pages of tenants; those of accounts stand in `tenants.account_admin`, of wipes in `wipe_admin`."""

import shlex
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import admin, messages
from django.contrib.postgres.forms import SimpleArrayField
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.display import page_address, show_error, show_moment, show_seconds, show_state
from jobs.filters import ChoiceFilter
from jobs.models import TenantHour
from jobs.operator_admin import OperatorAdmin
from tenants import account_admin, wipe_admin  # noqa: F401  register their pages
from tenants.amounts_admin import AmountsPage
from tenants.errors import TenantsError
from tenants.languages import MOST_LANGUAGES, is_language
from tenants.lifecycle_admin import LifecycleActions
from tenants.models import CapabilitySet, Membership, Tenant, TenantStatus, User, WipeOrder
from tenants.names import InvalidTenantName, clean_tenant_name
from tenants.services import create_tenant
from tenants.wipe_display import WipeView, view_order

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Tenant]
else:
    _ModelForm = forms.ModelForm

#: Members shown on the page of a tenant.
MEMBERS_SHOWN = 100


class NewTenantForm(_ModelForm):
    """What a new tenant needs to be told; everything else comes from the service."""

    timezone = forms.ChoiceField(
        label=_("Time zone"),
        choices=[(zone, zone) for zone in sorted(available_timezones())],
        initial="Europe/Berlin",
        help_text=_("Days begin and end there, those of retention among them."),
    )
    languages = SimpleArrayField(
        forms.CharField(max_length=16),
        label=_("Languages"),
        initial=["deu", "eng"],
        min_length=1,
        max_length=MOST_LANGUAGES,
        help_text=_("Languages of the papers, as codes with commas between: deu is German, eng is English."),
    )
    owner = forms.CharField(
        label=_("Owner"),
        required=False,
        max_length=150,
        help_text=_("User name of the first owner. More members can be added later."),
    )

    class Meta:
        model = Tenant
        fields = ("name", "timezone", "languages")
        help_texts = {"name": _("1 to 255 characters, and no | among them. It cannot be changed later.")}

    def clean_name(self) -> str:
        """Return the name in the form in which names are stored."""
        try:
            return clean_tenant_name(self.cleaned_data["name"])
        except InvalidTenantName as error:
            raise forms.ValidationError(str(error)) from error

    def clean_languages(self) -> list[str]:
        """Return the languages, each once."""
        languages: list[str] = [language.strip() for language in self.cleaned_data["languages"]]
        for language in languages:
            if not is_language(language):
                text = _("%(language)r is no code of a language: write three letters, such as deu.")
                raise forms.ValidationError(text, params={"language": language})
        return list(dict.fromkeys(languages))

    def clean_owner(self) -> User | None:
        """Return the user with the name given."""
        name = self.cleaned_data["owner"]
        if not name:
            return None
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(_("There is no active user with this name."))
        return user


class TenantStatusFilter(ChoiceFilter):
    """By the status of a tenant."""

    title = _("status")
    parameter_name = "status"
    options = TenantStatus.choices


@admin.register(Tenant)
class TenantAdmin(LifecycleActions, AmountsPage, OperatorAdmin):
    """All tenants by name. What changes them are services: a new one, a member, suspend, resume."""

    form = NewTenantForm
    keyset = ("name",)
    list_display = ("name", "state", "language_names", "timezone", "created")
    list_filter = (TenantStatusFilter,)
    search_fields = ("name",)
    search_help_text = _("Part of a name")
    change_form_template = "tenants/tenant_page.html"
    fieldsets = ((None, {"fields": ("name", "state", "language_names", "timezone", "created", "id")}),)
    add_fieldsets = ((None, {"fields": ("name", "timezone", "languages", "owner")}),)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may add tenants by Django's permission."""
        return request.user.has_perm("tenants.add_tenant")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of the form for a new tenant, or those of the page."""
        return self.add_fieldsets if obj is None else self.fieldsets

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form for a new tenant; a page needs none."""
        if obj is None:
            return NewTenantForm
        return super().get_form(request, obj, change, form=forms.ModelForm, **kwargs)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Create a tenant, or say in words why not."""
        try:
            return super().add_view(request, form_url, extra_context)
        except TenantsError as error:
            self.message_user(request, show_error(error), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        """Have the service create the tenant, together with the job that makes it ready."""
        owner = form.cleaned_data["owner"]
        created = create_tenant(
            name=obj.name,
            members=[owner.pk] if owner else [],
            timezone=obj.timezone,
            languages=obj.languages,
        )
        obj.pk = created.pk

    def page_context(self, request: HttpRequest, row: Tenant) -> dict[str, Any]:
        """Return the members, and the ways to the tenant's documents and jobs."""
        members = Membership.objects.filter(tenant_id=row.pk).select_related("user", "capability_set")
        shown = {
            "members": members.order_by("user__username")[:MEMBERS_SHOWN],
            "links": _links(row),
            "wipe": _view_wipe(request, row),
            "quoted_name": shlex.quote(row.name),
            "capability_sets": CapabilitySet.objects.filter(tenant_id=row.pk).order_by("name")[
                :MEMBERS_SHOWN
            ],
            "usage": _worker_time(row),
        }
        return shown | self.lifecycle_context(request, row)

    @admin.display(description=_("status"))
    def state(self, tenant: Tenant) -> str:
        """Return the status as a badge."""
        return show_state(tenant.status, tenant.get_status_display())

    @admin.display(description=_("languages"))
    def language_names(self, tenant: Tenant) -> str:
        """Return the codes of the languages."""
        return ", ".join(tenant.languages)

    @admin.display(description=_("created"))
    def created(self, tenant: Tenant) -> str:
        """Return when the tenant was created."""
        return show_moment(tenant.created_at)


def _worker_time(tenant: Tenant) -> dict[str, Any]:
    """Return the attempts of the last day, how many of them failed, and the seconds of workers they took."""
    this_hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    # Named one by one: the index begins with the hour, and a range of them would walk those of all tenants.
    hours = [this_hour - timedelta(hours=back) for back in range(24)]
    rows = TenantHour.objects.filter(tenant_id=tenant.pk, hour__in=hours)
    found = rows.aggregate(attempts=Sum("attempts"), failed=Sum("failed"), seconds=Sum("seconds"))
    return {
        "attempts": found["attempts"] or 0,
        "failed": found["failed"] or 0,
        "time": show_seconds(found["seconds"] or 0.0),
    }


def _view_wipe(request: HttpRequest, tenant: Tenant) -> WipeView | None:
    """Return the newest order of the tenant for those who may see orders."""
    if not request.user.has_perm("tenants.view_wipeorder"):
        return None
    order = WipeOrder.objects.filter(tenant_id=tenant.pk).order_by("-ordered_at").first()
    return None if order is None else view_order(order)


def _links(tenant: Tenant) -> list[tuple[str, str]]:
    """Return the lists of this tenant's rows: words and address."""
    lists = [
        (gettext("Documents"), page_address("documents_document_changelist")),
        (gettext("Naming settings"), page_address("documents_namingsettings_changelist")),
        (gettext("Jobs"), page_address("jobs_job_changelist")),
        (gettext("Failed jobs"), page_address("jobs_failedjob_changelist")),
        (gettext("Wipe orders"), page_address("tenants_wipeorder_changelist")),
    ]
    links = [(words, f"{address}?tenant={tenant.pk}") for words, address in lists if address]
    return [*links, (gettext("What lies there"), reverse("admin:tenants_tenant_amounts", args=[tenant.pk]))]
