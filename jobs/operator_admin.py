"""The base of the admin's pages: to look at, by key, with nothing counted, deleted or logged on the side."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from django.contrib import admin, messages
from django.contrib.admin import ListFilter
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import ShowFacets
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.forms import Script
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from jobs.keyset import KeysetChangeList

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

_View = TypeVar("_View", bound=Callable[..., Any])


def outside_scope(view: _View) -> _View:
    """Mark a view of the admin that opens its own scope, because it sends a file or reads no rows."""
    view.outside_scope = True  # type: ignore[attr-defined]
    return view


@dataclass(frozen=True)
class ActionButton:
    """One button on the page of a row: it posts an action of the list for this one row."""

    action: str
    label: str
    address: str


class SilentLog(_ModelAdmin):
    """Keeps Django's LogEntry out: it repeats titles and names, and the audit trail must not."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> None:  # type: ignore[override]
        """Write nothing."""

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> None:  # type: ignore[override]
        """Write nothing."""

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:  # type: ignore[override]
        """Write nothing."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """There is none of Django's."""
        raise Http404


class OperatorAdmin(SilentLog):
    """Shows rows and changes none: what changes them is an action or a form that calls a service."""

    #: The order of the list: columns of one index, all of one direction, the last one unique.
    keyset: ClassVar[tuple[str, ...]] = ("-id",)
    #: With filters that no index serves, look at this many rows a page at most; 0 = no bound needed.
    look_back: ClassVar[int] = 0
    #: The column that says when a row came, for "looked back to …".
    moment_field: ClassVar[str] = "created_at"
    #: Columns that other pages may filter by in a link, besides the filters of the list.
    linked_lookups: ClassVar[tuple[str, ...]] = ()

    list_per_page = 50
    sortable_by = ()
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    actions_selection_counter = True
    change_list_template = "jobs/change_list.html"
    empty_value_display = "–"

    class Media:
        js = (Script("archiv/choices.js", type="module"), Script("archiv/keys.js", type="module"))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the changelist that pages by key."""
        return KeysetChangeList

    def narrow_list(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows as the list needs them: without columns it does not show."""
        return queryset

    def is_indexed(self, chosen: ListFilter) -> bool:
        """Tell whether an index finds the rows of this filter, so that all of them can be looked at."""
        return False

    def is_stretch(self, chosen: ListFilter) -> bool:
        """Tell whether an index in the order of the list has the rows of this filter as one stretch."""
        return False

    def complete_rows(self, rows: list[Any]) -> list[Any]:
        """Return the rows of one page with what other tables say about them, fetched for all at once."""
        return rows

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow the list's own filters only, so that no URL makes a query that no index serves."""
        filters = {getattr(entry, "parameter_name", None) for entry in self.get_list_filter(request)}
        return lookup in filters or lookup in self.linked_lookups

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds by hand what a service adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody edits these rows."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nothing is deleted here: documents go by purge, tenants by a signed order, jobs by pruning."""
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list under the plain name of its things; Django's title is ugly in German."""
        actions = self.get_action_choices(request, [])
        context = {
            "title": capfirst(self.opts.verbose_name_plural),
            "single_action": actions[0] if len(actions) == 1 else None,
        }
        return super().changelist_view(request, context | (extra_context or {}))

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return what the page of one row shows besides its fields."""
        return {}

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return one row for its page, completed as in the list."""
        row = super().get_object(request, object_id, from_field)
        return None if row is None else self.complete_rows([row])[0]

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        """Show one row under its own name, with the name of its kind above it; or a form for a new one."""
        name = self.opts.verbose_name
        if obj is None:
            once = {"show_save_and_add_another": False, "show_save_and_continue": False}
            context |= {"title": _("New %(thing)s") % {"thing": name}} | once
        else:
            context |= {"title": str(obj), "kind": capfirst(name), "subtitle": None}
            context |= self.page_context(request, obj)
        return super().render_change_form(request, context, add, change, form_url, obj)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Run an action on the rows ticked, of one page at most; "all pages" would be a blind shot."""
        ticked = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if request.POST.get("select_across", "0") != "0" or len(ticked) > self.list_per_page:
            text = _("Actions take the rows of one page: at most %(number)d at a time. Nothing was changed.")
            self.message_user(request, text % {"number": self.list_per_page}, messages.ERROR)
            return None
        try:
            return super().response_action(request, queryset, *args, **kwargs)
        except (ValueError, ValidationError):
            # Django would answer with an error of the server to a key that cannot be one.
            text = _("What is to be changed was sent wrongly: open the list again. Nothing was changed.")
            self.message_user(request, text, messages.ERROR)
            return None

    def tell_changes(self, request: HttpRequest, done: str, number: int, skipped: Mapping[str, int]) -> None:
        """Tell the operator what an action did to `number` rows, and how many it left alone, by reason."""
        if skipped:
            reasons = ", ".join(f"{count} {_(reason)}" for reason, count in skipped.items())
            words = {"number": sum(skipped.values()), "reasons": reasons}
            done += ", " + _("%(number)d skipped (%(reasons)s)") % words
        level = messages.SUCCESS if number and not skipped else messages.WARNING
        self.message_user(request, f"{done}.", level)
