"""Rules of a tenant: making, changing, removing them, and stopping those that take too long."""

import uuid
from collections.abc import Callable, Iterable

from django.db.models.functions import Now

from documents.errors import BadRule, RuleNotFound, TooManyRules
from documents.filing import BadPattern, LabelKind, RuleKind, Stopped, check_rule
from documents.filing.rules import USUAL_LIKENESS
from documents.models import MatchingRule
from documents.services.changes import lock_active_tenant
from documents.services.labels import change_revision, get_label, requires_of_kind
from jobs.text import clean_text
from tenants.access import Access
from tenants.audit import record
from tenants.scope import tenant_scope

#: Rules of a tenant.
MAX_RULES = 5_000


@requires_of_kind("edit")
def add_rule(
    *,
    access: Access,
    kind: LabelKind,
    label_id: uuid.UUID,
    rule_kind: RuleKind,
    pattern: str,
    likeness: int = USUAL_LIKENESS,
) -> MatchingRule:
    """Have documents in which the pattern is found get a label of `kind`, from the next analysis on.

    Raises `BadRule`, `LabelNotFound`, `TooManyRules`, `TenantNotActive`, `TenantNotFound`.
    """
    cleaned = _check(rule_kind, pattern, likeness)
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        get_label(access.tenant_id, kind, label_id, lock=True)
        if MatchingRule.objects.filter(tenant_id=access.tenant_id).count() >= MAX_RULES:
            raise TooManyRules
        rule = MatchingRule(
            tenant_id=access.tenant_id,
            label_id=label_id,
            kind=rule_kind,
            pattern=cleaned,
            likeness=likeness,
        )
        rule.save(force_insert=True)
        change_revision(access.tenant_id)
        _record("rule.added", rule)
    return rule


@requires_of_kind("edit")
def change_rule(
    *,
    access: Access,
    kind: LabelKind,
    rule_id: uuid.UUID,
    rule_kind: RuleKind,
    pattern: str,
    likeness: int = USUAL_LIKENESS,
    check: Callable[[MatchingRule], None] | None = None,
) -> MatchingRule:
    """Change a rule of a label of `kind`; one that was stopped works again.

    `check` may refuse the rule as it is, locked.

    Raises `BadRule`, `RuleNotFound`, `TenantNotActive`, `TenantNotFound`.
    """
    cleaned = _check(rule_kind, pattern, likeness)
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        rule = _lock_rule(access.tenant_id, kind, rule_id)
        if check is not None:
            check(rule)
        rule.kind, rule.pattern, rule.likeness = rule_kind, cleaned, likeness
        rule.stopped_at, rule.stopped_because = None, ""
        rule.save()
        change_revision(access.tenant_id)
        _record("rule.changed", rule)
    return rule


@requires_of_kind("edit")
def remove_rule(*, access: Access, kind: LabelKind, rule_id: uuid.UUID) -> None:
    """Remove a rule of a label of `kind`; what it has filed stays.

    Raises `RuleNotFound`, `TenantNotActive`, `TenantNotFound`.
    """
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        rule = _lock_rule(access.tenant_id, kind, rule_id)
        MatchingRule.objects.filter(tenant_id=access.tenant_id, pk=rule.pk).delete()
        change_revision(access.tenant_id)
        _record("rule.removed", rule)


def stop_rules(tenant_id: uuid.UUID, stopped: Iterable[Stopped]) -> None:
    """Let rules rest that took too long, unless a person has changed them meanwhile; it is audited.

    Needs the tenant's scope. The last statements of its transaction.
    """
    for each in stopped:
        words = f"stopped after {each.seconds:.2f} s of processor time on one document"
        rows = MatchingRule.objects.filter(
            tenant_id=tenant_id, pk=each.rule.id, pattern=each.rule.pattern, stopped_at=None
        )
        if rows.update(stopped_at=Now(), stopped_because=words):
            change_revision(tenant_id)
            record("rule.stopped", tenant_id=tenant_id, object_type="rule", object_id=each.rule.id)


def _check(kind: RuleKind, pattern: str, likeness: int) -> str:
    """Return the pattern as it is stored, or raise `BadRule`."""
    cleaned = clean_text(pattern.strip(), limit=len(pattern) + 1)
    try:
        check_rule(kind=kind, pattern=cleaned, likeness=likeness)
    except BadPattern as error:
        raise BadRule(str(error)) from error
    if not 0 < likeness <= 100:
        raise BadRule("The likeness is a number of percent.")
    return cleaned


def _lock_rule(tenant_id: uuid.UUID, kind: LabelKind, rule_id: uuid.UUID) -> MatchingRule:
    rules = MatchingRule.objects.select_for_update(of=("self",)).select_related("label")
    rule = rules.filter(tenant_id=tenant_id, pk=rule_id, label__kind=kind).first()
    if rule is None:
        raise RuleNotFound(f"The tenant has no rule {rule_id} for labels of this kind.")
    return rule


def _record(action: str, rule: MatchingRule) -> None:
    record(
        action,
        tenant_id=rule.tenant_id,
        object_type="rule",
        object_id=rule.pk,
        details={"kind": str(rule.kind), "label": str(rule.label_id)},
    )
