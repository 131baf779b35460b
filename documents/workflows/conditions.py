"""When a workflow is for a document (pure): all of its conditions must hold; without any it is for each."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase

from documents.filing import LabelKind, Matcher, Rule


@dataclass(frozen=True)
class Facts:
    """What conditions look at. `labels` are the ids of what the document is filed under, by kind."""

    source: str
    filename: str
    media_type: str
    text: str
    issued: date | None = None
    labels: Mapping[LabelKind, frozenset[uuid.UUID]] = field(default_factory=dict)

    def has(self, kind: LabelKind, label: uuid.UUID) -> bool:
        """Tell whether the document is filed under a label."""
        return label in self.labels.get(kind, frozenset())


@dataclass(frozen=True)
class Conditions:
    """All that are given must hold; of `sources`, `filenames` and `media_types` one each is enough."""

    sources: tuple[str, ...] = ()
    #: With * and ?; case does not count.
    filenames: tuple[str, ...] = ()
    #: Such as application/pdf or image/*.
    media_types: tuple[str, ...] = ()
    #: As a rule has it, its label left out.
    text: Rule | None = None
    issued_from: date | None = None
    issued_to: date | None = None
    any_tags: tuple[uuid.UUID, ...] = ()
    all_tags: tuple[uuid.UUID, ...] = ()
    no_tags: tuple[uuid.UUID, ...] = ()
    correspondents: tuple[uuid.UUID, ...] = ()
    document_types: tuple[uuid.UUID, ...] = ()


def find_unmet(conditions: Conditions, facts: Facts, matcher: Matcher | None) -> str:
    """Return the name of the first condition that does not hold, or nothing if all do.

    `matcher` has the rule of the condition on the text as its only one. One that takes too long is not met.
    """
    return next((name for name, holds in _checks(conditions, facts, matcher) if not holds), "")


def _checks(conditions: Conditions, facts: Facts, matcher: Matcher | None) -> Iterator[tuple[str, bool]]:
    """Yield name and outcome, the cheap ones first: the text is looked at last."""
    if conditions.sources:
        yield "source", facts.source in conditions.sources
    if conditions.filenames:
        yield "filename", _fits(facts.filename, conditions.filenames)
    if conditions.media_types:
        yield "type", _fits(facts.media_type, conditions.media_types)
    if conditions.issued_from or conditions.issued_to:
        yield "issued", _is_between(facts.issued, conditions.issued_from, conditions.issued_to)
    if conditions.any_tags:
        yield "tags.any", any(facts.has(LabelKind.TAG, tag) for tag in conditions.any_tags)
    if conditions.all_tags:
        yield "tags.all", all(facts.has(LabelKind.TAG, tag) for tag in conditions.all_tags)
    if conditions.no_tags:
        yield "tags.none", not any(facts.has(LabelKind.TAG, tag) for tag in conditions.no_tags)
    for name, kind, wanted in (
        ("correspondent", LabelKind.CORRESPONDENT, conditions.correspondents),
        ("document_type", LabelKind.DOCUMENT_TYPE, conditions.document_types),
    ):
        if wanted:
            yield name, any(facts.has(kind, label) for label in wanted)
    if conditions.text is not None:
        matches = matcher.match(facts.text) if matcher is not None else None
        name = "text (it took too long)" if matches is not None and matches.stopped else "text"
        yield name, matches is not None and bool(matches.hits)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    folded = name.casefold()
    return any(fnmatchcase(folded, pattern.casefold()) for pattern in patterns)


def _is_between(day: date | None, first: date | None, last: date | None) -> bool:
    return day is not None and (first is None or first <= day) and (last is None or day <= last)
