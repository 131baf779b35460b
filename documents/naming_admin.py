"""The pages on which operators set how a tenant's papers are dated and named."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from documents.errors import BadTitleTemplate
from documents.models import NamingSettings
from documents.services.naming import preview_titles, set_naming
from documents.title_templates import FIELDS, check_template
from jobs.display import NOTHING, show_link
from jobs.filters import TenantFilter
from jobs.operator_admin import OperatorAdmin
from tenants.access import operator_access

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[NamingSettings]
else:
    _ModelForm = forms.ModelForm


class NamingForm(_ModelForm):
    """What a tenant wishes."""

    class Meta:
        model = NamingSettings
        fields = ("tenant", "title_template", "date_order", "filename_order", "searchable_pdfs")
        widgets = {"title_template": forms.TextInput(attrs={"size": 80})}
        help_texts = {
            "title_template": _(
                "Such as {issued_date} {correspondent} {type} {number}. What a document does not have leaves"
                " no gap; a title set by a person stays. Empty: titles as they are found."
            ),
            "date_order": _("How 03/04/2024 is read where a document does not show it."),
            "filename_order": _("Empty: a file name counts only where the text has no date."),
            "searchable_pdfs": _("Behind all other work, once a scan has been read; else on request only."),
        }

    def clean_title_template(self) -> str:
        """Return the template in the form in which it is stored."""
        try:
            return check_template(self.cleaned_data["title_template"])
        except BadTitleTemplate as error:
            raise forms.ValidationError(
                _("This template cannot be used. The fields are: %(fields)s."),
                params={"fields": ", ".join(f"{{{name}}}" for name in FIELDS)},
            ) from error


@admin.register(NamingSettings)
class NamingSettingsAdmin(OperatorAdmin):
    """Tenants with wishes; all others have their papers named as they are found."""

    form = NamingForm
    keyset = ("tenant_id",)
    list_select_related = ("tenant",)
    list_filter = (TenantFilter,)
    list_display = ("tenant_name", "template", "date_order", "names_win", "searchable_pdfs")
    autocomplete_fields = ("tenant",)
    change_form_template = "documents/naming_page.html"
    page_fields = ("tenant_link", "title_template", "date_order", "filename_order", "searchable_pdfs")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may add such rows by Django's permission."""
        return request.user.has_perm("documents.add_namingsettings")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change such rows by Django's permission."""
        return request.user.has_perm("documents.change_namingsettings")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of a new row, or of one whose tenant is fixed."""
        return self.page_fields if obj is not None else NamingForm.Meta.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what the row itself decides."""
        return ("tenant_link",) if obj is not None else ()

    def save_model(self, request: HttpRequest, obj: NamingSettings, form: Any, change: bool) -> None:
        """Have the service write it."""
        set_naming(
            access=operator_access(obj.tenant_id),
            title_template=obj.title_template,
            date_order=obj.date_order,
            filename_order=obj.filename_order,
            searchable_pdfs=obj.searchable_pdfs,
        )
        obj.pk = NamingSettings.objects.get(tenant_id=obj.tenant_id).pk

    def page_context(self, request: HttpRequest, row: NamingSettings) -> dict[str, Any]:
        """Return what the stored template makes of the newest documents, for those who may see documents."""
        if not row.title_template or not request.user.has_perm("documents.view_document"):
            return {}
        access = operator_access(row.tenant_id)
        return {"preview": preview_titles(access=access, template=row.title_template)}

    @admin.display(description=_("tenant"))
    def tenant_name(self, row: NamingSettings) -> str:
        """Return the tenant's name."""
        return str(row.tenant)

    @admin.display(description=_("tenant"))
    def tenant_link(self, row: NamingSettings) -> str:
        """Return the tenant with a link to its page."""
        return show_link("tenants_tenant", row.tenant_id, str(row.tenant))

    @admin.display(description=_("template for titles"))
    def template(self, row: NamingSettings) -> str:
        """Return the template, if there is one."""
        return row.title_template or NOTHING

    @admin.display(description=_("dates in file names win, read as"))
    def names_win(self, row: NamingSettings) -> str:
        """Return the order of dates in file names, if these are believed first."""
        return row.filename_order or NOTHING
