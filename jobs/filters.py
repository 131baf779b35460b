"""Filters of the admin's lists: each one answered by an index or bounded, none of them loads all tenants."""

import unicodedata
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.contrib.admin import ListFilter, SimpleListFilter
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from jobs.models import FailureKind, Job, JobStatus, Lane
from jobs.registry import job_types, retired_types

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

#: So many jobs of a status are found by a small index of their own, however old they are.
MOST_FOUND = 1000
#: The lanes of each small index of what waits.
_WAITING_LANES = ((Lane.NORMAL, Lane.BULK), (Lane.URGENT,), (Lane.LATER,))
#: Tenants named where the name typed is not one.
_SUGGESTIONS = 8


def clean_typed(given: str) -> str:
    """Return what was typed, without what cannot be shown."""
    return "".join(character for character in given if character.isprintable()).strip()


class InputFilter(ListFilter):
    """Filters by what is typed into an input of its own; `given` is that, without what cannot be shown."""

    parameter_name: ClassVar[str]

    def __init__(
        self,
        request: HttpRequest,
        params: dict[str, list[str]],
        model: type[Model],
        model_admin: "ModelAdmin[Any]",
    ) -> None:
        super().__init__(request, params, model, model_admin)
        self.given = clean_typed(params.pop(self.parameter_name, [""])[-1])

    def has_output(self) -> bool:
        """Return True: the input is always there."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """Return the parameter of the URL."""
        return [self.parameter_name]


def chosen_tenant(request: HttpRequest) -> Any:
    """Return the tenant whose name or id stands in the address of a list, or None; found once a request."""
    if not hasattr(request, "chosen_tenant"):
        asked = _as_name(clean_typed(request.GET.get(TenantFilter.parameter_name, "")))
        request.chosen_tenant = _find_tenant(asked) if asked else None  # type: ignore[attr-defined]
    return request.chosen_tenant  # type: ignore[attr-defined]


def _find_tenant(asked: str) -> Any:
    try:
        return _tenants().filter(pk=uuid.UUID(asked)).first()
    except ValueError:
        return _tenants().filter(name=asked).first()


def _as_name(typed: str) -> str:
    """Return a name in the form in which names are kept."""
    return unicodedata.normalize("NFC", typed)


def _tenants() -> Any:
    # The model belongs to a higher app: named as the key of Job names it, not imported.
    return apps.get_model("tenants.Tenant").objects


class TenantFilter(InputFilter):
    """Filters by a tenant whose name is typed: a list to choose from would load all of them."""

    title = _("tenant")
    parameter_name = "tenant"
    template = "jobs/fields/tenant.html"

    def __init__(
        self,
        request: HttpRequest,
        params: dict[str, list[str]],
        model: type[Model],
        model_admin: "ModelAdmin[Any]",
    ) -> None:
        super().__init__(request, params, model, model_admin)
        self.asked = _as_name(self.given)
        self.tenant = chosen_tenant(request)
        if self.tenant is not None:
            self.used_parameters[self.parameter_name] = self.asked

    @property
    def shown(self) -> str:
        """What stands in the input: the tenant's name, or what was typed."""
        return str(self.tenant or self.asked)

    @property
    def chip(self) -> str:
        """What is filtered by, for the list of what is active."""
        return self.shown

    @property
    def suggestions(self) -> list[str]:
        """Some names that contain what was typed, where it is not a name."""
        if self.tenant is not None or not self.asked:
            return []
        found = _tenants().filter(name__icontains=self.asked).order_by("name")
        return list(found.values_list("name", flat=True)[:_SUGGESTIONS])

    def choices(self, changelist: ChangeList) -> Iterator[Mapping[str, object]]:
        """Yield what the template needs: a link for each suggestion."""
        yield {
            "links": [
                (name, changelist.get_query_string({self.parameter_name: name})) for name in self.suggestions
            ],
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of the tenant; none for a name that no tenant has."""
        if not self.asked:
            return queryset
        return queryset.filter(tenant_id=self.tenant.pk) if self.tenant is not None else queryset.none()


class ChoiceFilter(SimpleListFilter):
    """Filters by one column with a fixed set of values. Any other value in the URL is refused."""

    options: ClassVar[Iterable[tuple[Any, Any]]] = ()
    template = "jobs/fields/choice.html"

    @property
    def chip(self) -> str:
        """What the value chosen is called, for the list of what is active."""
        return str(dict(self.lookup_choices).get(self.value() or "", ""))

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """Return the values and what they are called."""
        return [(str(value), label) for value, label in self.options]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows with the value chosen."""
        value = self.value()
        if value is None:
            return queryset
        if value not in {str(key) for key, _label in self.lookup_choices}:
            raise IncorrectLookupParameters(f"{self.parameter_name}={value!r} is none of the choices.")
        return self.rows_with(value, queryset)

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows whose column has `value`."""
        return queryset.filter(**{str(self.parameter_name): value})


class StatusFilter(ChoiceFilter):
    """By the status of a job."""

    title = _("status")
    parameter_name = "status"
    options = JobStatus.choices
    #: Whether all that have the status were found by an index.
    is_exact = False

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the jobs; what waits or runs is found by its own small index, where it is not too many."""
        rows = super().rows_with(value, queryset)
        if value not in (JobStatus.QUEUED, JobStatus.PROCESSING):
            return rows
        found = _find_open(JobStatus(value))
        self.is_exact = len(found) <= MOST_FOUND
        return rows.filter(pk__in=found) if self.is_exact else rows


def _find_open(status: JobStatus) -> list[int]:
    """Return the jobs that wait or run; of too many only so many that this can be told."""
    rows = Job.objects.filter(status=status).values_list("pk", flat=True)
    if status is JobStatus.PROCESSING:
        return list(rows[: MOST_FOUND + 1])
    found: list[int] = []
    for lanes in _WAITING_LANES:
        found += rows.filter(lane__in=lanes)[: MOST_FOUND + 1 - len(found)]
    return found


class TypeFilter(ChoiceFilter):
    """By the type of a job: those that this version knows, retired ones included."""

    title = _("type")
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """Return the types, without asking the table for them."""
        return [(name, name) for name in sorted({*job_types(), *retired_types()})]


class LaneFilter(ChoiceFilter):
    """By the lane that a job waits in."""

    title = _("lane")
    parameter_name = "lane"
    options = Lane.choices


class FailureKindFilter(ChoiceFilter):
    """By why a job failed."""

    title = _("kind of failure")
    parameter_name = "failure_kind"
    options = FailureKind.choices
