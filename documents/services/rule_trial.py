"""Trying a rule on, before it is made: what it finds in texts and documents, and what it would file."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from documents.errors import BadRule, DocumentNotFound, LabelNotFound
from documents.filing import BadPattern, Matcher, Proposal, Rule, RuleKind, SetBy, Verb, check_rule, decide
from documents.filing.deciding import LabelKind
from documents.models import Document, FilingSettings, Label, PageText
from documents.selectors import find_newest_versions
from documents.services.filing_knowledge import read_filed
from tenants.access import Access, requires
from tenants.scope import tenant_scope

_TRIED = uuid.UUID(int=0)


@dataclass(frozen=True)
class Outcome:
    """What the rule does with one text. `found` is what was found; None: the rule does not hold.

    `files`: the document would get the label. It would not where it has it, or where a person has said so.
    """

    found: str | None
    files: bool = False


@dataclass(frozen=True)
class Trial:
    """What came of trying a rule. `stopped`: it took too long, and texts after that were not looked at."""

    texts: Sequence[Outcome] = ()
    documents: dict[uuid.UUID, Outcome] = field(default_factory=dict)
    stopped: bool = False


@requires("documents:read")
def try_rule(
    *,
    access: Access,
    rule_kind: RuleKind,
    pattern: str,
    likeness: int,
    label_id: uuid.UUID | None = None,
    texts: Sequence[str] = (),
    document_ids: Sequence[uuid.UUID] = (),
) -> Trial:
    """Say what a rule finds, and with a label which documents would get it; nothing is changed or kept.

    Opens a short transaction a document. Raises `BadRule`, `LabelNotFound`, `DocumentNotFound`.
    """
    try:
        check_rule(kind=rule_kind, pattern=pattern, likeness=likeness)
    except BadPattern as error:
        raise BadRule(str(error)) from error
    label = _find_label(access.tenant_id, label_id) if label_id else None
    matcher = Matcher([Rule(_TRIED, label_id or _TRIED, rule_kind, pattern, likeness)])
    stopped = False

    def look(text: str) -> str | None:
        nonlocal stopped
        matches = matcher.match(text)
        stopped = stopped or bool(matches.stopped)
        return matches.hits[0].found if matches.hits else None

    tried = [Outcome(look(text)) for text in texts]
    documents = {}
    for document_id in document_ids:
        found = look(_read(access.tenant_id, document_id))
        files = found is not None and label is not None and _would_file(access.tenant_id, document_id, label)
        documents[document_id] = Outcome(found, files)
    return Trial(tried, documents, stopped)


def _find_label(tenant_id: uuid.UUID, label_id: uuid.UUID) -> Label:
    with tenant_scope(tenant_id):
        label = Label.objects.filter(tenant_id=tenant_id, pk=label_id).first()
    if label is None:
        raise LabelNotFound
    return label


def _read(tenant_id: uuid.UUID, document_id: uuid.UUID) -> str:
    with tenant_scope(tenant_id):
        there = Document.objects.filter(tenant_id=tenant_id, pk=document_id, purging_at=None).exists()
        version = find_newest_versions(tenant_id, [document_id]).get(document_id)
        if not there or version is None:
            raise DocumentNotFound
        pages = PageText.objects.filter(tenant_id=tenant_id, version_id=version.pk).order_by("page")
        return "\f".join(pages.values_list("text", flat=True))


def _would_file(tenant_id: uuid.UUID, document_id: uuid.UUID, label: Label) -> bool:
    with tenant_scope(tenant_id):
        rows = read_filed(tenant_id, [document_id]).get(document_id, ())
        settings = FilingSettings.objects.filter(tenant_id=tenant_id).first()
    proposal = Proposal(label.pk, LabelKind(label.kind), SetBy.RULE)
    changes = decide(rows, [proposal], apply_above=settings.apply_above if settings else None)
    return any(change.verb is Verb.FILE and change.label == label.pk for change in changes)
