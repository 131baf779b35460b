"""What a person may be about to type: words, labels and titles that go on as the last word has begun."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from documents.models import Label
from documents.search.engine import get_search
from documents.search.fields import FIELD_NAMES, PROPERTY_NAMES, Field, Property
from documents.search.results import SearchHit, read_query, search_documents
from documents.search.sets import KIND_OF
from documents.search.words import find_words, fold
from documents.selectors import find_documents, find_newest_versions, read_page_texts
from tenants.scope import tenant_scope

#: Letters from which words are suggested.
SHORTEST = 2
#: Documents whose words are looked through, their pages, and characters of each page.
_DOCUMENTS, _PAGES, _CHARACTERS = 20, 2, 5_000
_TITLES = 3
#: Characters of the text that are looked at.
_LONGEST = 200


@dataclass(frozen=True)
class Suggestion:
    """One way to go on. `kind` is word, tag, from, type, has or document.

    `shown` is what to show, `query` the whole text of the search box then; a document is to be opened.
    """

    kind: str
    shown: str
    query: str
    document_id: uuid.UUID | None = None


def suggest(*, tenant_id: uuid.UUID, text: str, limit: int = 8) -> tuple[Suggestion, ...]:
    """Return how the last word of `text` may go on, the most frequent first. Opens the tenant's scope.

    Only what the tenant's documents have now: nothing is kept for it, so nothing of a purged one is shown.
    """
    head, sign, last = _part(text[-_LONGEST:])
    name, colon, value = last.partition(":")
    field = FIELD_NAMES.get(name.casefold()) if colon else None
    with tenant_scope(tenant_id):
        if field in KIND_OF:
            found = _labels(tenant_id, [field], value.strip('"'), head + sign)
        elif field is Field.HAS:
            found = _properties(value, head + sign)
        elif field in {Field.DATE, Field.ADDED} or len(fold(last)) < SHORTEST:
            return ()
        else:
            found = _words(tenant_id, head, sign, last)
        return tuple(found)[:limit]


def _part(text: str) -> tuple[str, str, str]:
    """Return what stands before the last word, its minus sign, and the word; it may be in open quotes."""
    behind = text.rfind('"') if text.count('"') % 2 else len(text)
    start = max((place + 1 for place, letter in enumerate(text[:behind]) if letter.isspace()), default=0)
    last = text[start:]
    bare = last.lstrip("-+")
    return text[:start], "-" if "-" in last[: len(last) - len(bare)] else "", bare


def _words(tenant_id: uuid.UUID, head: str, sign: str, last: str) -> Iterator[Suggestion]:
    """Suggest labels, then words of documents that fit what stands before, then titles."""
    beginning = (fold(last.strip('"*')).split() or [""])[-1]
    yield from list(_labels(tenant_id, list(KIND_OF), last.strip('"'), head + sign))[:_TITLES]
    wanted = last.strip('"*')
    found = get_search().search(
        tenant_id=tenant_id, query=read_query(tenant_id, f"{head} {wanted}*"), limit=_DOCUMENTS
    )
    ids = [hit.document_id for hit in found.hits]
    for word in _continuations(tenant_id, ids, beginning):
        yield Suggestion("word", word, f"{head}{sign}{word}")
    if not sign:
        titled = search_documents(tenant_id=tenant_id, text=f"title:{wanted}*", limit=_TITLES)
        for hit in titled.hits:
            yield _document(hit)


def _document(hit: SearchHit) -> Suggestion:
    title = hit.document.title
    return Suggestion("document", title, f'title:"{title}"', hit.document.pk)


def _continuations(tenant_id: uuid.UUID, ids: list[uuid.UUID], beginning: str) -> Iterable[str]:
    """Return words that begin so, as they are written, those of most documents first."""
    documents, versions = find_documents(tenant_id, ids), find_newest_versions(tenant_id, ids)
    texts = {version.pk: documents[key].title for key, version in versions.items() if key in documents}
    for version_id, pages in read_page_texts(tenant_id, list(texts), up_to_page=_PAGES):
        texts[version_id] += "\n" + "\n".join(text[:_CHARACTERS] for _, text in pages)
    documents_with: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for text in texts.values():
        words = [(word.folded, text[word.start : word.end]) for word in find_words(text)]
        begun = [pair for pair in words if pair[0].startswith(beginning) and pair[0] != beginning]
        documents_with.update({folded for folded, _ in begun})
        for folded, word in begun:
            written.setdefault(folded, Counter())[word] += 1
    ordered = sorted(documents_with, key=lambda word: (-documents_with[word], len(word), word))
    return [written[folded].most_common(1)[0][0] for folded in ordered]


def _labels(tenant_id: uuid.UUID, fields: Iterable[Field], typed: str, before: str) -> Iterator[Suggestion]:
    wanted = fold(typed).split()
    field_of = {KIND_OF[field].value: field for field in fields}
    rows = Label.objects.filter(tenant_id=tenant_id, kind__in=list(field_of)).order_by("key")
    for kind, name in rows.values_list("kind", "name"):
        words = fold(name).split()
        if all(any(word.startswith(each) for word in words) for each in wanted):
            field = field_of[kind]
            value = f'"{name}"' if " " in name else name
            yield Suggestion(field.value, name, f"{before}{field.value}:{value}")


def _properties(typed: str, before: str) -> Iterator[Suggestion]:
    known = {name: what for name, what in PROPERTY_NAMES.items() if name.startswith(typed.casefold())}
    for what in Property:
        if what in known.values():
            yield Suggestion("has", f"has:{what}", f"{before}has:{what}")
