"""A changelist of the admin that goes on after the last row shown, and never counts.

Django's own counts the table for each page and skips rows by OFFSET: seconds at ten million jobs. This one
reads one page and one row more, in the order of an index, from where the former page ended.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.contrib.admin import ListFilter
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR, ChangeList
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.db.models.fields.tuple_lookups import (
    Tuple,
    TupleGreaterThan,
    TupleGreaterThanOrEqual,
    TupleLessThan,
    TupleLessThanOrEqual,
)
from django.http import HttpRequest
from django.utils.translation import gettext

if TYPE_CHECKING:
    from jobs.operator_admin import OperatorAdmin

#: The parameter of the URL that says after which row a page begins.
AFTER = "after"
#: Parameters of the URL that say how a list looks, and not what is in it.
LOOKS = ("look",)
#: Filters that are always in sight; the others unfold.
FIRST_FILTERS = 3


@dataclass(frozen=True)
class Chip:
    """One filter that is active, in words, and the query string of the list without it."""

    title: str
    value: str
    without: str


@dataclass(frozen=True)
class LookedBack:
    """How far a filtered list has looked, where the rest of the table is too long to search in one go."""

    until: datetime | None
    further: str


@dataclass(frozen=True)
class _Bound:
    key: Sequence[Any]
    moment: datetime | None


class KeysetChangeList(ChangeList):
    """Pages by key: `model_admin.keyset` is the order, of one direction, ending in a unique column."""

    #: Query string of the first page with the same filters.
    first_page: str = ""
    #: Query string of the next page; empty on the last one.
    next_page: str = ""
    #: Whether this is not the first page.
    is_later_page: bool = False
    #: Set where a filter matched less than a page among the rows looked at, and there are more to look at.
    looked_back: LookedBack | None = None

    #: Set where the list is empty because something was missing to ask for it; `notes` say what.
    was_not_asked: bool = False
    #: Sentences shown above the list.
    notes: tuple[str, ...] = ()

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: list[str | None] | None = None
    ) -> QuerySet[Any]:
        """Return the filtered rows. The place in the list is no filter, and a changed filter drops it."""
        for name in [*LOOKS, *(name for name, values in self.filter_params.items() if not any(values))]:
            self.filter_params.pop(name, None)
        # A form sends what was left empty as well.
        self.params = {name: value for name, value in self.params.items() if value and name != AFTER}
        self.filter_params.pop(AFTER, None)
        return self._admin.narrow_list(super().get_queryset(request, exclude_parameters))

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """Return the one order of this list: the index has no other."""
        return list(self._admin.keyset)

    def get_results(self, request: HttpRequest) -> None:
        """Read one page and one row more, which tells whether there is a next one."""
        size = self.list_per_page
        after = self._read_cursor(request.GET.get(AFTER))
        queryset = self.queryset if after is None else self.queryset.filter(self._beyond(after))
        bound = self._find_bound(request, after) if self._must_bound() else None
        if bound is not None:
            queryset = queryset.filter(self._up_to(bound.key))
        rows = list(queryset[: size + 1])
        if len(rows) > size:
            self.next_page = self._page_after(self._key_of(rows[size - 1]))
        elif bound is not None:
            self.looked_back = LookedBack(until=bound.moment, further=self._page_after(bound.key))
        self.notes += tuple(filter(None, (getattr(spec, "note", "") for spec in self.filter_specs)))
        self.first_page = self.get_query_string()
        self.is_later_page = after is not None
        self._publish(self._admin.complete_rows(rows[:size]))

    def _publish(self, rows: Sequence[Model]) -> None:
        """Set what Django's templates and actions read. What would need a count is the page's own length."""
        self.result_list = rows
        self.result_count = len(rows)
        self.full_result_count = None
        self.show_full_result_count = False
        self.show_admin_actions = True
        self.can_show_all = False
        self.multi_page = False
        self.paginator = None

    @property
    def _admin(self) -> "OperatorAdmin":
        return cast("OperatorAdmin", self.model_admin)

    @property
    def _columns(self) -> list[str]:
        return [column.lstrip("-") for column in self._admin.keyset]

    def _key_of(self, row: Model) -> list[Any]:
        return [getattr(row, column) for column in self._columns]

    def _page_after(self, key: Sequence[Any]) -> str:
        return self.get_query_string({AFTER: json.dumps([_as_json(value) for value in key])})

    def _read_cursor(self, given: str | None) -> list[Any] | None:
        """Return the key in the URL. Raises `IncorrectLookupParameters` for anything that is none."""
        if given is None:
            return None
        try:
            values = json.loads(given)
            if not isinstance(values, list) or len(values) != len(self._columns) or None in values:
                raise ValueError(given)
            fields: list[Any] = [self.opts.get_field(column) for column in self._columns]
            return [field.clean(value, None) for field, value in zip(fields, values, strict=True)]
        except (ValueError, TypeError, OverflowError, ValidationError) as error:
            raise IncorrectLookupParameters(str(error)) from error

    def _beyond(self, key: Sequence[Any]) -> Q:
        """Return the condition of all rows after `key`."""
        return self._compare(key, TupleLessThan if self._is_descending else TupleGreaterThan)

    def _up_to(self, key: Sequence[Any]) -> Q:
        """Return the condition of all rows before `key`, and of its own."""
        return self._compare(key, TupleGreaterThanOrEqual if self._is_descending else TupleLessThanOrEqual)

    def _compare(self, key: Sequence[Any], lookup: Callable[[Tuple, Sequence[Any]], Any]) -> Q:
        """Return one comparison of whole rows: an index answers it, a chain of ANDs and ORs it does not."""
        return Q(lookup(Tuple(*self._columns), tuple(key)))

    @property
    def _is_descending(self) -> bool:
        return self._admin.keyset[0].startswith("-")

    def get_query_string(
        self, new_params: dict[str, Any] | None = None, remove: Iterable[str] | None = None
    ) -> str:
        """Return the query string with some parameters changed; the look stays."""
        looks = {name: self.params[name] for name in LOOKS if name in self.params}
        return super().get_query_string(looks | (new_params or {}), list(remove or ()))

    @property
    def chips(self) -> list[Chip]:
        """What is active: the search, and each filter."""
        found = []
        if self.query:
            found.append(Chip(gettext("Search"), self.query, self.get_query_string(remove=[SEARCH_VAR])))
        for spec in self.filter_specs:
            if spec.used_parameters:
                without = self.get_query_string(remove=list(spec.used_parameters))
                found.append(Chip(str(spec.title), getattr(spec, "chip", ""), without))
        return found

    @property
    def first_filters(self) -> list[ListFilter]:
        """The filters that are always in sight."""
        return list(self.filter_specs[:FIRST_FILTERS])

    @property
    def more_filters(self) -> list[ListFilter]:
        """The others."""
        return list(self.filter_specs[FIRST_FILTERS:])

    @property
    def more_are_active(self) -> bool:
        """Whether one of the others is used, so that they are to be seen."""
        return any(spec.used_parameters for spec in self.more_filters)

    @property
    def kept_parameters(self) -> dict[str, Any]:
        """What stays in the URL when the form is sent, and is no field of it."""
        fields = {SEARCH_VAR, *(name for spec in self.filter_specs for name in spec.expected_parameters())}
        return {name: value for name, value in self.params.items() if name not in fields}

    def _must_bound(self) -> bool:
        """Tell whether rows are filtered, and none of the filters finds its rows by an index."""
        if not self._admin.look_back or not self.has_active_filters:
            return False
        used = [spec for spec in self.filter_specs if spec.used_parameters]
        if all(self._admin.is_stretch(spec) for spec in used):
            return False
        return not any(self._admin.is_indexed(spec) for spec in used)

    def _find_bound(self, request: HttpRequest, after: Sequence[Any] | None) -> _Bound | None:
        """Return the last row that this page looks at; None where so few are left that all can be."""
        rows = self.root_queryset
        for spec in self.filter_specs:
            if spec.used_parameters and self._admin.is_stretch(spec):
                rows = cast("QuerySet[Any]", spec.queryset(request, rows))
        if after is not None:
            rows = rows.filter(self._beyond(after))
        wanted = rows.order_by(*self._admin.keyset).values_list(*self._columns, self._admin.moment_field)
        place = self._admin.look_back - 1
        for *key, moment in wanted[place : place + 1]:
            return _Bound(key, moment)
        return None


def _as_json(value: Any) -> Any:
    return value if isinstance(value, int | None) else str(value)
