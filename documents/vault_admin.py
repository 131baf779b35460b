"""The pages of the vault: what its checks looked at, and the files with which something is wrong."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from documents.models import VaultCheck, VaultFinding
from jobs.display import NOTHING, show_link, show_moment, show_size, show_span
from jobs.operator_admin import OperatorAdmin


class OfTenant(OperatorAdmin):
    """Rows of all tenants, newest first."""

    list_select_related = ("tenant",)

    @admin.display(description=_("tenant"))
    def tenant_link(self, row: Any) -> str:
        """Return the tenant with a link to its page."""
        return show_link("tenants_tenant", row.tenant_id, row.tenant.name)


@admin.register(VaultFinding)
class VaultFindingAdmin(OfTenant):
    """Files with which something is or was wrong."""

    list_display = ("path", "tenant_link", "problem_name", "found", "seen", "resolved")
    fieldsets = ((None, {"fields": list_display}),)

    @admin.display(description=_("problem"))
    def problem_name(self, finding: VaultFinding) -> str:
        """Return what is wrong."""
        return str(finding.get_problem_display())

    @admin.display(description=_("found"))
    def found(self, finding: VaultFinding) -> str:
        """Return when it was seen first."""
        return show_moment(finding.found_at)

    @admin.display(description=_("seen last"))
    def seen(self, finding: VaultFinding) -> str:
        """Return when it was seen last."""
        return show_moment(finding.seen_at)

    @admin.display(description=_("resolved"))
    def resolved(self, finding: VaultFinding) -> str:
        """Return when a check found the file well again."""
        return show_moment(finding.resolved_at) if finding.resolved_at else NOTHING


@admin.register(VaultCheck)
class VaultCheckAdmin(OfTenant):
    """What was looked at, and when."""

    list_display = ("ended", "tenant_link", "share_of", "files", "bytes_read", "duration", "problems")
    fieldsets = ((None, {"fields": list_display}),)

    @admin.display(description=_("ended"))
    def ended(self, check: VaultCheck) -> str:
        """Return when the check ended."""
        return show_moment(check.ended_at)

    @admin.display(description=_("share"))
    def share_of(self, check: VaultCheck) -> str:
        """Return which share of the files was looked at, counted from 1."""
        return f"{check.share + 1}/{check.shares}"

    @admin.display(description=_("bytes"))
    def bytes_read(self, check: VaultCheck) -> str:
        """Return how much was hashed."""
        return show_size(check.size)

    @admin.display(description=_("duration"))
    def duration(self, check: VaultCheck) -> str:
        """Return how long it took."""
        return show_span(check.started_at, check.ended_at)
