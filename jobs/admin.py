"""The pages of jobs: all of them, and those that failed."""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin import ListFilter
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs import queue_admin  # noqa: F401  registers its pages
from jobs.display import (
    NOTHING,
    failure_line,
    in_language,
    show_json,
    show_link,
    show_moment,
    show_seconds,
    show_span,
    show_state,
)
from jobs.failures_admin import FailurePages
from jobs.filters import FailureKindFilter, LaneFilter, StatusFilter, TenantFilter, TypeFilter
from jobs.form_filters import AgeFilter, CreatedFilter, ErrorTextFilter, FailedFilter, NumberFilter
from jobs.models import FailedJob, FailureKind, Job, JobAttempt, JobStatus
from jobs.numbers import show_number
from jobs.operator_admin import ActionButton, OperatorAdmin
from jobs.services import cancel_jobs, requeue_jobs
from jobs.time_line import Span, draw_time_line

#: Attempts shown on the page of a job, newest first.
ATTEMPTS_SHOWN = 20
_ERROR_START = 200


@dataclass(frozen=True)
class AttemptLine:
    """One ended attempt as the page of its job shows it."""

    attempt: JobAttempt
    outcome: str
    duration: str


class JobPages(OperatorAdmin):
    """What the pages of all jobs and of the failed ones share."""

    list_select_related = ("tenant",)
    look_back = 20_000
    list_display_links = ("number",)
    linked_lookups = ("document_id",)
    change_form_template = "jobs/job_page.html"
    fieldsets = (
        (_("Job"), {"fields": ("type", "tenant_link", "document_link", "state", "progress", "api_number")}),
        (_("Failure"), {"fields": ("kind", "error", "fingerprint")}),
        (_("Times"), {"fields": ("created", "due", "started", "finished", "duration")}),
        (_("Queue"), {"fields": ("lane_name", "retries", "worker", "lease", "lease_end")}),
        (_("Payload"), {"fields": ("payload_text",)}),
    )

    def narrow_list(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Leave out what may be long: payloads, and all but the start of an error."""
        start = Left("error_message", _ERROR_START)
        narrowed: QuerySet[Any] = queryset.defer("payload", "error_message").annotate(error_start=start)
        return narrowed

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may see jobs may see the failed ones."""
        return request.user.has_perm("jobs.view_job")

    def has_requeue_permission(self, request: HttpRequest) -> bool:
        """Seeing is not requeueing."""
        return request.user.has_perm("jobs.requeue_job")

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Seeing is not cancelling."""
        return request.user.has_perm("jobs.cancel_job")

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Jobs are in the menu of who may see them."""
        return request.user.has_perm("jobs.view_job")

    def page_context(self, request: HttpRequest, row: Job) -> dict[str, Any]:
        """Return the attempts, newest first, and what may be done with the job."""
        attempts = list(row.attempts.order_by("-lease")[: ATTEMPTS_SHOWN + 1])
        return {
            **_time_line(row, attempts[:ATTEMPTS_SHOWN]),
            "attempts": [_describe(attempt) for attempt in attempts[:ATTEMPTS_SHOWN]],
            "more_attempts": len(attempts) > ATTEMPTS_SHOWN,
            "buttons": self._buttons(request, row),
        }

    def _buttons(self, request: HttpRequest, job: Job) -> list[ActionButton]:
        buttons = []
        if job.status == JobStatus.FAILED and self.has_requeue_permission(request):
            address = reverse("admin:jobs_failedjob_changelist")
            buttons.append(ActionButton("requeue", gettext("Requeue"), address))
        if job.status in (JobStatus.QUEUED, JobStatus.PROCESSING) and self.has_cancel_permission(request):
            buttons.append(ActionButton("cancel", gettext("Cancel"), reverse("admin:jobs_job_changelist")))
        return buttons

    @admin.display(description=_("job"))
    def number(self, job: Job) -> str:
        """Return the number by which people name a job."""
        return f"#{job.pk}"

    @admin.display(description=_("tenant"))
    def tenant_name(self, job: Job) -> str:
        """Return the tenant's name; of a wiped tenant only the id is left."""
        return str(job.tenant or job.tenant_id)

    @admin.display(description=_("tenant"))
    def tenant_link(self, job: Job) -> str:
        """Return the tenant with a link to its page."""
        if job.tenant is None:
            return gettext("%s (deleted)") % job.tenant_id
        return show_link("tenants_tenant", job.tenant_id, str(job.tenant))

    @admin.display(description=_("document"))
    def document_link(self, job: Job) -> str:
        """Return the document with a link to its page."""
        if job.document_id is None:
            return NOTHING
        # The model belongs to a higher app: named, not imported.
        documents: Any = apps.get_model("documents.Document").objects
        title = documents.filter(pk=job.document_id).values_list("title", flat=True).first()
        return show_link("documents_document", job.document_id, title or str(job.document_id))

    @admin.display(description=_("status"))
    def state(self, job: Job) -> str:
        """Return the status as a badge."""
        return show_state(job.status, job.get_status_display())

    @admin.display(description=_("progress"))
    def progress(self, job: Job) -> str:
        """Return how much of the work is done, where the handler says so."""
        if not job.progress_total:
            return NOTHING
        return gettext("%(done)d of %(total)d") % {"done": job.progress_done, "total": job.progress_total}

    @admin.display(description=_("number in the API"))
    def api_number(self, job: Job) -> str:
        """Return the number by which the API names the job to its tenant."""
        return str(show_number(job.tenant_id, job.pk)) if job.tenant_id else NOTHING

    @admin.display(description=_("kind of failure"))
    def kind(self, job: Job) -> str:
        """Return why the last attempt failed, in a word."""
        return str(job.get_failure_kind_display() or NOTHING)

    @admin.display(description=_("error"))
    def error(self, job: Job) -> str:
        """Return the whole message."""
        return (
            format_html('<div class="error-text">{}</div>', in_language(job.error_message))
            if job.error_message
            else NOTHING
        )

    @admin.display(description=_("error"))
    def error_line(self, job: Job) -> str:
        """Return the start of the message, for lists."""
        return failure_line(getattr(job, "error_start", ""), 120) or NOTHING

    @admin.display(description=_("retries"))
    def retries(self, job: Job) -> str:
        """Return the retries used and allowed."""
        return gettext("%(used)d of %(allowed)d") % {"used": job.retry_count, "allowed": job.max_retries}

    @admin.display(description=_("lane"))
    def lane_name(self, job: Job) -> str:
        """Return the lane, and where it came from if that is another one."""
        lane, home = str(job.get_lane_display()), str(job.get_home_lane_display())
        return (
            lane if lane == home else gettext("%(lane)s (home lane: %(home)s)") % {"lane": lane, "home": home}
        )

    @admin.display(description=_("created"))
    def created(self, job: Job) -> str:
        """Return when the job was enqueued."""
        return show_moment(job.created_at)

    @admin.display(description=_("due"))
    def due(self, job: Job) -> str:
        """Return when the job is or was due."""
        return show_moment(job.next_attempt_at)

    @admin.display(description=_("started"))
    def started(self, job: Job) -> str:
        """Return when the last attempt began."""
        return show_moment(job.started_at)

    @admin.display(description=_("finished"))
    def finished(self, job: Job) -> str:
        """Return when the job ended."""
        return show_moment(job.finished_at)

    @admin.display(description=_("failed at"))
    def failed_at(self, job: Job) -> str:
        """Return when the job failed."""
        return show_moment(job.finished_at)

    @admin.display(description=_("duration"))
    def duration(self, job: Job) -> str:
        """Return how long the last attempt took, or takes."""
        if job.status == JobStatus.QUEUED:
            return NOTHING
        return show_span(job.started_at, job.finished_at)

    @admin.display(description=_("lease expires"))
    def lease_end(self, job: Job) -> str:
        """Return when the lease ends unless its worker beats."""
        return show_moment(job.lease_expires_at)

    @admin.display(description=_("payload"))
    def payload_text(self, job: Job) -> str:
        """Return the payload for reading."""
        return show_json(job.payload)


@admin.register(Job)
class JobAdmin(JobPages):
    """All jobs, newest first. What no index serves is looked for a stretch at a time."""

    list_display = ("number", "type", "tenant_name", "state", "kind", "retries", "created", "duration")
    list_filter = (
        TenantFilter,
        NumberFilter,
        StatusFilter,
        TypeFilter,
        LaneFilter,
        FailureKindFilter,
        CreatedFilter,
    )
    actions = ("cancel",)

    def is_indexed(self, chosen: ListFilter) -> bool:
        """Numbers are the key; what waits or runs has small indexes, as long as it is not too many."""
        return isinstance(chosen, NumberFilter) or (isinstance(chosen, StatusFilter) and chosen.is_exact)

    def is_stretch(self, chosen: ListFilter) -> bool:
        """Numbers grow with time."""
        return isinstance(chosen, AgeFilter)

    @admin.action(description=_("Cancel selected jobs"), permissions=["cancel"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        """Cancel the queued and running ones among the jobs ticked."""
        report = cancel_jobs(job_ids=_ticked(request), by=request.user.get_username())
        text = ngettext("%d job cancelled", "%d jobs cancelled", report.cancelled) % report.cancelled
        self.tell_changes(request, text, report.cancelled, report.skipped)


@admin.register(FailedJob)
class FailedJobAdmin(JobPages):
    """The failed jobs, newest failure first."""

    list_display = ("number", "failed_at", "type", "tenant_name", "kind", "error_line", "retries")
    list_filter = (TenantFilter, TypeFilter, FailureKindFilter, ErrorTextFilter, FailedFilter)
    keyset = ("-finished_at", "-id")
    moment_field = "finished_at"
    # Failed rows lie apart in the table: each costs a page of it, where neighbours share one.
    look_back = 5_000
    change_list_template = "jobs/failed_list.html"
    actions = ("requeue",)

    def get_urls(self) -> list[URLPattern]:
        """Return the addresses of the pages about kinds and operations, before Django's own."""
        return [*FailurePages(self).addresses(), *super().get_urls()]

    def is_indexed(self, chosen: ListFilter) -> bool:
        """The failed jobs of a tenant have an index: all are looked at, but not for a text in each."""
        return isinstance(chosen, TenantFilter) and not chosen.request.GET.get("error")

    def is_stretch(self, chosen: ListFilter) -> bool:
        """Failures come in the order of time, those of a tenant as well."""
        return isinstance(chosen, AgeFilter | TenantFilter)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the failed jobs."""
        return super().get_queryset(request).filter(status=JobStatus.FAILED)

    @admin.action(description=_("Requeue selected jobs"), permissions=["requeue"])
    def requeue(self, request: HttpRequest, queryset: QuerySet[FailedJob]) -> None:
        """Requeue the jobs ticked, and say which were skipped and why."""
        report = requeue_jobs(job_ids=_ticked(request))
        text = ngettext("%d job requeued", "%d jobs requeued", report.requeued) % report.requeued
        self.tell_changes(request, text, report.requeued, report.skipped)


def _ticked(request: HttpRequest) -> list[int]:
    """Return the jobs ticked, those that changed meanwhile included: they are reported as skipped."""
    return [int(given) for given in request.POST.getlist(ACTION_CHECKBOX_NAME) if given.isdecimal()]


def _time_line(job: Job, attempts: list[JobAttempt]) -> dict[str, Any]:
    """Return the attempts shown on a line of time, the one that runs as well, and the line in words."""
    spans = [Span(one.lease, one.outcome, one.started_at, one.ended_at) for one in attempts]
    if job.status == JobStatus.PROCESSING and job.started_at is not None:
        spans.append(Span(job.lease, job.status, job.started_at, None))
    has_all = len(attempts) < ATTEMPTS_SHOWN
    begin = job.created_at if has_all else min(span.start for span in spans)
    line = draw_time_line(spans, begin=begin, end=job.finished_at or timezone.now())
    if line is None:
        return {"time_line": None}
    count = len(line.bars)
    words = ngettext("%(count)d attempt in %(time)s", "%(count)d attempts in %(time)s", count)
    return {
        "time_line": line,
        "time_line_words": words % {"count": count, "time": show_seconds(line.seconds)},
    }


def _describe(attempt: JobAttempt) -> AttemptLine:
    words = {**dict(FailureKind.choices), "succeeded": _("succeeded"), "released": _("given back")}
    outcome = str(words.get(attempt.outcome, attempt.outcome))
    return AttemptLine(attempt, outcome, show_span(attempt.started_at, attempt.ended_at))
