"""The admin site of archiv: Django's own, in the scope of operators, with nothing written on the side."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.utils.translation import gettext_lazy as _
from psycopg.errors import QueryCanceled

from archiv.dashboard.alerts import Gravity
from archiv.dashboard.view import dashboard_context
from jobs.operator_admin import outside_scope
from tenants.audit import Actor, acting_as
from tenants.scope import operator_scope

#: Longest time one statement of a page may take, in seconds. A page is no reason to load the database.
STATEMENT_SECONDS = 5

#: The menu: sections and the models in them, in the order in which they are needed.
SECTIONS = (
    (
        _("Archive"),
        (
            "documents.document",
            "tenants.tenant",
            "tenants.wipeorder",
            "documents.vaultfinding",
            "documents.vaultcheck",
        ),
    ),
    (
        _("Filing"),
        (
            "documents.tag",
            "documents.correspondent",
            "documents.documenttype",
            "documents.matchingrule",
            "documents.workflow",
            "documents.workflowrun",
            "documents.filingsettings",
            "documents.namingsettings",
        ),
    ),
    (_("Queue"), ("jobs.failedjob", "jobs.job", "jobs.tenantqueue")),
    (_("Accounts"), ("tenants.user", "auth.group")),
)

#: What the menu shows at once; the rest is behind "More".
FIRST = frozenset({"documents.document", "tenants.tenant", "jobs.failedjob", "jobs.job"})

_View = TypeVar("_View", bound=Callable[..., Any])


class ArchivAdminSite(admin.AdminSite):
    """Each view runs and is rendered in one short transaction that sees the rows of all tenants."""

    site_title = "archiv"
    site_header = "archiv"
    index_title = _("Overview")
    site_url = None
    enable_nav_sidebar = False

    def admin_view(self, view: _View, cacheable: bool = False) -> _View:
        """Return `view` for signed-in operators, in the operator's scope unless it is marked `outside_scope`.

        The body of the request is taken in before the transaction begins, and the page is rendered before it
        ends, so that it waits for no client: what is sent afterwards is ready. A view that sends a file
        opens its own scope, and reads the file after leaving it.
        """
        if getattr(view, "outside_scope", False):

            @functools.wraps(view)
            def as_actor(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                with acting_as(_actor(request)):
                    return view(request, *args, **kwargs)

            return super().admin_view(cast("_View", as_actor), cacheable)

        @functools.wraps(view)
        def in_scope(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            _receive_body(request)
            try:
                with acting_as(_actor(request)), operator_scope():
                    _limit_statements()
                    response = view(request, *args, **kwargs)
                    if isinstance(response, SimpleTemplateResponse):
                        response.render()
                    return response
            except OperationalError as error:
                if not isinstance(error.__cause__, QueryCanceled):
                    raise
                return self._too_slow(request)

        return super().admin_view(cast("_View", in_scope), cacheable)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show whether archiv is well, to whoever may see the queue; and the way to everything else."""
        context = dict(extra_context or {})
        if request.user.has_perm("jobs.view_job"):
            context |= dashboard_context()
            urgent = sum(alert.gravity == Gravity.BAD for alert in context["alerts"])
            context["urgent"] = urgent
        return super().index(request, context)

    @outside_scope
    def i18n_javascript(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Send the texts of the scripts; they are in no table."""
        return super().i18n_javascript(request, extra_context)

    def get_log_entries(self, request: HttpRequest) -> QuerySet[LogEntry]:
        """Return none: nothing writes Django's log."""
        return LogEntry.objects.none()

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Return what the person may see, in sections by purpose; what belongs to none comes last.

        Kept with the request: the first page asks for it twice.
        """
        if app_label is not None:
            return super().get_app_list(request, app_label)
        if not hasattr(request, "archiv_sections"):
            request.archiv_sections = self._find_sections(request)  # type: ignore[attr-defined]
        return request.archiv_sections  # type: ignore[attr-defined,no-any-return]

    def _find_sections(self, request: HttpRequest) -> list[dict[str, Any]]:
        apps: list[dict[str, Any]] = super().get_app_list(request)
        models = {
            f"{app['app_label']}.{model['object_name'].lower()}": model
            for app in apps
            for model in app["models"]
        }
        for label, model in models.items():
            model["is_first"] = label in FIRST
        sections = [
            {"name": name, "models": [models.pop(label) for label in labels if label in models]}
            for name, labels in SECTIONS
        ]
        sections.append({"name": _("More"), "models": list(models.values())})
        return [section for section in sections if section["models"]]

    def _too_slow(self, request: HttpRequest) -> HttpResponse:
        context = self.each_context(request) | {"title": _("This took too long")}
        return TemplateResponse(request, "admin/too_slow.html", context, status=503)


def _actor(request: HttpRequest) -> Actor:
    """Return who acts, for the audit trail: the account by its id, and where the request came from."""
    return Actor(f"user:{request.user.pk}", origin=request.META.get("REMOTE_ADDR", ""))


def _receive_body(request: HttpRequest) -> None:
    """Read the body to its end: form fields into memory, files into temporary ones."""
    _ = request.POST


def _limit_statements() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{STATEMENT_SECONDS}s"])
