"""What a tenant's rules and former filing know, read from the database for the documents at hand.

Rules are compiled once in a process and kept until the tenant's revision says that they are old.
"""

import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from threading import Lock

from django.db.models import QuerySet

from documents.filing import Filed, FilingState, Knowledge, LabelKind, Matcher, Rule, RuleKind, SetBy
from documents.filing.features import find_features
from documents.filing.scoring import Counts, count_up
from documents.models import Filing, FilingSettings, Label, MatchingRule, WordCount
from documents.models.learning import EVERY

#: Tenants whose rules a process keeps.
_KEPT = 32
#: Words of a document that are asked for in the counts: the rarest, which say most.
_ASKED = 40


@dataclass(frozen=True)
class _Rulebook:
    """The rules and labels of a tenant at one revision."""

    revision: int
    knowledge: Knowledge


_rulebooks: OrderedDict[uuid.UUID, _Rulebook] = OrderedDict()
_guard = Lock()


def load_knowledge(tenant_id: uuid.UUID, document_id: uuid.UUID, *, text: str, filename: str) -> Knowledge:
    """Return what there is to know for filing a document with this text. Needs the tenant's scope."""
    rules = load_rules(tenant_id)
    if not rules.kinds:
        return rules
    filed = read_filed(tenant_id, [document_id]).get(document_id, ())
    counts = read_counts(tenant_id, {document_id: find_features(text, filename=filename)})
    return replace(rules, filed=filed, counts=counts.get(document_id, {}))


def load_rules(tenant_id: uuid.UUID) -> Knowledge:
    """Return the rules and labels of a tenant as they are now. Needs its scope."""
    settings = FilingSettings.objects.filter(tenant_id=tenant_id).first()
    if settings is None:
        return Knowledge(Matcher(()), {}, {})
    with _guard:
        known = _rulebooks.get(tenant_id)
        if known is not None and known.revision == settings.revision:
            _rulebooks.move_to_end(tenant_id)
            return known.knowledge
    made = _Rulebook(settings.revision, _read(tenant_id, settings.apply_above))
    with _guard:
        _rulebooks[tenant_id] = made
        _rulebooks.move_to_end(tenant_id)
        while len(_rulebooks) > _KEPT:
            _rulebooks.popitem(last=False)
    return made.knowledge


def _read(tenant_id: uuid.UUID, apply_above: float | None) -> Knowledge:
    labels = list(Label.objects.filter(tenant_id=tenant_id).values_list("pk", "kind", "name"))
    rows = MatchingRule.objects.filter(tenant_id=tenant_id, stopped_at=None).exclude(kind=RuleKind.NONE)
    rules = [Rule(row.pk, row.label_id, RuleKind(row.kind), row.pattern, row.likeness) for row in rows]
    return Knowledge(
        matcher=Matcher(rules),
        kinds={pk: LabelKind(kind) for pk, kind, _ in labels},
        names={pk: name for pk, _, name in labels},
        apply_above=apply_above,
    )


def read_filed(tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, tuple[Filed, ...]]:
    """Return where documents stand to labels; without an entry for those that stand to none."""
    found: defaultdict[uuid.UUID, list[Filed]] = defaultdict(list)
    rows = Filing.objects.filter(tenant_id=tenant_id, document_id__in=list(document_ids)).order_by("pk")
    for document_id, label_id, kind, state, set_by in rows.values_list(
        "document_id", "label_id", "kind", "state", "set_by"
    ):
        found[document_id].append(Filed(label_id, LabelKind(kind), FilingState(state), SetBy(set_by)))
    return {document_id: tuple(each) for document_id, each in found.items()}


def has_learned(tenant_id: uuid.UUID) -> bool:
    """Return whether anything is counted, so that former filing can be asked. Needs the tenant's scope."""
    return WordCount.objects.filter(tenant_id=tenant_id, label=None, word=EVERY).exists()


def read_counts(
    tenant_id: uuid.UUID, features: Mapping[uuid.UUID, Sequence[str]]
) -> Mapping[uuid.UUID, Mapping[LabelKind, Counts]]:
    """Return what is counted of the rarest words of each document, by kind; nothing counted: no entry.

    Two statements for all of them. Needs the tenant's scope.
    """
    rows = WordCount.objects.filter(tenant_id=tenant_id)
    totals = _by_word(rows.filter(label=None, word__in={EVERY, *chain.from_iterable(features.values())}))
    if not totals:
        return {}
    anywhere = {word: max(documents for *_, documents in found) for word, found in totals.items()}
    asked = {
        document_id: sorted(
            (anywhere.keys() & set(words)) - {EVERY}, key=lambda word: (anywhere[word], word)
        )[:_ASKED]
        for document_id, words in features.items()
    }
    by_label = _by_word(
        rows.filter(word__in={EVERY, *chain.from_iterable(asked.values())}).exclude(label=None)
    )
    counts = {}
    for document_id, words in asked.items():
        sorted_out: defaultdict[str, list[tuple[uuid.UUID | None, str, int]]] = defaultdict(list)
        for word in (EVERY, *words):
            for kind, label_id, documents in (*totals.get(word, ()), *by_label.get(word, ())):
                sorted_out[kind].append((label_id, word, documents))
        counts[document_id] = {LabelKind(kind): count_up(found) for kind, found in sorted_out.items()}
    return counts


def _by_word(rows: QuerySet[WordCount]) -> dict[str, list[tuple[str, uuid.UUID | None, int]]]:
    """Return kind, label and number of documents of each word."""
    found: defaultdict[str, list[tuple[str, uuid.UUID | None, int]]] = defaultdict(list)
    for word, kind, label_id, documents in rows.values_list("word", "kind", "label_id", "documents"):
        found[word].append((kind, label_id, documents))
    return dict(found)
