"""Filters of the list of documents. Each finds its documents by an index where they are not too many."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from documents.filing import FilingState, LabelKind
from documents.models import Filing, Label
from documents.selectors import ProcessingStatus
from jobs.filters import MOST_FOUND, ChoiceFilter, TenantFilter, chosen_tenant
from jobs.form_filters import DayFilter
from jobs.models import Job, JobStatus

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

#: Labels of a kind to choose from.
_CHOICES = 500
STATUS_LABELS = {
    ProcessingStatus.QUEUED: _("queued"),
    ProcessingStatus.PROCESSING: _("processing"),
    ProcessingStatus.FAILED: _("failed"),
    ProcessingStatus.DONE: _("done"),
}


class ExactFilter(ChoiceFilter):
    """Looks its documents up first. `is_exact`: these are all, so the list need not be walked for them."""

    is_exact = False

    def narrow(self, queryset: QuerySet[Any], found: Iterable[Any]) -> QuerySet[Any] | None:
        """Return the rows found; None where there are too many to name them."""
        ids = {one for one in found if one is not None}
        self.is_exact = len(ids) <= MOST_FOUND
        return queryset.filter(pk__in=ids) if self.is_exact else None


class TrashFilter(ChoiceFilter):
    """By whether documents lie in the trash: those have small indexes of their own, all others are many."""

    title = _("trash")
    parameter_name = "trash"
    options = (("yes", _("In the trash")), ("no", _("Not in the trash")))

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the documents in the trash, or the others."""
        return queryset.filter(trashed_at__isnull=value == "no")


class ProcessingFilter(ExactFilter):
    """By how far the newest analysis is."""

    title = _("status")
    parameter_name = "status"
    options = tuple(STATUS_LABELS.items())

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the documents whose newest analysis stands there."""
        if value == ProcessingStatus.DONE:
            return queryset.filter(Q(newest_analysis=JobStatus.SUCCEEDED) | Q(newest_analysis=None))
        jobs = Job.objects.filter(status=value, type="analyze-document")
        if tenant := chosen_tenant(self.request):
            jobs = jobs.filter(tenant_id=tenant.pk)
        rows = queryset.filter(newest_analysis=value)
        found = self.narrow(rows, jobs.values_list("document_id", flat=True)[: MOST_FOUND + 1])
        return rows if found is None else found


class LabelFilter(ExactFilter):
    """By a label of one kind: those of the tenant chosen; without one there is nothing to choose from."""

    kind: ClassVar[LabelKind]

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> list[tuple[str, Any]]:
        """Return the tenant's labels by name."""
        return _labels_of(request).get(self.kind, [])

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the documents filed under it."""
        filings = Filing.objects.filter(
            tenant=chosen_tenant(self.request), label_id=value, state=FilingState.FILED
        )
        rows = self.narrow(queryset, filings.values_list("document_id", flat=True)[: MOST_FOUND + 1])
        if rows is not None:
            return rows
        return queryset.filter(Exists(filings.filter(document_id=OuterRef("pk"))))


class TypeFilter(LabelFilter):
    """By document type."""

    title = _("document type")
    parameter_name = "type"
    kind = LabelKind.DOCUMENT_TYPE


class CorrespondentFilter(LabelFilter):
    """By correspondent."""

    title = _("correspondent")
    parameter_name = "correspondent"
    kind = LabelKind.CORRESPONDENT


class TagFilter(LabelFilter):
    """By tag."""

    title = _("tag")
    parameter_name = "tag"
    kind = LabelKind.TAG


class IssuedFrom(DayFilter):
    """By the first day of issue."""

    title = _("issued from")
    parameter_name = "issued_from"
    lookup = "issued_at__gte"


class IssuedTo(DayFilter):
    """By the last day of issue."""

    title = _("issued to")
    parameter_name = "issued_to"
    lookup = "issued_at__lte"


class AddedFrom(DayFilter):
    """By the first day on which it was added."""

    title = _("added from")
    parameter_name = "added_from"
    lookup = "created_at__gte"

    def bound(self, day: date) -> datetime:
        """Return the beginning of the day in the zone of the site."""
        return timezone.make_aware(datetime.combine(day, time()))


class AddedTo(AddedFrom):
    """By the last day on which it was added."""

    title = _("added to")
    parameter_name = "added_to"
    lookup = "created_at__lt"

    def bound(self, day: date) -> datetime:
        """Return the end of the day in the zone of the site."""
        if day == date.max:
            raise IncorrectLookupParameters(str(day))
        return super().bound(day + timedelta(days=1))


FILTERS = (
    TenantFilter,
    ProcessingFilter,
    TypeFilter,
    CorrespondentFilter,
    TagFilter,
    IssuedFrom,
    IssuedTo,
    AddedFrom,
    AddedTo,
    TrashFilter,
)


def _labels_of(request: HttpRequest) -> dict[str, list[tuple[str, Any]]]:
    """Return the labels of the tenant chosen by kind, read once a request."""
    if not hasattr(request, "labels_of_tenant"):
        found: dict[str, list[tuple[str, Any]]] = {}
        if tenant := chosen_tenant(request):
            rows = Label.objects.filter(tenant_id=tenant.pk).order_by("kind", "key")
            for pk, kind, name in rows.values_list("pk", "kind", "name"):
                labels = found.setdefault(kind, [])
                if len(labels) < _CHOICES:
                    labels.append((str(pk), name))
        request.labels_of_tenant = found  # type: ignore[attr-defined]
    return request.labels_of_tenant  # type: ignore[attr-defined,no-any-return]
