"""Writing what rules, suggestions and workflows do to a document whose row is locked."""

import uuid
from collections.abc import Iterable

from django.db import connection
from django.db.models.functions import Now

from documents.filing import Change, FilingState, Proposal, SetBy, Verb
from documents.models import Filing
from documents.services.filing import lock_labels

#: In which states a row that no person has decided takes what is proposed. A workflow also confirms what is
#: filed, and brings back what a workflow has taken away.
_GIVES_WAY = {
    SetBy.WORKFLOW: (FilingState.SUGGESTED, FilingState.FILED, FilingState.REMOVED),
    SetBy.RULE: (FilingState.SUGGESTED,),
    SetBy.SUGGESTION: (FilingState.SUGGESTED,),
}


def write_changes(tenant_id: uuid.UUID, document_id: uuid.UUID, changes: Iterable[Change]) -> int:
    """Carry out what was decided about a document; returns how many labels it got or lost.

    Whatever a person has decided since stays: every statement names what it expects. A label that has gone
    meanwhile is passed by. Needs the tenant's scope and the document's lock.
    """
    wanted = list(changes)
    if not wanted:
        return 0
    labels = lock_labels(tenant_id, {change.label for change in wanted if change.proposal is not None})
    rules = _lock_rules(tenant_id, wanted)
    rows = Filing.objects.filter(tenant_id=tenant_id, document_id=document_id)
    filed = 0
    # What goes first makes room for what comes: a single label is single at any moment.
    for change in sorted(wanted, key=lambda each: each.verb is not Verb.DROP):
        proposal = change.proposal
        open_rows = rows.filter(label_id=change.label).exclude(set_by=SetBy.PERSON)
        if proposal is None:
            had = open_rows.filter(state=FilingState.FILED).count()
            open_rows.filter(state__in=(FilingState.FILED, FilingState.SUGGESTED)).delete()
            filed += had
            continue
        if change.label not in labels:
            continue
        state = FilingState.FILED if change.verb is Verb.FILE else FilingState.SUGGESTED
        values = _values(proposal, state, rules)
        had = open_rows.filter(state=FilingState.FILED).exists()
        if open_rows.filter(state__in=_GIVES_WAY[proposal.by]).update(**values, decided_at=Now()):
            filed += state is FilingState.FILED and not had
        elif not rows.filter(label_id=change.label).exists():
            Filing.objects.create(
                tenant_id=tenant_id,
                document_id=document_id,
                label_id=change.label,
                kind=change.kind,
                **values,
            )
            filed += state is FilingState.FILED
    return filed


def _values(proposal: Proposal, state: FilingState, rules: set[uuid.UUID]) -> dict[str, object]:
    return {
        "state": state,
        "set_by": proposal.by,
        "rule_id": proposal.rule if proposal.rule in rules else None,
        "confidence": proposal.confidence if proposal.by is SetBy.SUGGESTION else None,
        "because": [word[:100] for word in proposal.because],
    }


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
