"""Filters of the admin's lists that are typed: a text, a day. And those by when something was."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import formats, timezone
from django.utils.translation import gettext_lazy as _

from jobs.filters import ChoiceFilter, InputFilter, chosen_tenant
from jobs.models import Job
from jobs.numbers import MOST, read_number

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

_LONGEST = 200


class TypedFilter(InputFilter):
    """Filters by a text or a day that is typed."""

    input_type: ClassVar[str] = "text"
    #: What stands in the empty input, to say what may be typed.
    example: ClassVar[Any] = ""
    template = "jobs/fields/text.html"

    def __init__(
        self,
        request: HttpRequest,
        params: dict[str, list[str]],
        model: type[Model],
        model_admin: "ModelAdmin[Any]",
    ) -> None:
        super().__init__(request, params, model, model_admin)
        self.given = self.given[:_LONGEST]
        if self.given:
            self.used_parameters[self.parameter_name] = self.given

    @property
    def chip(self) -> str:
        """What was typed, for the list of what is active."""
        return self.given

    def choices(self, changelist: ChangeList) -> Iterator[Mapping[str, object]]:
        """Yield none: something is typed."""
        return iter(())


class ErrorTextFilter(TypedFilter):
    """By a part of the error's message; it is looked for a stretch at a time."""

    title = _("text of the error")
    parameter_name = "error"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the jobs whose message contains what was typed."""
        return queryset.filter(error_message__icontains=self.given) if self.given else queryset


class NumberFilter(TypedFilter):
    """By the number of a job: the database's, or the one by which the API names it to the tenant chosen."""

    title = _("number")
    parameter_name = "number"
    example = _("#123, or the API's")
    #: Said above the list.
    note: Any = ""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the job with this number, or none."""
        if not self.given:
            return queryset
        typed = self.given.removeprefix("#")
        if not (typed.isascii() and typed.isdecimal() and 1 <= int(typed) <= MOST):
            return queryset.none()
        wanted = [int(typed)]
        if tenant := chosen_tenant(request):
            wanted.append(read_number(tenant.pk, wanted[0]))
        elif not queryset.filter(pk__in=wanted).exists():
            self.note = _("No job has this number. One that the API shows is found together with its tenant.")
        return queryset.filter(pk__in=wanted)


class DayFilter(TypedFilter):
    """By a column of days, from or up to one; both ends included."""

    input_type = "date"
    lookup: ClassVar[str]

    @property
    def day(self) -> date | None:
        """The day, or None. Raises `IncorrectLookupParameters` for what is none."""
        try:
            return date.fromisoformat(self.given) if self.given else None
        except ValueError as error:
            raise IncorrectLookupParameters(str(error)) from error

    @property
    def chip(self) -> str:
        """The day as people write it."""
        return formats.date_format(self.day, "SHORT_DATE_FORMAT") if self.day else ""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of these days."""
        day = self.day
        return queryset if day is None else queryset.filter(**{self.lookup: self.bound(day)})

    def bound(self, day: date) -> date | datetime:
        """Return what the column is compared with."""
        return day


_AGES = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
}


class AgeFilter(ChoiceFilter):
    """By how long ago something was: within a span, or longer ago than that."""

    parameter_name = "age"
    options = (
        ("hour", _("the last hour")),
        ("day", _("the last day")),
        ("week", _("the last week")),
        ("over-hour", _("more than an hour ago")),
        ("over-day", _("more than a day ago")),
        ("over-week", _("more than a week ago")),
    )

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows on this side of the moment."""
        moment = timezone.now() - _AGES[value.removeprefix("over-")]
        return self.rows_beside(moment, queryset, older=value.startswith("over-"))

    def rows_beside(self, moment: datetime, queryset: QuerySet[Any], *, older: bool) -> QuerySet[Any]:
        """Return the rows older than a moment, or the others, by the order of the list."""
        raise NotImplementedError


class CreatedFilter(AgeFilter):
    """By when a job was enqueued. Numbers grow with time: a few probes of the key find where to begin."""

    title = _("enqueued")
    _first = 0

    def rows_beside(self, moment: datetime, queryset: QuerySet[Any], *, older: bool) -> QuerySet[Any]:
        """Return the jobs numbered before the first one enqueued since, or the others."""
        first = self._first = self._first or _first_job_since(moment)
        return queryset.filter(pk__lt=first) if older else queryset.filter(pk__gte=first)


class FailedFilter(AgeFilter):
    """By when a job failed: the order of the list of failed ones."""

    title = _("failed")

    def rows_beside(self, moment: datetime, queryset: QuerySet[Any], *, older: bool) -> QuerySet[Any]:
        """Return the jobs that failed before a moment, or since."""
        return queryset.filter(**{"finished_at__lt" if older else "finished_at__gte": moment})


def _first_job_since(moment: datetime) -> int:
    """Return the number of the first job enqueued at `moment` or later, by halving the range of numbers."""
    ends = [Job.objects.order_by(order).values_list("pk", flat=True).first() for order in ("pk", "-pk")]
    low, high = ends[0] or 0, (ends[1] or 0) + 1
    while low < high:
        middle = (low + high) // 2
        row = Job.objects.filter(pk__gte=middle).order_by("pk").values_list("pk", "created_at").first()
        if row is None or row[1] >= moment:
            high = middle
        else:
            low = row[0] + 1
    return low
