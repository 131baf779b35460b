"""How the admin's pages write moments, durations, states and long texts."""

import json
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import TextChoices
from django.urls import NoReverseMatch, reverse
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from jobs.failure_words import say
from jobs.wording import WordedError, Wording

NOTHING = "–"


def show_moment(moment: datetime | None) -> str:
    """Return a moment to the second in the zone of the site, readable by machines too."""
    if moment is None:
        return NOTHING
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}">{}</time>',
        moment.isoformat(),
        formats.date_format(local, "SHORT_DATETIME_FORMAT"),
    )


def show_seconds(seconds: float) -> str:
    """Return a duration in the largest unit that says enough: 0.31 s, 42 s, 3 min 5 s, 2 h 10 min, 5 days."""
    if seconds < 10:
        return _("%s s") % formats.number_format(max(seconds, 0.0), 2)
    whole = int(seconds)
    if whole < 60:
        return _("%d s") % whole
    if whole < 3600:
        return _("%(minutes)d min %(seconds)d s") % {"minutes": whole // 60, "seconds": whole % 60}
    if whole < 48 * 3600:
        return _("%(hours)d h %(minutes)d min") % {"hours": whole // 3600, "minutes": whole % 3600 // 60}
    return _("%d days") % (whole // 86400)


def show_oldest(oldest: Mapping[str, Any] | None, type: str, *, is_waiting: bool) -> str:
    """Return how long the oldest due job of a type has waited, from `QueueSample.oldest_by_type`.

    Exactly, or how long at least or at most; `is_waiting`: jobs of the type are queued, due or not.
    """
    known = oldest or {"types": {}, "within": None}
    found, within = known["types"].get(type), known["within"]
    if found is not None:
        age = show_seconds(max(0.0, found["seconds"]))
        return _("at least %(age)s") % {"age": age} if found["is_least"] else age
    return _("at most %(age)s") % {"age": show_seconds(within)} if is_waiting and within else NOTHING


def show_span(start: datetime | None, end: datetime | None) -> str:
    """Return how long something took, or has taken so far."""
    if start is None:
        return NOTHING
    span: timedelta = (end or timezone.now()) - start
    return show_seconds(span.total_seconds())


def show_size(size: int) -> str:
    """Return a number of bytes in units of a thousand."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{formats.number_format(value, 0 if unit == 'B' or value >= 100 else 1)} {unit}"
        value /= 1000
    return f"{formats.number_format(value, 1)} TB"


def show_state(state: str, label: Any) -> SafeString:
    """Return a state as a badge; its colour comes from the stylesheet, and never says more than the word."""
    return format_html('<span class="state state-{}">{}</span>', state, label)


def show_json(value: Any) -> SafeString:
    """Return a JSON value for reading."""
    text = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
    return format_html('<pre class="payload" tabindex="0">{}</pre>', text)


def page_address(page: str, *args: object) -> str | None:
    """Return the address of a page of the admin by its name, such as "jobs_job_changelist".

    Pages of higher apps are linked so, by name and not by import; None where there is no such page.
    """
    try:
        return reverse(f"admin:{page}", args=args)
    except NoReverseMatch:
        return None


def show_error(error: WordedError) -> str:
    """Return what is wrong in the language of the page; what nobody has translated stays English."""
    return " ".join(map(show_wording, error.wordings))


def show_wording(wording: Wording) -> str:
    """Return a sentence in the language of the page, days and choices among its values as well."""
    template = _(wording.template)
    return (
        template % {name: _show(value) for name, value in wording.values.items()}
        if wording.values
        else template
    )


def _show(value: object) -> object:
    if isinstance(value, date):
        return formats.date_format(value, "SHORT_DATE_FORMAT")
    return str(value.label) if isinstance(value, TextChoices) else value


def show_link(page: str, key: object, text: str) -> str:
    """Return a link to the page of one row, such as "tenants_tenant"; the text alone without such a page."""
    address = page_address(f"{page}_change", key)
    return format_html('<a href="{}">{}</a>', address, text) if address else text


def first_line(text: str, length: int) -> str:
    """Return the first line of `text` with anything in it, of at most `length` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= length else line[: length - 1] + "…"


def in_language(text: str) -> str:
    """Return a stored failure with its first line in the language that is active."""
    if (get_language() or "en").startswith("en"):
        return text
    line, end, rest = text.partition("\n")
    return say(line, _) + end + rest


def failure_line(text: str, length: int) -> str:
    """Return the first line of a stored failure in the language that is active, as `first_line` does."""
    return first_line(in_language(text), length)


def name_actor(actor: str) -> str:
    """Return who acted as people know them: an account by its name, whoever else as the trail names them."""
    return name_actors([actor])[actor]


def name_actors(actors: Iterable[str]) -> dict[str, str]:
    """Return the words of `name_actor` for each of several, with one statement for all accounts."""
    wanted = set(actors)
    accounts: dict[str, uuid.UUID] = {}
    for actor in wanted:
        kind, _colon, key = actor.partition(":")
        if kind == "user":
            with suppress(ValueError):
                accounts[actor] = uuid.UUID(key)
    users = get_user_model().objects.in_bulk(list(accounts.values())) if accounts else {}
    names = {actor: users[key].get_username() for actor, key in accounts.items() if key in users}
    return {actor: names.get(actor, actor) for actor in wanted}
