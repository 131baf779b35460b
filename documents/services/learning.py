"""Counting what people file, and taking counts back when they correct it. Called by services that file.

Each document is counted once for each kind of label, with the words it had then: what was added can be taken
away again to the last count, whatever becomes of its text. Runs under the documents' locks.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db import connection
from django.db.models import Q

from documents.filing import FilingState, LabelKind, SetBy
from documents.filing.features import find_features
from documents.models import Filing, LearnedDocument, PageText, WordCount
from documents.models.learning import EVERY
from documents.selectors import find_newest_versions

#: Pages from which words are taken.
_PAGES = 5

#: What is counted: kind, word, label (None: all).
_Key = tuple[str, str, uuid.UUID | None]

_ADD_SQL = """
    INSERT INTO documents_wordcount AS known (tenant_id, kind, word, label_id, documents)
    SELECT %(tenant)s, kind, word, label, documents
    FROM unnest(%(kinds)s::text[], %(words)s::text[], %(labels)s::uuid[], %(documents)s::integer[])
         AS given (kind, word, label, documents)
    ORDER BY word, kind, label
    ON CONFLICT (tenant_id, word, kind, label_id)
    DO UPDATE SET documents = known.documents + excluded.documents
"""


def learn_documents(
    tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID], *, kinds: Iterable[LabelKind] = tuple(LabelKind)
) -> None:
    """Bring the counts up to date with how these documents are filed now.

    A document counts for a kind once a person has decided about it, with all labels of the kind that it has.
    Needs the tenant's scope and the locks of the documents.
    """
    ids, wanted = sorted(set(document_ids)), [str(kind) for kind in kinds]
    if not ids:
        return
    learned = {
        (row.document_id, row.kind): row
        for row in LearnedDocument.objects.filter(tenant_id=tenant_id, document_id__in=ids, kind__in=wanted)
    }
    filed = _read_filed(tenant_id, ids, wanted)
    changed = [
        key
        for key in sorted(learned.keys() | filed.keys())
        if key not in filed
        or key not in learned
        or not learned[key].words
        or learned[key].labels != filed[key]
    ]
    unread = {key[0] for key in changed if key in filed and not (key in learned and learned[key].words)}
    words = read_features(tenant_id, unread)
    deltas: Counter[_Key] = Counter()
    for key in changed:
        known = learned.get(key)
        if known is not None:
            _count(deltas, key[1], known.labels, known.words, -1)
        if key not in filed:
            continue
        now = known.words if known is not None and known.words else list(words.get(key[0], ()))
        _count(deltas, key[1], filed[key], now, +1)
        LearnedDocument.objects.update_or_create(
            tenant_id=tenant_id,
            document_id=key[0],
            kind=key[1],
            defaults={"labels": filed[key], "words": now},
        )
    gone = [known.pk for key, known in learned.items() if key not in filed]
    LearnedDocument.objects.filter(tenant_id=tenant_id, pk__in=gone).delete()
    _add(tenant_id, deltas)


def learn_late(tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Count a document which a person filed before it had been read. Needs the scope and its lock."""
    rows = LearnedDocument.objects.filter(tenant_id=tenant_id, document_id=document_id, words=[])
    kinds = [LabelKind(kind) for kind in rows.values_list("kind", flat=True)]
    if kinds:
        learn_documents(tenant_id, [document_id], kinds=kinds)


def forget_document(tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Take back all that was counted of a document which goes for good. Needs the scope and its lock."""
    rows = LearnedDocument.objects.filter(tenant_id=tenant_id, document_id=document_id)
    deltas: Counter[_Key] = Counter()
    for known in rows:
        _count(deltas, known.kind, known.labels, known.words, -1)
    rows.delete()
    _add(tenant_id, deltas)


def read_features(
    tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]
) -> Mapping[uuid.UUID, tuple[str, ...]]:
    """Return the words that count of each document that has been read. Needs the tenant's scope."""
    versions = find_newest_versions(tenant_id, document_ids)
    if not versions:
        return {}
    texts: defaultdict[uuid.UUID, list[str]] = defaultdict(list)
    pages = PageText.objects.filter(
        tenant_id=tenant_id, version_id__in=[version.pk for version in versions.values()], page__lte=_PAGES
    )
    for version_id, text in pages.order_by("version_id", "page").values_list("version_id", "text"):
        texts[version_id].append(text)
    return {
        document_id: find_features("\n".join(texts[version.pk]), filename=version.filename)
        for document_id, version in versions.items()
        if version.pk in texts
    }


def _read_filed(
    tenant_id: uuid.UUID, document_ids: Sequence[uuid.UUID], kinds: Sequence[str]
) -> dict[tuple[uuid.UUID, str], list[uuid.UUID]]:
    """Return the labels of each document and kind about which a person has decided anything."""
    rows = Filing.objects.filter(tenant_id=tenant_id, document_id__in=document_ids, kind__in=kinds).filter(
        Q(set_by=SetBy.PERSON) | Q(state=FilingState.FILED)
    )
    filed: defaultdict[tuple[uuid.UUID, str], list[uuid.UUID]] = defaultdict(list)
    decided: set[tuple[uuid.UUID, str]] = set()
    for row in rows.order_by("label_id").values_list("document_id", "kind", "label_id", "state", "set_by"):
        document_id, kind, label_id, state, set_by = row
        if set_by == SetBy.PERSON:
            decided.add((document_id, kind))
        if state == FilingState.FILED:
            filed[document_id, kind].append(label_id)
    return {key: filed[key] for key in decided}


def _count(
    deltas: Counter[_Key], kind: str, labels: Iterable[uuid.UUID], words: Iterable[str], by: int
) -> None:
    for word in (EVERY, *words):
        deltas[kind, word, None] += by
    for label in labels:
        for word in (EVERY, *words):
            deltas[kind, word, label] += by


def _add(tenant_id: uuid.UUID, deltas: Counter[_Key]) -> None:
    """Add to the counts, always in the same order, so that two who count at once do not deadlock."""
    given = [(key, number) for key, number in deltas.items() if number]
    if not given:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _ADD_SQL,
            {
                "tenant": tenant_id,
                "kinds": [kind for (kind, _, _), _ in given],
                "words": [word for (_, word, _), _ in given],
                "labels": [label for (_, _, label), _ in given],
                "documents": [number for _, number in given],
            },
        )
    fewer = {word for (_, word, _), number in given if number < 0}
    if fewer:
        counts = WordCount.objects.filter(tenant_id=tenant_id, word__in=sorted(fewer), documents__lte=0)
        counts.delete()
