"""Reading labels: those of a kind, page by page, one with its rules, and those of a document."""

import uuid
from collections.abc import Sequence

from documents.errors import RuleNotFound
from documents.filing import FilingState, LabelKind
from documents.models import Filing, Label, MatchingRule
from documents.services.labels import get_label, requires_of_kind
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@requires_of_kind("read")
def list_labels(*, access: Access, kind: LabelKind, after: str = "", limit: int) -> Sequence[Label]:
    """Return labels of a kind by name: those whose `key` comes after this one."""
    with tenant_scope(access.tenant_id):
        rows = Label.objects.filter(tenant_id=access.tenant_id, kind=kind, key__gt=after)
        return list(rows.order_by("key")[:limit])


@requires_of_kind("read")
def read_label(*, access: Access, kind: LabelKind, label_id: uuid.UUID) -> Label:
    """Return one label of a kind. Raises `LabelNotFound`."""
    with tenant_scope(access.tenant_id):
        return get_label(access.tenant_id, kind, label_id)


@requires_of_kind("read")
def list_rules(*, access: Access, kind: LabelKind, label_id: uuid.UUID) -> Sequence[MatchingRule]:
    """Return the rules of one label, oldest first; a tenant has a bounded number. Raises `LabelNotFound`."""
    with tenant_scope(access.tenant_id):
        get_label(access.tenant_id, kind, label_id)
        rules = MatchingRule.objects.filter(tenant_id=access.tenant_id, label_id=label_id)
        return list(rules.order_by("created_at", "pk"))


@requires_of_kind("read")
def read_rule(*, access: Access, kind: LabelKind, label_id: uuid.UUID, rule_id: uuid.UUID) -> MatchingRule:
    """Return one rule of a label of this kind. Raises `RuleNotFound`."""
    with tenant_scope(access.tenant_id):
        rules = MatchingRule.objects.filter(tenant_id=access.tenant_id, pk=rule_id)
        rule = rules.filter(label_id=label_id, label__kind=kind).first()
    if rule is None:
        raise RuleNotFound
    return rule


@requires("documents:read")
def list_filed(*, access: Access, document_id: uuid.UUID) -> Sequence[Label]:
    """Return the labels that a document is filed under, by kind and name."""
    with tenant_scope(access.tenant_id):
        filings = Filing.objects.filter(
            tenant_id=access.tenant_id, document_id=document_id, state=FilingState.FILED
        )
        ids = list(filings.values_list("label_id", flat=True))
        return list(Label.objects.filter(tenant_id=access.tenant_id, pk__in=ids).order_by("kind", "key"))
