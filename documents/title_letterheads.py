"""Which lines of a page say who sends the paper or gets it, not what it is (pure)."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from documents.title_words import DOCUMENT_WORDS, KINDS, LEAD, OFFICES, ORGANISATIONS, PROFESSIONS, one_of

_STREET = re.compile(
    one_of(r"stra(?:ß|ss)e str\. weg platz allee gasse ring damm ufer chaussee") + r"\s*[0-9]|"
    r"[0-9]+[a-z]?,?\s+(?:\w+\s+){0,3}"
    + one_of(r"street st\. road rd\. avenue ave lane drive rue chemin via calle")
    + r"\b|\b(?:rue|avenue|via|calle|rua|avenida|ul\.|ulica)\s",
    re.IGNORECASE,
)
_POSTCODE = re.compile(
    r"(?:^|\s|-)(?:[A-Z]{1,2}-)?[0-9]{4,5}\s+[A-ZÄÖÜ][\w.-]+|"
    r"\b[A-Z]{1,2}[0-9]{1,2}[A-Z]?\s[0-9][A-Z]{2}\b|\b[0-9]{2}-[0-9]{3}\s"
)
_CONTACT = re.compile(
    r"@|(?<!\w)"
    + one_of(r"""
    tel(?:efon|efax|\.|:) fax telex phone mobil(?!funkr) e-?mail: www\. https?: iban bic\b ust-?id
    vat_(?:no|reg|id) tva\b hrb\b steuer-?n siret gln\b
    """),
    re.IGNORECASE,
)
_PERSON = re.compile(
    one_of(r"herrn? frau familie mr mrs ms m\. mme sig\. sra?\. dr\. prof\. firma an to") + r"\.?(?:\s|$)",
    re.IGNORECASE,
)
_ABOUT_A_DATE = re.compile(  # "Mieterhöhung zum 1. Mai 2022", "Ihre Anfrage vom 3. Mai 2021"
    r"\b(?:zum|ab|per)\s+(?:dem\s+)?[0-9]|ihre?\s(?!nachricht|schreiben|zeichen)\w+\svom\s", re.IGNORECASE
)
_PAGE = re.compile(r"(?:seite|page|blatt|pagina|strana)\s*:?\s*[0-9]+|^[0-9]+\s*/\s*[0-9]+$", re.IGNORECASE)
_DATE_LINE = re.compile(
    r"[0-9]{1,2}[./-]\s?[0-9]{1,2}[./-]\s?[0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|"
    r"[0-9]{1,2}\.?\s+[^\W\d_]{3,10}\.?\s+[0-9]{4}"
)
#: A mail address, or the beginning of a web address.
ADDRESS_ON_THE_WEB = re.compile(r"\S@\S|\bhttps?:|\bwww\.", re.IGNORECASE)

_KIND_FIRST = re.compile(rf"(?:[0-9]\.\s)?{LEAD}{KINDS}(?![\w@])", re.IGNORECASE)
_NAMES_DOCUMENT = re.compile(rf"(?<![\w@.-])(?:{KINDS}|{DOCUMENT_WORDS})(?![\w@])", re.IGNORECASE)
_LEGAL_FORM = re.compile(
    r"\b(?:gmbh|ag|e\.?kg|kg|ohg|gbr|e\.\s?[vk]\.|eg|ug|se|ltd|limited|llc|llp|inc|plc|sarl|s\.?a\.?|sas|"
    r"s\.r\.l|s\.p\.a|b\.?v|n\.?v|s\.r\.o|kft|oy|ab)\.?$",
    re.IGNORECASE,
)
_TOGETHER = re.compile(r"\b(?:mit|bei|gegen|zwischen|with|between|against|from)\b", re.IGNORECASE)
_OFFICE = re.compile(
    rf"(?:(?:der|die|das|the)\s+)?(?:\w+(?:e|er|es)\s+)?[\w-]*{OFFICES}(?:\s[^\d:]*)?", re.IGNORECASE
)
_ORGANISATION = re.compile(rf"(?:[^\W\d]\S*\s+){{0,6}}{ORGANISATIONS}", re.IGNORECASE)
_PROFESSION = re.compile(rf"{PROFESSIONS}(?!\w)[^:]*", re.IGNORECASE)
_MONOGRAM = re.compile(r"(?P<letters>[A-ZÄÖÜ]{2,5})(?:\s+(?P<name>.+))?")
_SMALL_WORD = re.compile(r"(?:of|the|and|for|&|und|der|des|für|zu|zur|im|am|in)", re.IGNORECASE)
_PARTS = re.compile(r"\s+[·•|:*–—-]\s+|\s*[·•|]\s*")
_NO_NAME = re.compile(r".*[:,.!?]$")  # a salutation, a label, a sentence

_TOP = 6  # lines with text in which a sender presents itself
_REACH = 40  # lines with text in which addresses stand
_NAME_LINES = 3  # of a name over its street
_SHORT = 60  # characters a line of an address has at most


def is_letterhead(line: str) -> bool:
    """Whether a line is part of an address, a contact, a date or a page number, not of the contents."""
    if ADDRESS_ON_THE_WEB.search(line):
        return True
    if _names_document(line) and not _CONTACT.search(line) and not _PAGE.search(line):
        return _is_dated(line)
    return bool(
        _is_address(line)
        or _CONTACT.search(line)
        or _PERSON.match(line)
        or _PAGE.search(line)
        or _is_dated(line)
    )


def is_organisation(line: str) -> bool:
    """Whether a line is the name of a company, an office, a club, or says what its people are."""
    words = line.split()
    if not 1 <= len(words) <= 8 or len(line) > 70 or line[0].islower() or _KIND_FIRST.match(line):
        return False
    if _PROFESSION.fullmatch(line) or (_LEGAL_FORM.search(line) and not _TOGETHER.search(line)):
        return True
    if len(words) <= 6 and _OFFICE.fullmatch(line) and not _names_document(line):
        return True
    names = all(word[0].isupper() or not word[0].isalpha() or _SMALL_WORD.fullmatch(word) for word in words)
    return names and bool(_ORGANISATION.fullmatch(line)) and not _names_document(line)


def letterhead_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the indices of the lines that name or describe who sends the paper or gets it.

    Lines that begin with a kind of document ("Hausordnung") are none of them.
    """
    full = [index for index, line in enumerate(lines) if line][:_REACH]
    found = {
        index
        for index in full
        if is_organisation(lines[index])
        or (is_letterhead(lines[index]) and not _KIND_FIRST.match(lines[index]))
    }
    candidates = (*_over_addresses(lines, full), *_monograms(lines, full), *_repeated(lines, full))
    found.update(index for index in candidates if not _names_document(lines[index]))
    return frozenset(found)


