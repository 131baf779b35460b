"""What the search for a date of issue gives back."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from documents.dates.kinds import Kind


class Source(StrEnum):
    """Where a date was read."""

    TEXT = "text"
    FILENAME = "filename"


class Doubt(StrEnum):
    """Why a person should look at the date that was found."""

    MONTH_ONLY = "month_only"  # a month without a day
    WEAK = "weak"  # nothing says that it is the date of issue
    READ_ONCE = "read_once"  # by OCR, and mentioned nowhere else
    RIVAL = "rival"  # another date has nearly as many points


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for or against a candidate: a stable code, the words or figure behind it, its points."""

    code: str
    detail: str
    points: int

    def __str__(self) -> str:
        """Return the reason on one line, for logs and commands."""
        return f"{self.code} {self.detail} {self.points:+d}".replace("  ", " ")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A date that the document may have been issued on; `score` is the sum of the reasons' points.

    `position` is the offset in the source (text or file name) and `written` what stands there; `label` is the
    wording that says what kind of date it is ("" if none), `page` counts from 1 (0: file name).
    """

    date: date
    score: int
    source: Source
    kind: Kind
    label: str
    written: str
    position: int
    page: int
    mentions: int
    month_only: bool
    reasons: tuple[Reason, ...]

    @property
    def eligible(self) -> bool:
        """Whether the candidate may be the date of issue (a birthday never is)."""
        return self.score > 0


@dataclass(frozen=True, slots=True)
class DateFinding:
    """The date of issue (None: there is none), its source, and all candidates, best first.

    `doubt` says why a person should look at the date, if they should.
    """

    date: date | None
    source: Source | None
    doubt: Doubt | None
    candidates: tuple[Candidate, ...]

    @property
    def confirmed(self) -> bool:
        """Whether there is a date, and nothing asks for a second look."""
        return self.date is not None and self.doubt is None

    @property
    def best(self) -> Candidate | None:
        """The candidate that gave the date."""
        return self.candidates[0] if self.date is not None else None
