"""Titles by a tenant's own template, such as "{issued_date} {correspondent} {type} {number}" (pure).

What is not known of a document leaves no gap: the words and marks before an empty field go with it, and so do
brackets around nothing but empty fields.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from documents.errors import BadTitleTemplate
from documents.filenames import clean_text

#: Characters a template has at most, and a title made by one.
MAX_TEMPLATE = 200
MAX_TITLE = 200


@dataclass(frozen=True, slots=True)
class TitleParts:
    """What a title can be made of; empty where the document does not say.

    `title` is what is found without a template, and never empty. `type` and `number` as in "Rechnung" and
    "4711"; `subject` where the paper has a subject or a heading beyond them; `filename` without its suffix.
    """

    title: str
    type: str = ""
    number: str = ""
    subject: str = ""
    correspondent: str = ""
    filename: str = ""


_Value = Callable[[TitleParts, date | None], str]

#: The fields of a template, in the order in which people are told of them.
FIELDS: Mapping[str, _Value] = {
    "issued_date": lambda _, issued: issued.isoformat() if issued else "",
    "year": lambda _, issued: f"{issued:%Y}" if issued else "",
    "month": lambda _, issued: f"{issued:%m}" if issued else "",
    "day": lambda _, issued: f"{issued:%d}" if issued else "",
    "correspondent": lambda parts, _: parts.correspondent,
    "type": lambda parts, _: parts.type,
    "number": lambda parts, _: parts.number,
    "subject": lambda parts, _: parts.subject,
    "title": lambda parts, _: parts.title,
    "filename": lambda parts, _: parts.filename,
}

_FIELD = re.compile(r"\{([^{}]*)\}")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_WORD = re.compile(r"\w")
_ENDS = " \t-–—_:;,|/·."


def check_template(template: str) -> str:
    """Return a template in the form in which it is stored; "" is none. Raises `BadTitleTemplate`."""
    cleaned = clean_text(template, most=max(1, len(template)))
    if not cleaned:
        return ""
    if len(cleaned) > MAX_TEMPLATE:
        raise BadTitleTemplate(
            f"A template has {MAX_TEMPLATE} characters at most, and this one {len(cleaned)}."
        )
    names = _FIELD.findall(cleaned)
    unknown = sorted({name for name in names if name not in FIELDS})
    if unknown:
        raise BadTitleTemplate(
            f"There is no field {', '.join(f'{{{name}}}' for name in unknown)}. There are:"
            f" {', '.join(f'{{{name}}}' for name in FIELDS)}."
        )
    if re.search(r"[{}]", _FIELD.sub("", cleaned)):
        raise BadTitleTemplate("A brace stands alone: write fields as {issued_date}, and no other braces.")
    if not names:
        raise BadTitleTemplate(
            "Without a field every document would have the same title: write at least one."
        )
    return cleaned


def render_title(template: str, parts: TitleParts, *, issued: date | None) -> str:
    """Return the title of a document by a template that was checked; its own title where nothing is left."""
    values = {name: value(parts, issued).strip() for name, value in FIELDS.items()}
    template = _BRACKETS.sub(lambda match: match[0] if _any_known(match[0], values) else "{}", template)
    pieces = _FIELD.split(template)  # literal, field, literal, field, …, literal
    title, known = "", False
    for literal, name in zip(pieces[0::2], pieces[1::2], strict=False):
        value = values.get(name, "")
        if not value:
            # What leads in stays, if it is a word: "Akte {number}".
            if not known and not title and _WORD.search(literal):
                title = literal
            continue
        title += literal if known or not title else (literal if _WORD.search(literal) else " ")
        title, known = title + value, True
    if not known:
        return parts.title
    title = clean_text(title + pieces[-1], most=4 * MAX_TITLE).strip(_ENDS) or parts.title
    if len(title) <= MAX_TITLE:
        return title
    cut = title[: MAX_TITLE - 1]
    return (cut.rpartition(" ")[0] if " " in cut[MAX_TITLE // 2 :] else cut).rstrip(_ENDS) + "…"


def _any_known(text: str, values: Mapping[str, str]) -> bool:
    names = _FIELD.findall(text)
    return not names or any(values.get(name) for name in names)
