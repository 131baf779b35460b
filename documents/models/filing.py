"""What documents are filed under: labels, the rules that file by themselves, and where each document stands.

Written by `documents.services` only. Tags, correspondents and document types are labels of three kinds in one
table, because rules, suggestions and filing treat them alike; each kind has a model of its own to read by.
"""

import uuid
from typing import ClassVar, TypeVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from documents.filing.deciding import FilingState, LabelKind, SetBy
from documents.filing.rules import LEAST_LIKENESS, MAX_PATTERN, USUAL_LIKENESS, RuleKind
from documents.models.document import Document
from tenants.models import TenantRow

LABEL_KINDS = {
    LabelKind.TAG.value: _("tag"),
    LabelKind.CORRESPONDENT.value: _("correspondent"),
    LabelKind.DOCUMENT_TYPE.value: _("document type"),
}
RULE_KINDS = {
    RuleKind.NONE.value: _("switched off"),
    RuleKind.ANY.value: _("any of the words"),
    RuleKind.ALL.value: _("all words"),
    RuleKind.EXACT.value: _("exactly these words in a row"),
    RuleKind.REGEX.value: _("regular expression"),
    RuleKind.FUZZY.value: _("something like it"),
}
FILING_STATES = {
    FilingState.FILED.value: _("filed"),
    FilingState.SUGGESTED.value: _("suggested"),
    FilingState.REFUSED.value: _("refused"),
    FilingState.REMOVED.value: _("taken away"),
}
SET_BY = {
    SetBy.PERSON.value: _("a person"),
    SetBy.RULE.value: _("a rule"),
    SetBy.SUGGESTION.value: _("a suggestion"),
    SetBy.WORKFLOW.value: _("a workflow"),
}
#: Characters of a name.
MAX_NAME = 100


