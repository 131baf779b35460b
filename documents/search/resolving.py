"""From what a person asks for to what an engine is asked for: names become labels, days become moments."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from documents.models import Label
from documents.search.conditions import Among, Issued, Stored
from documents.search.fields import Days, Field, Property
from documents.search.parsing import spell_name
from documents.search.query import Added, Clause, Condition, Having, Labelled, Query
from documents.search.sets import KIND_OF

_NAME_OF = {Field.TAG: "tag", Field.FROM: "correspondent", Field.TYPE: "document type"}


def resolve_query(query: Query, *, tenant_id: uuid.UUID, zone: ZoneInfo) -> Query:
    """Return the query with labels and moments of a tenant, in whose scope this runs.

    A name stands for the label that is called so; where none is, for all whose name begins so, word by word.
    """
    fields = {term.field for clause in query.clauses for term in clause.terms if isinstance(term, Labelled)}
    labels = {field: _load_labels(tenant_id, field) for field in fields}
    notes = list(query.notes)

    def resolve(condition: Condition) -> Condition:
        if isinstance(condition, Labelled):
            found = _find_labels(labels[condition.field], condition.name)
            if not found:
                notes.append(
                    f"There is no {_NAME_OF[condition.field]} whose name begins with “{condition.name}”."
                )
            return Among(labels=found, excluded=condition.excluded)
        if isinstance(condition, Added):
            return Stored(*_moments(condition.days, zone), excluded=condition.excluded)
        if isinstance(condition, Having):
            if condition.what is Property.DATE:
                return Issued(Days(), condition.excluded)
            return Among(having=condition.what, excluded=condition.excluded)
        return condition

    clauses = tuple(Clause(tuple(map(resolve, clause.terms))) for clause in query.clauses)
    return replace(query, clauses=clauses, notes=tuple(notes))


def _load_labels(tenant_id: uuid.UUID, field: Field) -> Mapping[str, Sequence[uuid.UUID]]:
    """Return the labels of a kind by their folded names in all spellings; two may look alike."""
    labels: defaultdict[str, list[uuid.UUID]] = defaultdict(list)
    rows = Label.objects.filter(tenant_id=tenant_id, kind=KIND_OF[field])
    for label_id, name in rows.values_list("pk", "name"):
        for spelling in spell_name(name):
            labels[spelling].append(label_id)
    return labels


def _find_labels(labels: Mapping[str, Sequence[uuid.UUID]], name: str) -> tuple[uuid.UUID, ...]:
    if name in labels:
        return tuple(labels[name])
    wanted = name.split()
    found = (label for folded, ids in labels.items() if _begin(folded.split(), wanted) for label in ids)
    return tuple(dict.fromkeys(found))


def _begin(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether each wanted word begins one of the words."""
    return all(any(word.startswith(each) for word in words) for each in wanted)


def _moments(days: Days, zone: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """Return when the first day begins, and when the day after the last one does."""
    first = datetime.combine(days.first, time(), zone) if days.first else None
    if days.last is None or days.last == date.max:
        return first, None
    return first, datetime.combine(days.last + timedelta(days=1), time(), zone)
