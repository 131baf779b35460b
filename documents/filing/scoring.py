"""Which labels a document should have, judging by what people filed before (pure).

Naive Bayes over plain counts: for each word of the document, how much more often it stands in documents of
the label than in others. The weightiest few words decide, each of them only up to a limit, because words of
one text come together and not independently.
"""

import math
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from documents.filing.deciding import LabelKind, Proposal, SetBy
from documents.filing.features import is_sender

#: Documents that people must have filed under a label, and of its kind in all, before it is suggested.
LEAST_OF_LABEL, LEAST_OF_KIND = 3, 8
#: Confidence from which a label is suggested.
LEAST_CONFIDENCE = 0.6
#: Tags that are suggested for one document.
MOST_TAGS = 3
#: Words that decide.
_DECISIVE = 8
#: Most that one word, and one sign of a sender, may say (natural logarithm of odds).
_WORD_LIMIT, _SENDER_LIMIT = 1.6, 3.0
#: Limits of what the frequency of a label alone says.
_PRIOR = (-3.0, 0.5)
#: Words that are given as reasons.
_REASONS = 5


@dataclass(frozen=True, slots=True)
class Counts:
    """How many documents of one kind people have filed: in all, by label, by word, and by both."""

    documents: int
    by_label: Mapping[uuid.UUID, int]
    by_word: Mapping[str, int]
    by_both: Mapping[tuple[uuid.UUID, str], int]


def suggest(kind: LabelKind, features: Sequence[str], counts: Counts) -> tuple[Proposal, ...]:
    """Return the labels of one kind that former filing suggests, the likeliest first.

    Of single labels one at most; when several are likely none of them is certain.
    """
    if counts.documents < LEAST_OF_KIND:
        return ()
    scored = [
        _score(label, kind, features, counts)
        for label, documents in counts.by_label.items()
        if documents >= LEAST_OF_LABEL
    ]
    if kind.is_single:
        total = sum(proposal.confidence for proposal in scored)
        best = max(scored, key=lambda proposal: (proposal.confidence, proposal.label), default=None)
        if best is None:
            return ()
        scored = [_with_confidence(best, best.confidence / max(1.0, total))]
    likely = (each for each in scored if each.confidence >= LEAST_CONFIDENCE and each.because)
    ranked = sorted(likely, key=lambda each: (-each.confidence, each.label))
    return tuple(ranked[:MOST_TAGS])


def _score(label: uuid.UUID, kind: LabelKind, features: Iterable[str], counts: Counts) -> Proposal:
    with_label = counts.by_label[label]
    without = counts.documents - with_label
    prior = math.log((with_label + 0.5) / (without + 0.5))
    weights: dict[str, float] = {}
    for feature in features:
        anywhere = counts.by_word.get(feature, 0)
        if anywhere == 0:
            continue
        here = min(counts.by_both.get((label, feature), 0), with_label)
        elsewhere = max(anywhere - here, 0)
        weight = math.log(((here + 0.5) / (with_label + 1)) / ((elsewhere + 0.5) / (without + 1)))
        limit = _SENDER_LIMIT if is_sender(feature) else _WORD_LIMIT
        weights[feature] = max(-limit, min(limit, weight))
    decisive = sorted(weights, key=lambda feature: (-abs(weights[feature]), feature))[:_DECISIVE]
    score = max(_PRIOR[0], min(_PRIOR[1], prior)) + sum(weights[feature] for feature in decisive)
    because = tuple(feature for feature in decisive if weights[feature] > 0)[:_REASONS]
    confidence = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
    return Proposal(label, kind, SetBy.SUGGESTION, because, confidence=round(confidence, 4))


def _with_confidence(proposal: Proposal, confidence: float) -> Proposal:
    return Proposal(
        proposal.label, proposal.kind, proposal.by, proposal.because, confidence=round(confidence, 4)
    )


def count_up(rows: Iterable[tuple[uuid.UUID | None, str, int]]) -> Counts:
    """Return the counts of one kind from rows (label or None for all, word or "" for all, documents)."""
    documents, by_label, by_word = 0, {}, {}
    by_both: defaultdict[tuple[uuid.UUID, str], int] = defaultdict(int)
    for label, word, number in rows:
        if label is None and not word:
            documents = number
        elif label is None:
            by_word[word] = number
        elif not word:
            by_label[label] = number
        else:
            by_both[label, word] = number
    return Counts(documents, by_label, by_word, dict(by_both))
