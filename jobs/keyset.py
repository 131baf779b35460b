"""A changelist of the admin that goes on after the last row shown, and never counts.

Django's own counts the table for each page and skips rows by OFFSET: seconds at ten million jobs. This one
reads one page and one row more, in the order of an index, from where the former page ended.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR, ChangeList
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.http import HttpRequest

if TYPE_CHECKING:
    from jobs.operator_admin import OperatorAdmin

#: The parameter of the URL that says after which row a page begins.
AFTER = "after"


@dataclass(frozen=True)
class LookedBack:
    """How far a filtered list has looked, where the rest of the table is too long to search in one go."""

    until: datetime | None
    further: str


class KeysetChangeList(ChangeList):
    """Pages by key: `model_admin.keyset` is the order, of one direction, ending in a unique column."""

    #: Query string of the list without the search.
    without_query: str = ""
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
        self.params.pop(AFTER, None)
        self.filter_params.pop(AFTER, None)
        self.without_query = self.get_query_string(remove=[SEARCH_VAR])
        return self._admin.narrow_list(super().get_queryset(request, exclude_parameters))

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """Return the one order of this list: the index has no other."""
        return list(self._admin.keyset)

    def get_results(self, request: HttpRequest) -> None:
        """Read one page and one row more, which tells whether there is a next one."""
        size = self.list_per_page
        after = self._read_cursor(request.GET.get(AFTER))
        queryset = self.queryset if after is None else self.queryset.filter(self._beyond(after))
        lowest = None
        if self._must_bound():
            lowest = self._lowest_to_look_at(after)
            queryset = queryset.filter(pk__gt=lowest)
        rows = list(queryset[: size + 1])
        if len(rows) > size:
            self.next_page = self._page_after(self._key_of(rows[size - 1]))
        elif lowest is not None:
            self.looked_back = self._say_how_far(lowest)
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
        """Return the condition of all rows after `key`, as one comparison that an index can answer."""
        columns = self._columns
        descending = self._admin.keyset[0].startswith("-")
        if len(columns) == 1:
            return Q(**{f"{columns[0]}__{'lt' if descending else 'gt'}": key[0]})
        lookup = TupleLessThan if descending else TupleGreaterThan
        return Q(lookup(Tuple(*columns), tuple(key)))

    def _must_bound(self) -> bool:
        """Tell whether a filter is set and none of the filters leaves few rows by itself."""
        bounded = any(getattr(spec, "is_bounded", False) for spec in self.filter_specs)
        return bool(self._admin.look_back and self.has_active_filters and not bounded)

    def _lowest_to_look_at(self, after: Sequence[Any] | None) -> int:
        """Return the primary key below which this page does not look."""
        newest = self.root_queryset.order_by("-pk").values_list("pk", flat=True).first() or 0
        top = newest + 1 if after is None else min(after[-1], newest + 1)
        return max(0, top - 1 - self._admin.look_back)

    def _say_how_far(self, lowest: int) -> LookedBack | None:
        below = self.root_queryset.filter(pk__lte=lowest).order_by("-pk").values_list("pk", flat=True).first()
        if below is None:
            return None
        oldest = self.root_queryset.filter(pk__gt=lowest).order_by("pk").first()
        until = getattr(oldest, self._admin.moment_field, None)
        return LookedBack(until=until, further=self._page_after([below + 1]))


def _as_json(value: Any) -> Any:
    return value if isinstance(value, int | None) else str(value)
