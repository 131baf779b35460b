"""What people may say of a document: how a title is cleaned, and which dates can be."""

from datetime import date, timedelta

from documents.errors import BadIssuedDate, BadTitle
from documents.filenames import clean_text
from documents.services.changes import ActiveTenant

MAX_TITLE = 255
#: A paper may bear a later date than today's, but what is kept by it is kept for good: a slip of a digit must
#: not bind it for a thousand years.
_DAYS_AHEAD = 366


def clean_title(title: str) -> str:
    """Return the title on one line, without what no database or page can show. Raises `BadTitle`."""
    cleaned = clean_text(title, most=len(title))
    if not cleaned:
        raise BadTitle("A title has at least one character that can be seen.")
    if len(cleaned) > MAX_TITLE:
        raise BadTitle(f"A title has {MAX_TITLE} characters at most, and this one {len(cleaned)}.")
    return cleaned


def check_issued(issued: date, tenant: ActiveTenant) -> None:
    """Refuse a day so far ahead that no paper can bear it. Raises `BadIssuedDate`."""
    last = tenant.now.astimezone(tenant.zone).date() + timedelta(days=_DAYS_AHEAD)
    if issued > last:
        raise BadIssuedDate(
            f"A paper issued on {issued.isoformat()} cannot be here yet: the last date possible is"
            f" {last.isoformat()}."
        )
