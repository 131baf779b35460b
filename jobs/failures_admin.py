"""Failed jobs by cause: the page of a kind, the preview of a requeue of all that match, and its operation."""

import uuid
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs.display import failure_line, name_actor
from jobs.errors import JobRefused
from jobs.kinds import read_groups
from jobs.models import ErrorGroup, FailureKind, JobAttempt, Operation
from jobs.operations import Wanted, order_requeue, preview_requeue, stop_operation
from jobs.registry import job_types
from jobs.services import requeue_jobs
from jobs.text import blank_numbers

if TYPE_CHECKING:
    from jobs.admin import JobPages

_NEWEST_SHOWN = 20
_KINDS_SHOWN = 200


class FailurePages:
    """The pages about failed jobs that are no list and no single job; `owner` is the admin they belong to."""

    def __init__(self, owner: "JobPages") -> None:
        self._owner = owner
        self._site = owner.admin_site

    def addresses(self) -> list[URLPattern]:
        """Return their addresses."""
        views: list[tuple[str, str, Callable[..., HttpResponse]]] = [
            ("kinds/", "kinds", self.show_kinds),
            ("kind/<str:fingerprint>/", "kind", self.show_kind),
            ("requeue/", "requeue", self.requeue),
            ("operations/<uuid:operation>/", "operation", self.show_operation),
            ("operations/<uuid:operation>/stop/", "stop", self.stop),
        ]
        return [
            path(where, self._site.admin_view(view), name=f"jobs_failedjob_{name}")
            for where, name, view in views
        ]

    def show_kinds(self, request: HttpRequest) -> HttpResponse:
        """List what the failed jobs have failed of, most jobs first."""
        self._check_view(request)
        found = read_groups(_KINDS_SHOWN + 1)
        kinds = [
            (blank_numbers(failure_line(one.words, 160)) or one.group.kind, one.group)
            for one in found[:_KINDS_SHOWN]
        ]
        return self._page(
            request,
            "jobs/failure_kinds.html",
            _("Failed, by kind"),
            kinds=kinds,
            is_more=len(found) > _KINDS_SHOWN,
        )

    def show_kind(self, request: HttpRequest, fingerprint: str) -> HttpResponse:
        """Show what the failed jobs of one cause have in common, and the newest of them."""
        self._check_view(request)
        group = ErrorGroup.objects.filter(fingerprint=fingerprint).first()
        jobs = Wanted(fingerprint=fingerprint).jobs().select_related("tenant")
        newest = list(jobs.defer("payload").order_by("-finished_at", "-id")[:_NEWEST_SHOWN])
        if group is None and not newest:
            raise Http404
        attempt = (
            JobAttempt.objects.filter(job_id=newest[0].pk).order_by("-lease").first() if newest else None
        )
        words = failure_line(newest[0].error_message, 160) if newest else ""
        for job in newest:
            job.line = failure_line(job.error_message, 160)  # type: ignore[attr-defined]
        return self._page(
            request,
            "jobs/failure_kind.html",
            blank_numbers(words) or (group.kind if group else fingerprint),
            group=group,
            kind_words=_kind_words(group) if group else "",
            newest=newest,
            attempt=attempt,
            requeue_address=self._address("requeue") + "?" + urlencode({"fingerprint": fingerprint}),
        )

    def requeue(self, request: HttpRequest) -> HttpResponse:
        """Preview a requeue of all that match a filter (GET); try one, or order it (POST)."""
        self._check_requeue(request)
        try:
            wanted = Wanted.from_mapping(request.POST if request.method == "POST" else request.GET)
            if request.method == "POST":
                return (
                    self._try_one(request, wanted) if "one" in request.POST else self._order(request, wanted)
                )
            preview = None if wanted.is_empty else preview_requeue(wanted)
        except JobRefused as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(self._address("requeue"))
        return self._page(
            request,
            "jobs/requeue_preview.html",
            _("Requeue all that match"),
            cause=self._name_cause(wanted),
            wanted=wanted,
            preview=preview,
            token=uuid.uuid4(),
            types=sorted(job_types()),
            kinds=FailureKind.choices,
        )

    def _try_one(self, request: HttpRequest, wanted: Wanted) -> HttpResponse:
        """Requeue the newest that matches, and stay on the preview."""
        back = HttpResponseRedirect(self._address("requeue") + "?" + urlencode(_given(wanted)))
        if wanted.is_empty:
            return back
        newest = wanted.jobs().filter(tenant__status="active").order_by("-finished_at", "-id")
        job_id = newest.values_list("id", flat=True).first()
        if job_id is None:
            messages.warning(request, _("None of them can be tried: nothing was changed."))
            return back
        requeue_jobs(job_ids=[job_id])
        messages.success(
            request, _("Job #%(job)d runs again: see how it ends, then take the others.") % {"job": job_id}
        )
        return HttpResponseRedirect(reverse("admin:jobs_job_change", args=[job_id]))

    def _order(self, request: HttpRequest, wanted: Wanted) -> HttpResponse:
        """Order what was previewed; the same form twice is one order."""
        try:
            token = uuid.UUID(request.POST.get("token", ""))
            as_of = datetime.fromisoformat(request.POST.get("as_of", ""))
            total = int(request.POST.get("total", ""))
        except ValueError:
            raise JobRefused(_("Look at the preview first, then order it.")) from None
        if as_of.tzinfo is None or not 0 <= total < 2**31:
            raise JobRefused(_("Look at the preview first, then order it."))
        operation = order_requeue(id=token, wanted=wanted, as_of=as_of, total=total)
        return HttpResponseRedirect(self._address("operation", operation.pk))

    def show_operation(self, request: HttpRequest, operation: uuid.UUID) -> HttpResponse:
        """Show how far an operation is, what it skipped, and how many failed again since."""
        self._check_view(request)
        found = Operation.objects.filter(pk=operation, verb=Operation.Verb.REQUEUE).first()
        if found is None:
            raise Http404
        wanted = Wanted.from_mapping(found.wanted)
        again = (
            wanted.jobs().filter(finished_at__gt=found.as_of)[:1000].count() if wanted.fingerprint else None
        )
        return self._page(
            request,
            "jobs/operation_page.html",
            ngettext("Requeue of %(count)d job", "Requeue of %(count)d jobs", found.total)
            % {"count": found.total},
            cause=self._name_cause(wanted),
            failed_again=again,
            **operation_context(found, may_stop=self._may_requeue(request)),
            stop_address=self._address("stop", found.pk),
        )

    def stop(self, request: HttpRequest, operation: uuid.UUID) -> HttpResponse:
        """Stop an operation after the batch that runs."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        self._check_requeue(request)
        stop_and_tell(request, operation)
        return HttpResponseRedirect(self._address("operation", operation))

    def _name_cause(self, wanted: Wanted) -> dict[str, str] | None:
        """Return the words and the page of the kind of error that is meant; None if it is not one alone."""
        if not wanted.fingerprint:
            return None
        newest = Wanted(fingerprint=wanted.fingerprint).jobs().order_by("-finished_at", "-id")
        message = newest.values_list("error_message", flat=True).first()
        group = ErrorGroup.objects.filter(fingerprint=wanted.fingerprint).first()
        words = blank_numbers(failure_line(message or "", 160)) or (_kind_words(group) if group else "")
        return {"words": words, "address": self._address("kind", wanted.fingerprint)} if words else None

    def _page(self, request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
        base = self._site.each_context(request) | {
            "title": title,
            "opts": self._owner.opts,
            "may_requeue": self._may_requeue(request),
        }
        return TemplateResponse(request, template, base | context)

    def _may_requeue(self, request: HttpRequest) -> bool:
        return self._owner.has_requeue_permission(request)

    def _check_view(self, request: HttpRequest) -> None:
        if not self._owner.has_view_permission(request):
            raise PermissionDenied

    def _check_requeue(self, request: HttpRequest) -> None:
        self._check_view(request)
        if not self._may_requeue(request):
            raise PermissionDenied

    def _address(self, name: str, *args: object) -> str:
        return reverse(f"admin:jobs_failedjob_{name}", args=args)


def _kind_words(group: ErrorGroup) -> str:
    """Return what kind of failure a group's are, for people."""
    return str(dict(FailureKind.choices).get(group.kind, group.kind))


def operation_context(operation: Operation, *, may_stop: bool) -> dict[str, Any]:
    """Return what the page of any operation shows of how far it is."""
    return {
        "operation": operation,
        "ordered_by": name_actor(operation.actor),
        "skipped": {_(reason): count for reason, count in operation.skipped.items()},
        "may_stop": may_stop and operation.state == Operation.State.RUNNING,
    }


def stop_and_tell(request: HttpRequest, operation: uuid.UUID) -> None:
    """Stop an operation after what is being done now, and say so."""
    if stop_operation(id=operation):
        messages.success(request, _("Stopped: what is done stays done."))
    else:
        messages.warning(request, _("It had come to its end already."))


def _given(wanted: Wanted) -> dict[str, str]:
    return {name: value for name, value in asdict(wanted).items() if value}
