"""What workflows do and what came of it, in words for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

_Words = str | Promise

#: By the names of actions in JSON.
ACTION_WORDS: Mapping[str, _Words] = {
    "add_tags": _("add tags"),
    "remove_tags": _("take tags away"),
    "set_correspondent": _("set the correspondent"),
    "set_document_type": _("set the document type"),
    "set_title": _("set the title"),
    "set_retention_class": _("set the retention class"),
    "add_note": _("leave a note"),
    "call_webhook": _("call a webhook"),
}
#: What came of an action.
OUTCOME_WORDS: Mapping[str, _Words] = {
    "done": _("done"),
    "left": _("left alone"),
    "queued": _("queued"),
    "delivered": _("delivered"),
    "failed": _("failed"),
}
#: Why an action was left alone, as runs keep it.
REASON_WORDS: Mapping[str, _Words] = {
    "a person has set the title": _("a person has set the title"),
    "a person has set them": _("a person has set them"),
    "a person has decided otherwise": _("a person has decided otherwise"),
    "a person has chosen the class, or there is none of this name": _(
        "a person has chosen the class, or there is none of this name"
    ),
}


def say_results(results: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each action of a run: what it was, what came of it, and why."""
    lines = []
    for each in results:
        outcome = str(OUTCOME_WORDS.get(each["outcome"], each["outcome"]))
        message = each.get("message") or ""
        why = f" ({REASON_WORDS.get(message, message)})" if message else ""
        lines.append(f"{say_action(each['do'])}: {outcome}{why}")
    return lines


def say_action(do: str, what: str = "") -> str:
    """Return an action in words, with what it is about."""
    words = str(ACTION_WORDS.get(do, do))
    return gettext("%(action)s “%(what)s”") % {"action": words, "what": what} if what else words
