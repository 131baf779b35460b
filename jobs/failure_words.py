"""Failures in the language of whoever looks at them.

A job stores in English why it failed: scripts read it, and workers of other versions write it. A page finds
the template that a stored text was made from, and says it in its own language; a text without one stays as it
is.
"""

import re

from django.utils.translation import get_language, gettext

_BLANK = re.compile(r"%\((\w+)\)s")
_known: dict[str, re.Pattern[str]] = {}


def known(template: str) -> str:
    """Note a text that jobs store, and return it: `%(name)s` stands in it for what differs.

    The catalogue has it; what stands in its place may be such a text as well.
    """
    pieces = _BLANK.split(template)
    pattern = "".join(f"(?P<{one}>.*)" if place % 2 else re.escape(one) for place, one in enumerate(pieces))
    _known[template] = re.compile(pattern)
    return template


def known_texts() -> tuple[str, ...]:
    """Return all templates that were noted."""
    return tuple(_known)


def in_language(text: str) -> str:
    """Return a stored failure with its first line in the language that is active."""
    if (get_language() or "en").startswith("en"):
        return text
    line, end, rest = text.partition("\n")
    return _say(line) + end + rest


def _say(line: str) -> str:
    if line in _known:
        return gettext(line)
    for template, pattern in _known.items():
        match = pattern.fullmatch(line)
        if match is not None and match.groupdict():
            return gettext(template) % {name: _say(value) for name, value in match.groupdict().items()}
    return line


ENDED = known(
    "The process that ran this job ended with %(end)s after %(seconds)s s of CPU time;"
    " it held %(megabytes)s MB at most."
)
OVERDUE = known("The job ran longer than the %(seconds)s s that %(type)s may take, and was killed.")
NO_HANDLER = known("No installed app has a handler for jobs of type %(type)s. Known are: %(types)s.")
