"""The pages of tags, correspondents, document types and rules: made, changed and tried here, by services."""

import uuid
from contextlib import suppress
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.errors import DocumentsError
from documents.filing import BadPattern, LabelKind, RuleKind, check_rule
from documents.filing.rules import LEAST_LIKENESS, USUAL_LIKENESS
from documents.filing_selectors import TriedRule, try_rule
from documents.label_merging_admin import LabelMerging
from documents.models import Correspondent, DocumentType, FilingSettings, Label, MatchingRule, Tag
from documents.models.filing import RULE_KINDS
from documents.services.filing import choose_confidence
from documents.services.labels import create_label, delete_label, rename_label
from documents.services.rules import add_rule, change_rule, remove_rule
from jobs.display import NOTHING, page_address, show_link, show_moment, show_state
from jobs.filters import TenantFilter
from jobs.operator_admin import OperatorAdmin
from tenants.access import operator_access
from tenants.errors import TenantsError

#: Rules that the page of a label lists.
_RULES_SHOWN = 100


class OfOneTenant(OperatorAdmin):
    """Rows of all tenants that operators with Django's permission make, change and delete, by services."""

    list_select_related: ClassVar[Any] = ("tenant",)
    list_filter = (TenantFilter,)
    keyset: ClassVar[tuple[str, ...]] = ("-created_at", "-id")
    actions: Any = ("remove",)

    def _may(self, request: HttpRequest, verb: str) -> bool:
        return request.user.has_perm(f"documents.{verb}_{self.opts.model_name}")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may add such rows by Django's permission."""
        return self._may(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change such rows by Django's permission."""
        return self._may(request, "change")

    def has_remove_permission(self, request: HttpRequest) -> bool:
        """Whoever may delete such rows by Django's permission."""
        return self._may(request, "delete")

    def take_away(self, row: Any) -> None:
        """Have the service delete one row."""
        raise NotImplementedError

    @admin.action(description=_("Delete the selected rows"), permissions=["remove"])
    def remove(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the rows ticked."""
        gone = 0
        for row in queryset:
            try:
                self.take_away(row)
                gone += 1
            except (DocumentsError, TenantsError) as error:
                self.message_user(request, str(error), messages.ERROR)
        self.message_user(request, ngettext("%d deleted.", "%d deleted.", gone) % gone)

    @admin.display(description=_("tenant"))
    def tenant_name(self, row: Any) -> str:
        """Return the tenant's name."""
        return str(row.tenant)

    @admin.display(description=_("tenant"))
    def tenant_link(self, row: Any) -> str:
        """Return the tenant with a link to its page."""
        return show_link("tenants_tenant", row.tenant_id, str(row.tenant))


class ServiceForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form whose row is written by a service; what that refuses is said beside the form."""

    def write(self) -> Any:
        """Call the service and return the row."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        """Write when the fields are right, so that what the service says is an answer of the form."""
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                self.written = self.write()
            except (DocumentsError, TenantsError) as error:
                raise forms.ValidationError(str(error)) from error
        return cleaned

    def validate_unique(self) -> None:
        """Leave it to the service, whose words are better."""

    def validate_constraints(self) -> None:
        """Leave it to the service."""


class WrittenByForm(OfOneTenant):
    """The row was written while the form was checked."""

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Return the row that the service made."""
        return form.written

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing is left to be done."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing hangs on these rows that a form would write."""


class LabelForm(ServiceForm):
    """The tenant and the name."""

    kind: ClassVar[LabelKind]

    def write(self) -> Label:
        """Make the label, or rename it."""
        name = self.cleaned_data["name"]
        if self.instance.tenant_id is None:
            tenant = self.cleaned_data["tenant"]
            return create_label(access=operator_access(tenant.pk), kind=self.kind, name=name)
        access = operator_access(self.instance.tenant_id)
        return rename_label(access=access, kind=self.kind, label_id=self.instance.pk, name=name)


class LabelAdmin(LabelMerging, WrittenByForm):
    """The labels of one kind."""

    kind: ClassVar[LabelKind]
    list_display = ("name", "tenant_name", "added")
    autocomplete_fields = ("tenant",)
    change_form_template = "documents/label_page.html"

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form of this kind."""
        form = type("LabelForm", (LabelForm,), {"kind": self.kind})
        return super().get_form(request, obj, change, form=form, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of a new label, or of one whose tenant is fixed."""
        return ("tenant", "name") if obj is None else ("tenant_link", "name", "added")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what the row itself decides."""
        return () if obj is None else ("tenant_link", "added")

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Return the row that the service made, as one of this kind."""
        return self.model.objects.get(pk=form.written.pk)

    def page_context(self, request: HttpRequest, row: Label) -> dict[str, Any]:
        """Return the rules of the label."""
        rules = MatchingRule.objects.filter(tenant_id=row.tenant_id, label_id=row.pk).order_by("created_at")
        may_add = request.user.has_perm("documents.add_matchingrule")
        add = page_address("documents_matchingrule_add") if may_add else None
        return {"rules": list(rules[:_RULES_SHOWN]), "add_rule": f"{add}?label={row.pk}" if add else None}

    def take_away(self, row: Label) -> None:
        """Delete the label."""
        delete_label(access=operator_access(row.tenant_id), kind=self.kind, label_id=row.pk)

    @admin.display(description=_("added"))
    def added(self, row: Label) -> str:
        """Return when it was made."""
        return show_moment(row.created_at)


@admin.register(Tag)
class TagAdmin(LabelAdmin):
    """Tags."""

    kind = LabelKind.TAG


@admin.register(Correspondent)
class CorrespondentAdmin(LabelAdmin):
    """Correspondents."""

    kind = LabelKind.CORRESPONDENT


@admin.register(DocumentType)
class DocumentTypeAdmin(LabelAdmin):
    """Document types."""

    kind = LabelKind.DOCUMENT_TYPE


class RuleForm(ServiceForm):
    """What is looked for, and for which label."""

    kind = forms.ChoiceField(
        label=_("kind"),
        choices=[(kind, words) for kind, words in RULE_KINDS.items()],
        initial=str(RuleKind.ANY),
    )
    pattern = forms.CharField(
        label=_("pattern"),
        required=False,
        strip=False,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text=_(
            "Words, “words in a row” in quotes, begin*; or a regular expression. Case does not count."
        ),
    )
    likeness = forms.IntegerField(
        label=_("likeness"),
        initial=USUAL_LIKENESS,
        min_value=LEAST_LIKENESS,
        max_value=100,
        help_text=_("Percent; only for “something like it”."),
    )

    class Meta:
        model = MatchingRule
        fields = ("label", "kind", "pattern", "likeness")
        widgets = {"label": forms.TextInput(attrs={"size": 40})}
        help_texts = {"label": _("Rules are made from the page of their label.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "label" in self.fields:  # the page of a label leads here with its id
            with suppress(ValueError, Label.DoesNotExist):
                label = Label.objects.get(pk=uuid.UUID(str(self.initial.get("label"))))
                self.fields["label"].help_text = f"{label.get_kind_display()} {label.name}"

    def write(self) -> MatchingRule:
        """Make the rule, or change it."""
        given = self.cleaned_data
        label = given.get("label") or self.instance.label
        wanted = {
            "access": operator_access(label.tenant_id),
            "kind": LabelKind(label.kind),
            "rule_kind": RuleKind(given["kind"]),
            "pattern": given["pattern"],
            "likeness": given["likeness"],
        }
        if self.instance.tenant_id is None:
            return add_rule(label_id=label.pk, **wanted)
        return change_rule(rule_id=self.instance.pk, **wanted)


@admin.register(MatchingRule)
class MatchingRuleAdmin(WrittenByForm):
    """Rules of all tenants; the page of one says what it finds among the newest documents."""

    form = RuleForm
    list_display = ("pattern_line", "kind_name", "label_name", "tenant_name", "state")
    list_display_links = ("pattern_line",)
    list_select_related = ("tenant", "label")
    change_form_template = "documents/rule_page.html"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of a new rule, or of one whose label is fixed."""
        own = ("kind", "pattern", "likeness")
        return ("label", *own) if obj is None else ("tenant_link", "label_link", *own, "state")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what the row itself decides."""
        return () if obj is None else ("tenant_link", "label_link", "state")

    def page_context(self, request: HttpRequest, row: MatchingRule) -> dict[str, Any]:
        """Return what this pattern, or the one that is being tried, finds among the newest documents."""
        if not request.user.has_perm("documents.view_document"):
            return {}
        given = request.GET
        pattern = given.get("pattern", row.pattern)
        kind = given.get("kind", row.kind)
        likeness = given.get("likeness", str(row.likeness))
        tried, wrong = _try(row.tenant_id, kind, pattern, likeness)
        return {
            "tried": tried,
            "wrong": wrong,
            "trying": {"pattern": pattern, "kind": kind, "likeness": likeness},
            "rule_kinds": [(kind, words) for kind, words in RULE_KINDS.items() if kind != RuleKind.NONE],
        }

    def take_away(self, row: MatchingRule) -> None:
        """Remove the rule."""
        kind = LabelKind(row.label.kind)
        remove_rule(access=operator_access(row.tenant_id), kind=kind, rule_id=row.pk)

    @admin.display(description=_("pattern"))
    def pattern_line(self, row: MatchingRule) -> str:
        """Return what is looked for."""
        return row.pattern or NOTHING

    @admin.display(description=_("kind"))
    def kind_name(self, row: MatchingRule) -> str:
        """Return how it is looked for."""
        return str(row.get_kind_display())

    @admin.display(description=_("label"))
    def label_name(self, row: MatchingRule) -> str:
        """Return what documents get, and of what kind that is."""
        return f"{row.label.get_kind_display()} {row.label.name}"

    @admin.display(description=_("label"))
    def label_link(self, row: MatchingRule) -> str:
        """Return the label with a link to its page."""
        return show_link(f"documents_{row.label.kind.replace('_', '')}", row.label_id, self.label_name(row))

    @admin.display(description=_("state"))
    def state(self, row: MatchingRule) -> str:
        """Return whether the rule is asked, and why not."""
        if row.stopped_at is not None:
            words = gettext("stopped: it took too long, and rests until it is changed")
            return format_html("{} {}", show_state("failed", words), show_moment(row.stopped_at))
        if row.kind == RuleKind.NONE:
            return show_state("queued", gettext("switched off"))
        return show_state("done", gettext("works"))


def _try(tenant_id: uuid.UUID, kind: str, pattern: str, likeness: str) -> tuple[TriedRule | None, str]:
    """Return what a pattern finds, or why it cannot be used."""
    if kind not in list(RuleKind) or kind == RuleKind.NONE:
        return None, ""
    percent = int(likeness) if likeness.isdecimal() and len(likeness) < 4 else USUAL_LIKENESS
    try:
        check_rule(kind=RuleKind(kind), pattern=pattern, likeness=percent)
    except BadPattern as error:
        return None, str(error)
    return try_rule(tenant_id, kind=RuleKind(kind), pattern=pattern, likeness=percent), ""


class FilingForm(ServiceForm):
    """From which confidence on suggestions are filed."""

    class Meta:
        model = FilingSettings
        fields = ("tenant", "apply_above")
        help_texts = {"apply_above": _("0.5 to 1. Empty: every suggestion waits for a person.")}

    def write(self) -> FilingSettings:
        """Have the service write it."""
        tenant = self.cleaned_data.get("tenant") or self.instance.tenant
        return choose_confidence(
            access=operator_access(tenant.pk), apply_above=self.cleaned_data["apply_above"]
        )


@admin.register(FilingSettings)
class FilingSettingsAdmin(WrittenByForm):
    """Tenants that have labels or wishes."""

    form = FilingForm
    keyset = ("tenant_id",)
    actions = ()
    list_display = ("tenant_name", "apply_above")
    autocomplete_fields = ("tenant",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields of a new row, or of one whose tenant is fixed."""
        return ("tenant", "apply_above") if obj is None else ("tenant_link", "apply_above")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what the row itself decides."""
        return () if obj is None else ("tenant_link",)
