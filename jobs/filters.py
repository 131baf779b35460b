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

#: So many jobs may run at once and all be listed; more than that is no number of slots.
_MOST_RUNNING = 1000
#: Tenants named where the name typed is not one.
_SUGGESTIONS = 8


class TenantFilter(ListFilter):
    """Filters by a tenant whose name is typed: a list to choose from would load all of them."""

    title = _("tenant")
    parameter_name: ClassVar[str] = "tenant"
    template = "jobs/tenant_filter.html"

    def __init__(
        self,
        request: HttpRequest,
        params: dict[str, list[str]],
        model: type[Model],
        model_admin: "ModelAdmin[Any]",
    ) -> None:
        super().__init__(request, params, model, model_admin)
        given = params.pop(self.parameter_name, [""])[-1]
        self.asked = "".join(c for c in unicodedata.normalize("NFC", given) if c.isprintable()).strip()
        # The model belongs to a higher app: named as the key of Job names it, not imported.
        self._tenants: Any = apps.get_model("tenants.Tenant").objects
        self.tenant: Any = self._find() if self.asked else None
        if self.tenant is not None:
            self.used_parameters[self.parameter_name] = self.asked

    def _find(self) -> Any:
        try:
            return self._tenants.filter(pk=uuid.UUID(self.asked)).first()
        except ValueError:
            return self._tenants.filter(name=self.asked).first()

    @property
    def shown(self) -> str:
        """What stands in the input: the tenant's name, or what was typed."""
        return str(self.tenant or self.asked)

    @property
    def suggestions(self) -> list[str]:
        """Some names that contain what was typed, where it is not a name."""
        if self.tenant is not None or not self.asked:
            return []
        found = self._tenants.filter(name__icontains=self.asked).order_by("name")
        return list(found.values_list("name", flat=True)[:_SUGGESTIONS])

    def has_output(self) -> bool:
        """Return True: the input is always there."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """Return the parameter of the URL."""
        return [self.parameter_name]

    def choices(self, changelist: ChangeList) -> Iterator[Mapping[str, object]]:
        """Yield what the template needs: the other parameters to keep, and a link for each suggestion."""
        kept = {
            key: value for key, value in changelist.params.items() if key not in (self.parameter_name, "p")
        }
        yield {
            "kept": kept,
            "links": [
                (name, changelist.get_query_string({self.parameter_name: name})) for name in self.suggestions
            ],
            "without": changelist.get_query_string(remove=[self.parameter_name]),
        }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of the tenant; none for a name that no tenant has."""
        if not self.asked:
            return queryset
        return queryset.filter(tenant_id=self.tenant.pk) if self.tenant is not None else queryset.none()


class ChoiceFilter(SimpleListFilter):
    """Filters by one column with a fixed set of values. Any other value in the URL is refused."""

    options: ClassVar[Iterable[tuple[Any, Any]]] = ()

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

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the jobs; those that run are found by their own small index, however old they are."""
        if value != JobStatus.PROCESSING:
            return super().rows_with(value, queryset)
        running = Job.objects.filter(status=JobStatus.PROCESSING).values("pk")[:_MOST_RUNNING]
        return super().rows_with(value, queryset).filter(pk__in=running)


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
