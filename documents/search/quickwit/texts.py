"""What Quickwit is given of a document: words, forms and parts, worked out here.

So both engines find the same: Quickwit parts texts at blanks, and compares as they stand
- `words`: title, file name and text as they follow each other; a bare dot parts what does not,
- `forms`: each word and its stems in both languages,
- `parts`: each ending of each word, so that a part of a word is a beginning of one of these;
and the same of the title and file name alone. `issued` is a number of days, `added` of seconds since 1970.
"""

import uuid
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from django.db import connection

from documents.search.base import Entry, Indexed
from documents.search.joined import MAX_JOINED, find_joined
from documents.search.postgres import load_forms
from documents.search.query import SHORTEST_PART
from documents.search.words import fold

#: Characters of a text that are indexed, and of the endings of its words.
_MOST_CHARACTERS = 3_000_000
#: No word of a text or a query: nothing follows across it.
APART = "."


def compile_copy(entry: Entry, *, mark: uuid.UUID, added: datetime) -> tuple[dict[str, Any], Indexed]:
    """Return the copy of a document as Quickwit takes it, and how much of the text is in it."""
    named = f"{entry.title} {entry.filename}"
    title = _unaccent(fold(named)).split()
    joined = _unaccent("  ".join(find_joined(named))).split()
    known = _unaccent(entry.words[:_MOST_CHARACTERS])
    text, *apart = known.split("  ")
    rest = [word for each in apart for word in each.split()] + joined
    words = text.split()
    place = [*title, APART, *words, APART, f" {APART} ".join(rest)]
    copy: dict[str, Any] = {
        "document": str(entry.document_id),
        "mark": str(mark),
        "added": int(added.timestamp() // 1),
        **_fields("title_", [*title, *joined], " ".join([*title, APART, f" {APART} ".join(joined)])),
        **_fields("", [*title, *words, *rest], " ".join(place)),
    }
    if entry.issued_at is not None:
        copy["issued"] = days_of(entry.issued_at)
    return copy, Indexed(words=len(words) + len(rest) - len(joined), of=len(entry.words.split()))


def days_of(day: date) -> int:
    """Return a day as a number that can be compared."""
    return day.toordinal()


def _fields(prefix: str, words: Iterable[str], places: str) -> dict[str, str]:
    distinct = list(dict.fromkeys(words))
    forms = dict.fromkeys(distinct)
    for each in load_forms(distinct).values():
        forms.update(dict.fromkeys(sorted(each.stems)))
    return {
        f"{prefix}words": places,
        f"{prefix}forms": " ".join(forms),
        f"{prefix}parts": " ".join(_endings(distinct)),
    }


def _endings(words: Iterable[str]) -> Mapping[str, None]:
    endings: dict[str, None] = {}
    characters = 0
    for word in words:
        for start in range(max(1, len(word) - SHORTEST_PART + 1)):
            ending = word[start : start + MAX_JOINED]
            if ending not in endings:
                endings[ending] = None
                characters += len(ending)
        if characters > _MOST_CHARACTERS:
            break
    return endings


def _unaccent(folded: str) -> str:
    """Return folded words as PostgreSQL leaves them: without the few letters that Python keeps."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT archiv_search_fold(%s)", [folded])
        (text,) = cursor.fetchone()
    return str(text)
