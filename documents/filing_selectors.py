"""Reading where documents are filed, for pages, the API and exports. Each needs a scope of the tenant."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from documents.filing import FilingState, LabelKind, Matcher, Rule, RuleKind
from documents.models import Document, Filing, PageText
from documents.selectors import find_newest_versions

#: Documents on which a rule is tried, and pages of each that are looked at.
_TRIED, _TRIED_PAGES = 200, 10


@dataclass(frozen=True)
class DocumentLabel:
    """Where one document stands to one label. `because` and `confidence` say why."""

    label_id: uuid.UUID
    kind: LabelKind
    name: str
    state: FilingState
    set_by: str
    because: tuple[str, ...]
    confidence: float | None
    rule_id: uuid.UUID | None


@dataclass(frozen=True)
class TriedDocument:
    """A document in which a pattern was found, and what was found."""

    document_id: uuid.UUID
    title: str
    found: str


@dataclass(frozen=True)
class TriedRule:
    """What a pattern finds among the newest documents. `stopped`: it took too long on one of them."""

    looked_at: int
    documents: Sequence[TriedDocument]
    stopped: bool = False


def find_labels(
    tenant_id: uuid.UUID,
    document_ids: Iterable[uuid.UUID],
    *,
    states: Iterable[FilingState] = (FilingState.FILED, FilingState.SUGGESTED),
) -> Mapping[uuid.UUID, Sequence[DocumentLabel]]:
    """Return the labels that each document has or is suggested, by kind and name; none: no entry."""
    rows = Filing.objects.filter(
        tenant_id=tenant_id, document_id__in=list(document_ids), state__in=list(states)
    )
    found: defaultdict[uuid.UUID, list[DocumentLabel]] = defaultdict(list)
    for row in rows.select_related("label").order_by("kind", "label__key"):
        found[row.document_id].append(
            DocumentLabel(
                label_id=row.label_id,
                kind=LabelKind(row.kind),
                name=row.label.name,
                state=FilingState(row.state),
                set_by=row.set_by,
                because=tuple(row.because),
                confidence=row.confidence,
                rule_id=row.rule_id,
            )
        )
    return dict(found)


def try_rule(tenant_id: uuid.UUID, *, kind: RuleKind, pattern: str, likeness: int) -> TriedRule:
    """Return in which of the newest documents a checked pattern is found. Nothing is changed."""
    nobody = uuid.UUID(int=0)
    matcher = Matcher([Rule(nobody, nobody, kind, pattern, likeness)])
    rows = Document.objects.filter(tenant_id=tenant_id, trashed_at=None).order_by("-created_at", "-id")
    documents = dict(rows.values_list("pk", "title")[:_TRIED])
    versions = find_newest_versions(tenant_id, documents)
    texts: defaultdict[uuid.UUID, list[str]] = defaultdict(list)
    pages = PageText.objects.filter(
        tenant_id=tenant_id,
        version_id__in=[version.pk for version in versions.values()],
        page__lte=_TRIED_PAGES,
    )
    for version_id, text in pages.order_by("version_id", "page").values_list("version_id", "text"):
        texts[version_id].append(text)
    found: list[TriedDocument] = []
    for document_id, title in documents.items():
        version = versions.get(document_id)
        if version is None:
            continue
        matches = matcher.match("\n".join((version.filename, *texts[version.pk])))
        if matches.stopped:
            return TriedRule(len(documents), found, stopped=True)
        if matches.hits:
            found.append(TriedDocument(document_id, title, matches.hits[0].found))
    return TriedRule(len(documents), found)
