"""Merging labels that were ticked in a list: a page says what would be done, and its button does it."""

import uuid
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.errors import DocumentsError
from documents.filing import LabelKind
from documents.models import Label
from documents.services.label_merging import merge_labels, preview_merge
from jobs.display import show_error
from jobs.operator_admin import OperatorAdmin, outside_scope
from tenants.access import operator_access
from tenants.errors import TenantsError

#: Labels that are merged at a time.
MOST_MERGED = 50


class LabelMerging(OperatorAdmin):
    """Adds the action to a list of labels, and the page it leads to."""

    kind: ClassVar[LabelKind]
    actions: Any = ("merge", "remove")

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the page, before Django's own."""
        view = self.admin_site.admin_view(self.merge_view)
        return [path("merge/", view, name=f"{self._list}_merge"), *super().get_urls()]

    @admin.action(description=_("Merge the selected rows"), permissions=["remove"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Label]) -> HttpResponse | None:
        """Lead to the page that says what merging the labels ticked would do."""
        rows = list(queryset[: MOST_MERGED + 1])
        if len({row.tenant_id for row in rows}) != 1 or not 2 <= len(rows) <= MOST_MERGED:
            words = gettext("Tick 2 to %d rows of one tenant.") % MOST_MERGED
            self.message_user(request, words, messages.ERROR)
            return None
        asked = [("tenant", str(rows[0].tenant_id)), *(("id", str(row.pk)) for row in rows)]
        return HttpResponseRedirect(f"{reverse(f'admin:{self._list}_merge')}?{urlencode(asked)}")

    @outside_scope
    def merge_view(self, request: HttpRequest) -> HttpResponse:
        """Show how the labels are used; with POST, let the one chosen take the place of the others."""
        if not request.user.has_perm(f"documents.delete_{self.opts.model_name}"):
            raise PermissionDenied
        given = request.POST if request.method == "POST" else request.GET
        try:
            tenant_id = uuid.UUID(given.get("tenant", ""))
            ids = [uuid.UUID(each) for each in given.getlist("id")][:MOST_MERGED]
            into = uuid.UUID(given["into"]) if "into" in given else None
        except ValueError as error:
            raise Http404 from error
        try:
            if request.method == "POST" and into in ids:
                self._merge(request, tenant_id, [each for each in ids if each != into], into)
                return HttpResponseRedirect(reverse(f"admin:{self._list}_change", args=[into]))
            uses = preview_merge(access=operator_access(tenant_id), kind=self.kind, label_ids=ids)
        except (DocumentsError, TenantsError) as error:
            self.message_user(request, show_error(error), messages.ERROR)
            return HttpResponseRedirect(reverse(f"admin:{self._list}_changelist"))
        context: dict[str, Any] = self.admin_site.each_context(request) | {
            "title": gettext("Merge %(names)s") % {"names": self.opts.verbose_name_plural},
            "opts": self.opts,
            "list_address": reverse(f"admin:{self._list}_changelist"),
            "tenant_id": tenant_id,
            "uses": uses,
        }
        return TemplateResponse(request, "documents/merge_labels.html", context)

    @property
    def _list(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}"

    def _merge(
        self, request: HttpRequest, tenant_id: uuid.UUID, ids: list[uuid.UUID], into: uuid.UUID
    ) -> None:
        documents = 0
        for label_id in ids:
            documents += merge_labels(
                access=operator_access(tenant_id), kind=self.kind, label_id=label_id, into_id=into
            )
        words = ngettext("Merged; %d document was moved.", "Merged; %d documents were moved.", documents)
        self.message_user(request, words % documents)