class Label(TenantRow):
    """A tag, a correspondent or a document type of one tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(_("kind"), max_length=16, choices=LABEL_KINDS)
    name = models.CharField(_("name"), max_length=MAX_NAME)
    #: The name as it is compared (casefold, which no collation of a database offers): unique in a kind.
    key = models.CharField(_("key"), max_length=3 * MAX_NAME, editable=False)
    created_at = models.DateTimeField(_("added"), db_default=Now())

    class Meta:
        verbose_name = _("label")
        verbose_name_plural = _("labels")
        constraints = [
            models.UniqueConstraint(name="documents_label_name", fields=["tenant", "kind", "key"]),
            models.UniqueConstraint(name="documents_label_tenant_id", fields=["tenant", "id"]),
            models.UniqueConstraint(name="documents_label_tenant_kind", fields=["tenant", "kind", "id"]),
            models.CheckConstraint(
                name="documents_label_kind", condition=models.Q(kind__in=list(map(str, LabelKind)))
            ),
        ]
        indexes = [models.Index(name="documents_label_newest", fields=["-created_at", "-id"])]

    def __str__(self) -> str:
        return self.name


_OneKind = TypeVar("_OneKind", bound=Label)


class _OfKind(models.Manager[_OneKind]):
    """The labels of one kind."""

    def __init__(self, kind: LabelKind) -> None:
        super().__init__()
        self._kind = kind

    def get_queryset(self) -> models.QuerySet[_OneKind]:
        """Return labels of this kind only."""
        return super().get_queryset().filter(kind=self._kind)


class Tag(Label):
    """What a document is about, or what is to be done with it; a document has any number of them."""

    objects: ClassVar[models.Manager["Tag"]] = _OfKind(LabelKind.TAG)

    class Meta:
        proxy = True
        verbose_name = _("tag")
        verbose_name_plural = _("tags")


class Correspondent(Label):
    """Whom a document comes from or goes to; a document has one at most."""

    objects: ClassVar[models.Manager["Correspondent"]] = _OfKind(LabelKind.CORRESPONDENT)

    class Meta:
        proxy = True
        verbose_name = _("correspondent")
        verbose_name_plural = _("correspondents")


class DocumentType(Label):
    """What kind of paper a document is; a document has one at most."""

    objects: ClassVar[models.Manager["DocumentType"]] = _OfKind(LabelKind.DOCUMENT_TYPE)

    class Meta:
        proxy = True
        verbose_name = _("document type")
        verbose_name_plural = _("document types")


class MatchingRule(TenantRow):
    """What a text must have in it so that its document gets the label."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    label = models.ForeignKey(
        Label,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="rules",
        verbose_name=_("label"),
    )
    kind = models.CharField(_("kind"), max_length=8, choices=RULE_KINDS, default=RuleKind.ANY.value)
    pattern = models.CharField(_("pattern"), max_length=MAX_PATTERN, blank=True, default="")
    #: Percent, of fuzzy rules.
    likeness = models.PositiveSmallIntegerField(_("likeness"), default=USUAL_LIKENESS)
    #: When it took too long and was stopped; it rests until a person changes it.
    stopped_at = models.DateTimeField(_("stopped"), null=True, blank=True)
    stopped_because = models.CharField(_("why it was stopped"), max_length=200, default="", blank=True)
    created_at = models.DateTimeField(_("added"), db_default=Now())

    class Meta:
        verbose_name = _("rule")
        verbose_name_plural = _("rules")
        constraints = [
            models.UniqueConstraint(name="documents_matchingrule_tenant_id", fields=["tenant", "id"]),
            models.CheckConstraint(
                name="documents_matchingrule_likeness",
                condition=models.Q(likeness__gte=LEAST_LIKENESS, likeness__lte=100),
            ),
        ]
        indexes = [
            models.Index(name="documents_matchingrule_label", fields=["tenant", "label"]),
            models.Index(name="documents_matchingrule_newest", fields=["-created_at", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.pattern}"


class Filing(TenantRow):
    """Where one document stands to one label, who said so, and why.

    What a person has refused or taken away stays as a row, so that nothing brings it back by itself.
    """

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="filings",
        verbose_name=_("document"),
    )
    label = models.ForeignKey(
        Label,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="filings",
        verbose_name=_("label"),
    )
    #: That of the label, which the key to it proves: so that an index can keep single labels single.
    kind = models.CharField(_("kind"), max_length=16, choices=LABEL_KINDS)
    state = models.CharField(_("state"), max_length=10, choices=FILING_STATES)
    set_by = models.CharField(_("set by"), max_length=10, choices=SET_BY)
    rule = models.ForeignKey(
        MatchingRule,
        on_delete=models.DO_NOTHING,  # the key in the database empties it
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("rule"),
    )
    #: 0 to 1; of suggestions only.
    confidence = models.FloatField(_("confidence"), null=True, blank=True)
    #: The words that speak for it.
    because = models.JSONField(_("because of"), default=list, blank=True)
    decided_at = models.DateTimeField(_("decided"), db_default=Now())

    class Meta:
        verbose_name = _("filing")
        verbose_name_plural = _("filings")
        constraints = [
            models.UniqueConstraint(name="documents_filing_once", fields=["tenant", "document", "label"]),
            models.UniqueConstraint(
                name="documents_filing_single",
                fields=["tenant", "document", "kind"],
                condition=models.Q(state=FilingState.FILED.value) & ~models.Q(kind=LabelKind.TAG.value),
            ),
        ]
        indexes = [
            models.Index(name="documents_filing_label", fields=["tenant", "label", "state", "document"]),
            models.Index(
                name="documents_filing_rule",
                fields=["tenant", "rule"],
                condition=models.Q(rule__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.label_id}: {self.state}"


class FilingSettings(TenantRow):
    """How a tenant wants its documents filed; no row means the defaults."""

    id = models.BigAutoField(primary_key=True)
    #: Suggestions of at least this confidence (0.5 to 1) are filed by themselves; None: none is.
    apply_above = models.FloatField(_("file suggestions by themselves from"), null=True, blank=True)
    #: Grows whenever labels or rules change, so that what workers have in memory of them is known to be old.
    revision = models.BigIntegerField(_("revision"), default=0)

    class Meta:
        verbose_name = _("settings of filing")
        verbose_name_plural = _("settings of filing")
        constraints = [
            models.UniqueConstraint(name="documents_filingsettings_tenant", fields=["tenant"]),
            models.CheckConstraint(
                name="documents_filingsettings_apply",
                condition=models.Q(apply_above=None) | models.Q(apply_above__gte=0.5, apply_above__lte=1.0),
            ),
        ]

    def __str__(self) -> str:
        return f"filing of {self.tenant_id}"
