"""What of a text is counted when a person files its document (pure): its words, and who sent it."""

import re

from documents.search.words import fold

#: Characters from the beginning whose words count: letterhead, subject, first sentences.
_BEGINNING = 4_000
#: Characters in which senders are looked for: they stand at the top and in the last lines.
_SENDER_SPAN = 20_000
#: Words, and signs of senders, that are kept of one document.
MOST_WORDS, MOST_SENDERS = 120, 8
#: Characters of a word.
_SHORTEST, _LONGEST = 3, 30

_DOMAIN = re.compile(
    r"(?:@|\bwww\.|\bhttps?://(?:www\.)?)((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,18})\b", re.IGNORECASE
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_VAT_NUMBER = re.compile(
    r"\b(?:DE ?\d{3} ?\d{3} ?\d{3}|ATU ?\d{8}|(?:FR|IT|NL|GB|PL|ES|BE) ?[0-9A-Z]{8,12})\b"
)
#: Where anybody has a mailbox: says nothing of who that is.
_EVERYBODYS = frozenset(
    {
        "gmail.com", "googlemail.com", "gmx.de", "gmx.net", "web.de", "t-online.de", "outlook.com",
        "icloud.com", "hotmail.com", "yahoo.com", "freenet.de", "posteo.de", "mailbox.org",
    }
)  # fmt: skip


def find_features(text: str, *, filename: str = "") -> tuple[str, ...]:
    """Return the words of the beginning of a text, folded, each once, and the signs of its sender.

    Words with digits in them are left out: numbers tell documents apart, and not what they have in common.
    Senders are written as `@example.org` (of addresses of mail and web), IBANs and VAT numbers as they are.
    """
    senders = dict.fromkeys(_find_senders(text))
    words: dict[str, None] = {}
    for word in fold(f"{filename} {text[:_BEGINNING]}").split():
        if word.isalpha() and _SHORTEST <= len(word) <= _LONGEST:
            words[word] = None
            if len(words) == MOST_WORDS:
                break
    return (*list(senders)[:MOST_SENDERS], *words)


def is_sender(feature: str) -> bool:
    """Tell whether a feature is the sign of a sender, which weighs more than a word."""
    return not feature.isalpha()


def _find_senders(text: str) -> list[str]:
    ends = text if len(text) <= 2 * _SENDER_SPAN else f"{text[:_SENDER_SPAN]}\n{text[-_SENDER_SPAN:]}"
    domains = [domain.lower() for domain in _DOMAIN.findall(ends)]
    signs = [f"@{domain}" for domain in domains if domain not in _EVERYBODYS]
    signs += [re.sub(r"\s", "", found) for pattern in (_IBAN, _VAT_NUMBER) for found in pattern.findall(ends)]
    return [sign[:64] for sign in signs if len(sign) > 4]
