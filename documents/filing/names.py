"""Names of labels (pure): as they are stored and shown, and as they are compared."""

import unicodedata

#: Characters of a name.
MAX_NAME = 100
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: Joins letters in some scripts, and emoji; stands between visible characters only.
_JOINERS = frozenset("\u200c\u200d")


class BadName(ValueError):
    """The name cannot be used; the message says why."""


def clean_name(name: str) -> str:
    """Return a name in NFC, with single blanks and none around it. Raises `BadName`."""
    cleaned = " ".join(unicodedata.normalize("NFC", name.replace("\0", " ")).split())
    if not cleaned.strip("\u200c\u200d"):
        raise BadName("The name is empty.")
    if len(cleaned) > MAX_NAME:
        raise BadName(f"A name has at most {MAX_NAME} characters, this one has {len(cleaned)}.")
    for character in cleaned:
        if unicodedata.category(character) in _FORBIDDEN and character not in _JOINERS:
            raise BadName(f"There is a character in the name that cannot be seen: U+{ord(character):04X}.")
    return cleaned


def name_key(cleaned: str) -> str:
    """Return what two names have in common that differ in case only, or in how their letters are coded."""
    once = unicodedata.normalize("NFKC", cleaned).casefold()
    return unicodedata.normalize("NFKC", once).casefold()
