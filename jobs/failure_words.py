"""Failures in the language of whoever looks at them.

A job stores in English why it failed: scripts read it, and workers of other versions write it. A page finds
the template that a stored text was made from, and says it in its own language; a text without one stays as it
is.
"""

import re
from collections.abc import Callable

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


def say(line: str, translate: Callable[[str], str]) -> str:
    """Return the one line of a failure by its translated template, or as it is where no template made it."""
    if line in _known:
        return translate(line)
    for template, pattern in _known.items():
        match = pattern.fullmatch(line)
        if match is not None and match.groupdict():
            return translate(template) % {
                name: say(value, translate) for name, value in match.groupdict().items()
            }
    return line


ENDED = known(
    "The process that ran this job ended with %(end)s after %(seconds)s s of CPU time;"
    " it held %(megabytes)s MB at most."
)
OVERDUE = known("The job ran longer than the %(seconds)s s that %(type)s may take, and was killed.")
NO_HANDLER = known("No installed app has a handler for jobs of type %(type)s. Known are: %(types)s.")