def _names_document(line: str) -> bool:
    return len(line) <= 80 and bool(_NAMES_DOCUMENT.search(line))


def _is_dated(line: str) -> bool:
    return len(line) < 40 and bool(_DATE_LINE.search(line)) and not _ABOUT_A_DATE.search(line)


def _is_address(line: str) -> bool:
    return bool(_STREET.search(line) or _POSTCODE.search(line))


def _over_addresses(lines: Sequence[str], full: Sequence[int]) -> Iterator[int]:
    """The names over a street or postcode; at the top all that stands over the first telephone or mail."""
    # Where each line stands by itself, as OCR may leave them, blank lines part nothing.
    spread = all(after > index + 1 for index, after in pairwise(full[: 2 * _TOP]))
    for place, index in enumerate(full):
        if not _is_address(lines[index]) or len(lines[index]) > _SHORT or _names_document(lines[index]):
            continue
        nearest = index
        for above in reversed(full[max(0, place - _NAME_LINES) : place]):
            line = lines[above]
            if (above < nearest - 1 and not spread) or len(line) > _SHORT:
                break
            if _names_document(line) or _is_dated(line) or _NO_NAME.match(line):
                break
            yield above
            nearest = above
    top = full[:_TOP]
    for place, index in enumerate(top):
        if _CONTACT.search(lines[index]) and not _names_document(lines[index]):
            over = top[:place]
            if all(len(lines[name]) <= _SHORT and not _names_document(lines[name]) for name in over):
                yield from over
            return


def _monograms(lines: Sequence[str], full: Sequence[int]) -> Iterator[int]:
    """The initials that a sender's logo shows, alone or before its name: "SP Specimen & Partners"."""
    for index in full[:3]:
        match = _MONOGRAM.fullmatch(lines[index])
        if match is None:
            continue
        if match["name"] is None:
            yield index
            continue
        initials = [word[0].upper() for word in re.findall(r"[^\W\d_]+", match["name"])]
        if all(letter in initials for letter in match["letters"]):
            yield index


def _repeated(lines: Sequence[str], full: Sequence[int]) -> Iterator[int]:
    """Lines near the top that come again: over the recipient's window, in the footer, as a signature."""
    firsts = {index: _PARTS.split(line)[0].casefold() for index, line in enumerate(lines) if line}
    for index in full[: 2 * _TOP]:
        line = lines[index].casefold()
        if 6 <= len(line) <= _SHORT and any(
            first == line for other, first in firsts.items() if other > index
        ):
            yield index
