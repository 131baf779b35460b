"""The pages of accounts and groups: who may sign in to the admin, and what they may do there."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import Group, Permission
from django.db.models import Field, Q
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from jobs.display import show_moment
from jobs.operator_admin import OperatorAdmin, SilentLog
from tenants.models import User

if TYPE_CHECKING:
    _UserAdmin = UserAdmin[User]
    _ModelMultipleChoiceField = forms.ModelMultipleChoiceField[Permission]
    _UserCreationForm = UserCreationForm[User]
else:
    _UserAdmin = UserAdmin
    _ModelMultipleChoiceField = forms.ModelMultipleChoiceField
    _UserCreationForm = UserCreationForm

#: Fields of an account that say what it may do.
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
#: The permissions that some page asks for, by app and name. Others open nothing, and are not shown.
USED_PERMISSIONS = {
    ("documents", "view_document"): _("See documents and their texts"),
    ("documents", "add_document"): _("Bring documents in"),
    ("documents", "change_document"): _("Correct and file documents, have them analyzed again"),
    ("documents", "trash_document"): _("Trash and restore documents"),
    ("documents", "purge_document"): _("Purge documents"),
    ("documents", "hold_document"): _("Set and lift legal holds"),
    ("documents", "view_vaultcheck"): _("See checks of the vault"),
    ("documents", "view_vaultfinding"): _("See damaged files"),
    ("documents", "view_label"): _("See tags, correspondents and document types"),
    ("documents", "view_matchingrule"): _("See matching rules"),
    ("documents", "view_filingsettings"): _("See what is filed by itself"),
    ("documents", "view_namingsettings"): _("See how papers are named"),
    ("documents", "view_workflow"): _("See workflows"),
    ("documents", "add_label"): _("Set up tags, correspondents and document types"),
    ("documents", "change_label"): _("Change tags, correspondents and document types"),
    ("documents", "add_matchingrule"): _("Set up matching rules"),
    ("documents", "change_matchingrule"): _("Change matching rules"),
    ("documents", "add_filingsettings"): _("Set up what is filed by itself"),
    ("documents", "change_filingsettings"): _("Change what is filed by itself"),
    ("documents", "add_namingsettings"): _("Set up how papers are named"),
    ("documents", "change_namingsettings"): _("Change how papers are named"),
    ("documents", "add_workflow"): _("Set up workflows"),
    ("documents", "change_workflow"): _("Change workflows"),
    ("documents", "view_workflowrun"): _("See runs of workflows"),
    ("jobs", "view_job"): _("See jobs"),
    ("jobs", "requeue_job"): _("Requeue failed jobs"),
    ("jobs", "cancel_job"): _("Cancel jobs"),
    ("jobs", "view_tenantqueue"): _("See weights, caps and pauses"),
    ("jobs", "add_tenantqueue"): _("Give a tenant a weight, a cap or a pause"),
    ("jobs", "change_tenantqueue"): _("Change weights, caps and pauses"),
    ("tenants", "view_tenant"): _("See tenants"),
    ("tenants", "add_tenant"): _("Create tenants"),
    ("tenants", "change_tenant"): _("Suspend and resume tenants, add members"),
    ("tenants", "view_wipeorder"): _("See wipes of tenants"),
    ("tenants", "approve_wipe"): _("Approve and take back wipes of tenants"),
    ("tenants", "view_user"): _("See accounts"),
    ("tenants", "add_user"): _("Create accounts"),
    ("tenants", "change_user"): _("Change accounts"),
}


#: Texts of Django's own pages of accounts that its German lacks: named here, so that our catalogue has them.
WITHOUT_GERMAN = (
    gettext_noop("After you’ve created a user, you’ll be able to edit more user options."),
    gettext_noop("Disable password-based authentication"),
    gettext_noop("Disabled"),
    gettext_noop("Enable password-based authentication"),
    gettext_noop("Enabled"),
    gettext_noop("Password-based authentication"),
    gettext_noop("Raw passwords are not stored, so there is no way to see the user’s password."),
    gettext_noop("Reset password"),
    gettext_noop("Set password"),
    gettext_noop("Set password: %s"),
)


class NewAccountForm(_UserCreationForm):
    """A name and a password; the rest comes on the next page."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)


class PermissionChoices(_ModelMultipleChoiceField):
    """Permissions to tick, each said in words."""

    def __init__(self, **kwargs: Any) -> None:
        used = Q()
        for app, name in USED_PERMISSIONS:
            used |= Q(content_type__app_label=app, codename=name)
        permissions = Permission.objects.filter(used).select_related("content_type").order_by("pk")
        super().__init__(permissions, widget=forms.CheckboxSelectMultiple, **kwargs)

    def label_from_instance(self, obj: Permission) -> str:
        """Return what the permission allows."""
        return str(USED_PERMISSIONS[obj.content_type.app_label, obj.codename])


class EditableAdmin(OperatorAdmin):
    """What can be added and changed by hand, as Django's permissions say; nothing is deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """By Django's permission."""
        return SilentLog.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """By Django's permission."""
        return SilentLog.has_change_permission(self, request, obj)


@admin.register(User)
class AccountAdmin(EditableAdmin, _UserAdmin):
    """Accounts of people by user name. What they may do in tenants is said by their memberships."""

    keyset = ("username",)
    list_display = ("username", "full_name", "email", "is_active", "is_staff", "last_seen")
    list_filter = ()
    add_form = NewAccountForm
    add_fieldsets = ((None, {"fields": ("username", "password1", "password2")}),)
    search_fields = ("username", "first_name", "last_name", "email")
    filter_horizontal = ()

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        """Return boxes to tick: lists that want a held key are no good."""
        return _as_boxes(db_field) or super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """By Django's permission, but the accounts of superusers are theirs alone: a password is a key."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or not obj.is_superuser or request.user.is_superuser)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Only superusers hand out rights: whoever may edit accounts cannot widen their own."""
        dates = ("last_login", "date_joined")
        return dates if request.user.is_superuser else (*dates, *RIGHTS)

    @admin.display(description=_("name"))
    def full_name(self, user: User) -> str:
        """Return first and last name."""
        return user.get_full_name()

    @admin.display(description=_("last sign-in"))
    def last_seen(self, user: User) -> str:
        """Return when the person last signed in."""
        return show_moment(user.last_login)


admin.site.unregister(Group)


@admin.register(Group)
class PermissionGroupAdmin(EditableAdmin, GroupAdmin):
    """Groups of accounts with the same permissions in the admin."""

    keyset = ("name",)
    list_display = ("name",)
    filter_horizontal = ()

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        """Return boxes to tick."""
        return _as_boxes(db_field) or super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Superusers: a group hands out rights."""
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Superusers, as above."""
        return request.user.is_superuser


def _as_boxes(field: "Field[Any, Any]") -> "forms.ModelMultipleChoiceField[Any] | None":
    """Return the field of a form for groups or permissions; None for any other."""
    if field.name in ("permissions", "user_permissions"):
        return PermissionChoices(label=capfirst(field.verbose_name), required=False)
    if field.name == "groups":
        groups = Group.objects.order_by("name")
        return forms.ModelMultipleChoiceField(
            groups, label=capfirst(field.verbose_name), required=False, widget=forms.CheckboxSelectMultiple
        )
    return None
