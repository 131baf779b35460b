"""Writing what rules, suggestions and workflows do to documents whose rows are locked."""

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models.functions import Now

from documents.filing import Change, FilingState, Proposal, SetBy, Verb
from documents.models import Filing
from documents.services.filing import lock_labels

_VALUES = ("state", "set_by", "rule_id", "confidence", "because")
#: By the ORM a row costs ten times as much, and rules may file a document under many labels.
_INSERT = """
    INSERT INTO documents_filing
        (tenant_id, document_id, label_id, kind, state, set_by, rule_id, confidence, because, decided_at)
    SELECT %(tenant)s, document, label, kind, state, set_by, rule, confidence, because, statement_timestamp()
    FROM unnest(%(documents)s::uuid[], %(labels)s::uuid[], %(kinds)s::text[], %(states)s::text[],
        %(set_by)s::text[], %(rules)s::uuid[], %(confidences)s::float8[], %(because)s::jsonb[])
        AS given (document, label, kind, state, set_by, rule, confidence, because)
"""

#: In which states a row that no person has decided takes what is proposed. A workflow also confirms what is
#: filed, and brings back what a workflow has taken away.
_GIVES_WAY = {
    SetBy.WORKFLOW: (FilingState.SUGGESTED, FilingState.FILED, FilingState.REMOVED),
    SetBy.RULE: (FilingState.SUGGESTED,),
    SetBy.SUGGESTION: (FilingState.SUGGESTED,),
}


def write_changes(
    tenant_id: uuid.UUID, changes: Mapping[uuid.UUID, Sequence[Change]]
) -> Mapping[uuid.UUID, int]:
    """Carry out what was decided about documents; returns how many labels each got or lost, if any.

    What a person has decided stays, and a label that has gone meanwhile is passed by. A few statements for
    all. Needs the tenant's scope and the locks of the documents, under which nobody files anything else.
    """
    flat = [change for each in changes.values() for change in each]
    if not flat:
        return {}
    labels = lock_labels(tenant_id, {change.label for change in flat if change.proposal is not None})
    rules = _lock_rules(tenant_id, flat)
    rows = Filing.objects.filter(tenant_id=tenant_id, document_id__in=list(changes))
    known = {
        (row.document_id, row.label_id): row
        for row in rows.filter(label_id__in={change.label for change in flat})
    }
    counted: Counter[uuid.UUID] = Counter()
    gone: list[int] = []
    new: list[tuple[uuid.UUID, Change, _Values]] = []
    changed: list[Filing] = []
    for document_id, each in changes.items():
        for change in each:
            row, proposal = known.get((document_id, change.label)), change.proposal
            if row is not None and row.set_by == SetBy.PERSON:
                continue
            was_filed = row is not None and row.state == FilingState.FILED
            if proposal is None:
                if row is not None and row.state in (FilingState.FILED, FilingState.SUGGESTED):
                    gone.append(row.pk)
                    counted[document_id] += was_filed
                continue
            if change.label not in labels or (row is not None and row.state not in _GIVES_WAY[proposal.by]):
                continue
            state = FilingState.FILED if change.verb is Verb.FILE else FilingState.SUGGESTED
            rule_id = proposal.rule if proposal.rule in rules else None
            values = _Values(state, proposal, rule_id)
            if row is None:
                new.append((document_id, change, values))
            elif values.write_to(row):
                changed.append(row)
            counted[document_id] += state is FilingState.FILED and not was_filed
    # What goes first makes room for what comes: a single label is single at any moment.
    rows.filter(pk__in=gone).delete()
    for row in changed:
        row.save(update_fields=[*_VALUES, "decided_at"])
    _insert(tenant_id, new)
    return +counted


@dataclass(frozen=True)
class _Values:
    """What a row says of a decision."""

    state: FilingState
    proposal: Proposal
    rule_id: uuid.UUID | None

    @property
    def confidence(self) -> float | None:
        return self.proposal.confidence if self.proposal.by is SetBy.SUGGESTION else None

    @property
    def because(self) -> list[str]:
        return [word[:100] for word in self.proposal.because]

    def write_to(self, row: Filing) -> bool:
        """Have a row say so; returns whether it said anything else before."""
        before = [getattr(row, name) for name in _VALUES]
        row.state, row.set_by, row.rule_id = self.state, self.proposal.by, self.rule_id
        row.confidence, row.because = self.confidence, self.because
        if before == [getattr(row, name) for name in _VALUES]:
            return False
        row.decided_at = Now()
        return True


def _insert(tenant_id: uuid.UUID, new: Sequence[tuple[uuid.UUID, Change, _Values]]) -> None:
    if not new:
        return
    values = [each for _, _, each in new]
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT,
            {
                "tenant": tenant_id,
                "documents": [document_id for document_id, _, _ in new],
                "labels": [change.label for _, change, _ in new],
                "kinds": [str(change.kind) for _, change, _ in new],
                "states": [str(each.state) for each in values],
                "set_by": [str(each.proposal.by) for each in values],
                "rules": [each.rule_id for each in values],
                "confidences": [each.confidence for each in values],
                "because": [json.dumps(each.because) for each in values],
            },
        )


def _lock_rules(tenant_id: uuid.UUID, changes: Iterable[Change]) -> set[uuid.UUID]:
    named = {change.proposal.rule for change in changes if change.proposal and change.proposal.rule}
    if not named:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM documents_matchingrule WHERE tenant_id = %s AND id = ANY(%s)"
            " ORDER BY id FOR KEY SHARE",
            [tenant_id, sorted(named)],
        )
        return {rule_id for (rule_id,) in cursor.fetchall()}
