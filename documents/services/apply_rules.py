"""Asking rules and former filing about documents that are there already, or saying what they would do.

Texts are read and matched in one short transaction a batch, and written in another, under the documents'
locks and by what is true then.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db.models.functions import Now

from documents.filing import (
    Change,
    Filed,
    FilingState,
    Knowledge,
    LabelKind,
    Proposed,
    Stopped,
    Verb,
    decide,
    propose,
)
from documents.filing.features import find_features
from documents.filing.scoring import Counts
from documents.models import Document, PageText
from documents.selectors import find_documents, find_newest_versions
from documents.services.changes import Changes, lock_active_tenant, lock_documents
from documents.services.filing_changes import write_changes
from documents.services.filing_knowledge import has_learned, load_rules, read_counts, read_filed
from documents.services.rules import stop_rules
from jobs.batches import batched
from tenants.access import Access, requires
from tenants.audit import record
from tenants.scope import tenant_scope

_BATCH = 50
#: Documents that are named as examples for each label.
_EXAMPLES = 5

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LabelReport:
    """What is done with one label, and some of the documents with which it is done."""

    name: str
    kind: str
    filed: int = 0
    suggested: int = 0
    dropped: int = 0
    examples: tuple[uuid.UUID, ...] = ()


@dataclass(frozen=True)
class ApplyReport:
    """How many documents were looked at and changed, what became of each label, which rules were stopped."""

    documents: int = 0
    changed: int = 0
    labels: tuple[LabelReport, ...] = ()
    stopped: tuple[Stopped, ...] = ()


@dataclass
class _Tally:
    documents: int = 0
    changed: int = 0
    verbs: dict[uuid.UUID, Counter[Verb]] = field(default_factory=lambda: defaultdict(Counter))
    examples: dict[uuid.UUID, list[uuid.UUID]] = field(default_factory=lambda: defaultdict(list))
    stopped: list[Stopped] = field(default_factory=list)

    def add(self, document_id: uuid.UUID, rows: Iterable[Filed], changes: Sequence[Change]) -> None:
        suggested = {row.label for row in rows if row.state is FilingState.SUGGESTED}
        changes = [each for each in changes if each.verb is not Verb.SUGGEST or each.label not in suggested]
        self.changed += bool(changes)
        for change in changes:
            self.verbs[change.label][change.verb] += 1
            if len(self.examples[change.label]) < _EXAMPLES:
                self.examples[change.label].append(document_id)

    def report(self, knowledge: Knowledge) -> ApplyReport:
        labels = [
            LabelReport(
                name=knowledge.names[label],
                kind=str(knowledge.kinds[label]),
                filed=verbs[Verb.FILE],
                suggested=verbs[Verb.SUGGEST],
                dropped=verbs[Verb.DROP],
                examples=tuple(self.examples[label]),
            )
            for label, verbs in self.verbs.items()
            if label in knowledge.names
        ]
        ranked = sorted(labels, key=lambda each: (each.kind, each.name))
        return ApplyReport(self.documents, self.changed, tuple(ranked), tuple(self.stopped))


@requires("documents:edit")
def apply_rules(
    *,
    access: Access,
    document_ids: Iterable[uuid.UUID] | None = None,
    take_back: bool = False,
    progress: Progress | None = None,
) -> ApplyReport:
    """File documents of a tenant, all that are not in the trash or those named, by the rules as they are now.

    What people have decided stays. With `take_back`, what rules and suggestions have filed and would file no
    more is taken away. `progress` is told how many of how many are done. Two transactions a batch. Raises
    `TenantNotActive`, `TenantNotFound`.
    """
    tally = _Tally()
    for batch, done, of in _batches(access.tenant_id, document_ids):
        proposed = _propose(access.tenant_id, batch, tally)
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            _write(access.tenant_id, proposed, tally, take_back=take_back)
        if progress is not None:
            progress(done, of)
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        report = tally.report(load_rules(access.tenant_id))
        details = {"documents": report.documents, "changed": report.changed, "take_back": take_back}
        record("rules.applied", tenant_id=access.tenant_id, details=details)
    return report


@requires("documents:read")
def preview_rules(
    *,
    access: Access,
    document_ids: Iterable[uuid.UUID] | None = None,
    take_back: bool = False,
    progress: Progress | None = None,
) -> ApplyReport:
    """Say what `apply_rules` would do now, and change nothing; a rule that takes too long is named only."""
    tally = _Tally()
    for batch, done, of in _batches(access.tenant_id, document_ids):
        proposed = _propose(access.tenant_id, batch, tally)
        with tenant_scope(access.tenant_id):
            filed = read_filed(access.tenant_id, proposed)
            above = load_rules(access.tenant_id).apply_above
        for document_id, each in proposed.items():
            rows = filed.get(document_id, ())
            tally.add(document_id, rows, decide(rows, each.proposals, apply_above=above, take_back=take_back))
        if progress is not None:
            progress(done, of)
    with tenant_scope(access.tenant_id):
        return tally.report(load_rules(access.tenant_id))


def _batches(
    tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID] | None
) -> Iterator[tuple[list[uuid.UUID], int, int]]:
    """Yield documents some at a time, with how many of how many are done after them."""
    if document_ids is not None:
        wanted = sorted(set(document_ids))
        for batch in batched(wanted, _BATCH):
            yield batch, wanted.index(batch[-1]) + 1, len(wanted)
        return
    with tenant_scope(tenant_id):
        of = Document.objects.filter(tenant_id=tenant_id, trashed_at=None).count()
    done, last = 0, uuid.UUID(int=0)
    while True:
        with tenant_scope(tenant_id):
            rows = Document.objects.filter(tenant_id=tenant_id, trashed_at=None, pk__gt=last).order_by("pk")
            batch = list(rows.values_list("pk", flat=True)[:_BATCH])
        if not batch:
            return
        last = batch[-1]
        done += len(batch)
        yield batch, done, max(of, done)


def _propose(
    tenant_id: uuid.UUID, document_ids: Sequence[uuid.UUID], tally: _Tally
) -> dict[uuid.UUID, Proposed]:
    """Return what the rules say of each of the documents that has been read.

    They are asked when nothing is open in the database any more: long texts take their time.
    """
    with tenant_scope(tenant_id):
        rules = load_rules(tenant_id)
        documents = find_documents(tenant_id, document_ids)
        versions = find_newest_versions(tenant_id, documents)
        texts = _read_texts(tenant_id, {version.pk: key for key, version in versions.items()})
        learned = has_learned(tenant_id)
    counts: Mapping[uuid.UUID, Mapping[LabelKind, Counts]] = {}
    if learned:
        features = {
            key: find_features(texts.get(key, ""), filename=version.filename)
            for key, version in versions.items()
        }
        with tenant_scope(tenant_id):
            counts = read_counts(tenant_id, features)
    proposed = {
        key: propose(
            texts.get(key, ""),
            filename=version.filename,
            knowledge=replace(rules, counts=counts.get(key, {})),
        )
        for key, version in versions.items()
    }
    tally.documents += len(proposed)
    tally.stopped += [stopped for each in proposed.values() for stopped in each.stopped]
    return proposed


def _read_texts(tenant_id: uuid.UUID, documents: Mapping[uuid.UUID, uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the text of each version, by its document."""
    pages: defaultdict[uuid.UUID, list[str]] = defaultdict(list)
    rows = PageText.objects.filter(tenant_id=tenant_id, version_id__in=list(documents))
    for version_id, text in rows.order_by("version_id", "page").values_list("version_id", "text"):
        pages[documents[version_id]].append(text)
    return {document_id: "\f".join(texts) for document_id, texts in pages.items()}


def _write(
    tenant_id: uuid.UUID, proposed: Mapping[uuid.UUID, Proposed], tally: _Tally, *, take_back: bool
) -> None:
    documents = lock_documents(tenant_id, sorted(proposed), Changes())
    filed = read_filed(tenant_id, proposed)
    above = load_rules(tenant_id).apply_above
    changes = {}
    for document in documents:
        rows, proposals = filed.get(document.pk, ()), proposed[document.pk].proposals
        changes[document.pk] = decide(rows, proposals, apply_above=above, take_back=take_back)
        tally.add(document.pk, rows, changes[document.pk])
    changed = write_changes(tenant_id, changes)
    Document.objects.filter(tenant_id=tenant_id, pk__in=list(changed)).update(updated_at=Now())
    stop_rules(tenant_id, [stopped for each in proposed.values() for stopped in each.stopped])
