"""Parts of requests that several resources have: text that the database takes, dates, cursors, ETags."""

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Any, TypeVar

from django.core import signing
from django.http import HttpRequest
from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from archiv.api.errors import BadCursor, ChangedMeanwhile, NotChangedSince
from documents.errors import DocumentChanged

Row = TypeVar("Row")

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_MOST_CURSOR = 4000


def _storable(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("Text has no NUL and no half characters.")
    return text


def _only(pattern: re.Pattern[str], form: str) -> BeforeValidator:
    """Take nothing but text of this form: pydantic alone would read numbers as seconds since 1970."""

    def check(value: Any) -> Any:
        if isinstance(value, str) and not pattern.fullmatch(value):
            raise ValueError(f"Write it as {form}.")
        if not isinstance(value, str | date):
            raise ValueError(f"Write it as {form}.")  # noqa: TRY004  what pydantic reports
        return value

    return BeforeValidator(check)


def _in_utc(moment: datetime) -> datetime:
    """Return the same moment in UTC: PostgreSQL takes no offset of sixteen hours or more."""
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("There is no such moment.") from error


#: Text that PostgreSQL takes. The schema says so by a pattern; half characters are no Unicode anyway.
Text = Annotated[str, AfterValidator(_storable), Field(json_schema_extra={"pattern": r"^[^\x00]*$"})]
Line = Annotated[Text, Field(min_length=1, max_length=1000)]
Day = Annotated[date, _only(_DATE, "2024-05-12"), WithJsonSchema({"type": "string", "format": "date"})]
Moment = Annotated[
    datetime,
    _only(_MOMENT, "2024-05-12T10:00:00Z"),
    AfterValidator(_in_utc),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Limit = Annotated[int, Field(ge=1, le=200)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Cursor = Annotated[Text, Field(max_length=_MOST_CURSOR)]


class Page(Schema):
    """What every list answers besides its rows: the cursor of the next page, or null on the last."""

    next: str | None


def write_cursor(kind: str, values: Mapping[str, Any]) -> str:
    """Return where a list goes on, signed, for the list `kind` alone."""
    return signing.dumps(dict(values), salt=f"archiv.api.{kind}", compress=True)


def read_cursor(kind: str, cursor: str | None) -> dict[str, Any] | None:
    """Return what a cursor says, None without one. Raises `BadCursor`."""
    if cursor is None:
        return None
    try:
        found = signing.loads(cursor, salt=f"archiv.api.{kind}")
    except (signing.BadSignature, ValueError, UnicodeError) as error:
        raise BadCursor from error
    return dict(found)


def etag_of(changed: datetime) -> str:
    """Return the ETag of a row that was changed then."""
    return f'"{int(changed.timestamp() * 1_000_000):x}"'


def expect(request: HttpRequest, changed: datetime) -> datetime | None:
    """Compare If-Match with what is there, and return what the service is to expect; None with `*`.

    Raises `NotChangedSince` without the header, `DocumentChanged` for another state.
    """
    given = request.headers.get("If-Match")
    if given is None:
        raise NotChangedSince
    if given.strip() == "*":
        return None
    if etag_of(changed) not in _parts(given):
        raise DocumentChanged
    return changed


def content_etag(shown: Schema) -> str:
    """Return the ETag of what is known by its content alone."""
    return f'"{hashlib.sha256(shown.model_dump_json().encode()).hexdigest()[:24]}"'


def expect_content(request: HttpRequest, show: Callable[[Row], Schema]) -> Callable[[Row], None]:
    """Return what a service asks of the locked row: is it still as If-Match says? Without one, always.

    What it returns raises `ChangedMeanwhile`.
    """
    given = request.headers.get("If-Match", "*").strip()

    def check(row: Row) -> None:
        if given != "*" and content_etag(show(row)) not in _parts(given):
            raise ChangedMeanwhile

    return check


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",")]
