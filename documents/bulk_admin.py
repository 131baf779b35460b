"""Changing many documents, those ticked or all that a list shows: what would happen, then the doing.

Up to `MOST` are changed at once, exactly those that were previewed. More are changed by an operation: all
that match and were there when it was looked at.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import cast

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from documents.admin_search import DocumentChangeList
from documents.errors import DocumentsError
from documents.models import Document, Label
from documents.models.filing import LABEL_KINDS
from documents.operation_admin import PERMISSIONS, VERBS, DocumentOperations
from documents.services.bulk_operations import MOST as MOST_ORDERED
from documents.services.bulk_operations import order_change
from documents.services.bulk_preview import BulkChange, BulkVerb, make_change, preview_change
from documents.services.changes import NOT_THERE, ChangeReport
from jobs.clock import database_now
from jobs.display import show_error
from jobs.operator_admin import outside_scope
from tenants.access import operator_access
from tenants.errors import TenantsError
from tenants.scope import operator_scope

#: Documents changed within a request.
MOST = 1000
#: Documents that a preview looks at, and tenants: their number is no reason to wait long for it.
PREVIEWED, PREVIEWED_TENANTS = 10_000, 50
_LABELS = 1000


@dataclass(frozen=True)
class Chosen:
    """The documents meant, by tenant, and as of when. `is_more`: more match than an operation takes."""

    by_tenant: dict[uuid.UUID, list[uuid.UUID]]
    missing: int
    is_more: bool
    as_of: datetime

    @property
    def number(self) -> int:
        """How many documents there are."""
        return sum(map(len, self.by_tenant.values()))

    @property
    def are_many(self) -> bool:
        """Whether they are too many to be changed while somebody waits."""
        return self.number > MOST

    def first(self) -> "Chosen":
        """Return those that a preview looks at."""
        taken: dict[uuid.UUID, list[uuid.UUID]] = {}
        left = PREVIEWED
        for tenant, ids in islice(self.by_tenant.items(), PREVIEWED_TENANTS):
            if left <= 0:
                break
            taken[tenant] = ids[:left]
            left -= len(taken[tenant])
        return Chosen(taken, self.missing, self.is_more, self.as_of)


class DocumentBulk(DocumentOperations):
    """Adds the page that previews a change of many documents, and makes or orders it."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the page, before Django's own."""
        view = self.admin_site.admin_view(self.bulk_view)
        return [path("bulk/", view, name="documents_document_bulk"), *super().get_urls()]

    def bulk_verbs(self, request: HttpRequest) -> list[tuple[str, str]]:
        """Return what this person may do, and what it is called."""
        return [
            (verb.value, str(words))
            for verb, words in VERBS.items()
            if request.user.has_perm(PERMISSIONS[verb])
        ]

    @outside_scope
    def bulk_view(self, request: HttpRequest) -> HttpResponse:
        """Ask what to do, preview it (GET), and do it to the documents previewed, or order it (POST)."""
        verbs = self.bulk_verbs(request)
        if not self.has_view_permission(request) or not verbs:
            raise PermissionDenied
        given = request.POST if request.method == "POST" else request.GET
        change = _read_change(given, dict(verbs))
        with operator_scope():
            chosen = (
                _by_tenant(_read_ids(given), as_of=database_now())
                if "ids" in given
                else self._find_shown(request, given)
            )
            labels = _labels(chosen)
        if request.method == "POST" and change is not None:
            if not chosen.are_many:
                return self._make(request, change, chosen)
            with operator_scope():
                return self._order(request, change, chosen)
        looked_at = chosen.first()
        preview = None
        if change is not None and not chosen.is_more:
            preview = _add_up(
                (
                    preview_change(access=operator_access(tenant), change=change, document_ids=ids)
                    for tenant, ids in looked_at.by_tenant.items()
                ),
                chosen,
            )
        with operator_scope():
            context = self.admin_site.each_context(request) | {
                "title": gettext("Change many documents"),
                "opts": self.opts,
                "verbs": verbs,
                "change": change,
                "change_words": VERBS[change.verb] if change else "",
                "label_words": _name_of(labels, change),
                "chosen": chosen,
                "labels": labels,
                "most": MOST_ORDERED,
                "preview": preview,
                "looked_at": looked_at.number if looked_at.number < chosen.number else None,
                "skipped": {gettext(reason): count for reason, count in preview.skipped.items()}
                if preview
                else {},
                "ids": ""
                if chosen.are_many
                else ",".join(str(one) for ids in chosen.by_tenant.values() for one in ids),
                "token": uuid.uuid4(),
                "filter": given.get("filter", ""),
                "was_ticked": "ids" in given,
                "back": _back(given),
            }
            return TemplateResponse(request, "documents/bulk_page.html", context).render()

    def _find_shown(self, request: HttpRequest, given: QueryDict) -> Chosen:
        """Return the documents that a list shows; none for the list of all there are.

        Those that were there at the moment the form names, or that are there now.
        """
        as_of = _read_moment(given) or database_now()
        asked = copy(request)
        asked.GET = QueryDict(given.get("filter", "").lstrip("?"))
        try:
            shown = cast("DocumentChangeList", self.get_changelist_instance(asked))
        except IncorrectLookupParameters:
            return Chosen({}, 0, is_more=False, as_of=as_of)
        found = shown.find_matching(MOST_ORDERED, as_of=as_of) if shown.chips else []
        if len(found) > MOST_ORDERED:
            return Chosen({}, 0, is_more=True, as_of=as_of)
        return Chosen(_grouped(found), 0, is_more=False, as_of=as_of)

    def _order(self, request: HttpRequest, change: BulkChange, chosen: Chosen) -> HttpResponse:
        """Order what was previewed; the same form twice is one order."""
        try:
            token = uuid.UUID(request.POST.get("token", ""))
        except ValueError:
            self.message_user(request, gettext("Look at the preview first, then order it."), messages.ERROR)
            return HttpResponseRedirect(_back(request.POST))
        operation = order_change(id=token, change=change, documents=chosen.by_tenant, as_of=chosen.as_of)
        return HttpResponseRedirect(reverse("admin:documents_document_operation", args=[operation.pk]))

    def _make(self, request: HttpRequest, change: BulkChange, chosen: Chosen) -> HttpResponse:
        reports: list[ChangeReport] = []
        for tenant, ids in chosen.by_tenant.items():
            try:
                reports.append(make_change(access=operator_access(tenant), change=change, document_ids=ids))
            except (DocumentsError, TenantsError) as error:
                self.message_user(request, show_error(error), messages.ERROR)
        report = _add_up(reports, chosen)
        done = ngettext("%d document changed", "%d documents changed", report.changed) % report.changed
        self.tell_changes(request, done, report.changed, report.skipped)
        return HttpResponseRedirect(_back(request.POST))

    def change_many(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse:
        """Lead to the page that asks what is to be done with the documents ticked."""
        query = QueryDict(mutable=True)
        query["ids"] = ",".join(request.POST.getlist(ACTION_CHECKBOX_NAME))
        query["filter"] = request.GET.urlencode()
        return HttpResponseRedirect(reverse("admin:documents_document_bulk") + "?" + query.urlencode())

    change_many.short_description = _("Change selected documents …")  # type: ignore[attr-defined]
    change_many.allowed_permissions = ("bulk",)  # type: ignore[attr-defined]

    def has_bulk_permission(self, request: HttpRequest) -> bool:
        """Whoever may do anything to many documents."""
        return bool(self.bulk_verbs(request))


def _back(given: QueryDict) -> str:
    """Return the address of the list that the person came from."""
    query = QueryDict(given.get("filter", "").lstrip("?")).urlencode()
    return reverse("admin:documents_document_changelist") + (f"?{query}" if query else "")


def _read_ids(given: QueryDict) -> list[uuid.UUID]:
    ids = []
    for text in given.get("ids", "").split(",")[:MOST]:
        try:
            ids.append(uuid.UUID(text))
        except ValueError:
            continue
    return ids


def _read_change(given: QueryDict, verbs: dict[str, str]) -> BulkChange | None:
    """Return what is to be done; None where that is not said, or not whole, or not allowed."""
    verb, label = given.get("verb", ""), None
    if verb not in verbs:
        return None
    if verb in (BulkVerb.FILE, BulkVerb.TAKE_AWAY):
        try:
            label = uuid.UUID(given.get("label", ""))
        except ValueError:
            return None
    return BulkChange(BulkVerb(verb), label)


def _read_moment(given: QueryDict) -> datetime | None:
    """Return the moment that a form names; None for none, or nonsense."""
    try:
        moment = datetime.fromisoformat(given.get("as_of", ""))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _by_tenant(ids: list[uuid.UUID], *, as_of: datetime) -> Chosen:
    rows = Document.objects.filter(pk__in=ids).order_by("pk").values_list("tenant_id", "pk")
    found = _grouped(rows)
    return Chosen(found, len(set(ids)) - sum(map(len, found.values())), is_more=False, as_of=as_of)


def _grouped(rows: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> dict[uuid.UUID, list[uuid.UUID]]:
    found: defaultdict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
    for tenant_id, pk in rows:
        found[tenant_id].append(pk)
    return dict(found)


def _labels(chosen: Chosen) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the labels of the one tenant whose documents are meant, by kind; of several there are none."""
    if len(chosen.by_tenant) != 1:
        return []
    (tenant,) = chosen.by_tenant
    rows = Label.objects.filter(tenant_id=tenant).order_by("kind", "key")
    kinds: dict[str, list[tuple[str, str]]] = {}
    for pk, kind, name in rows.values_list("pk", "kind", "name")[:_LABELS]:
        kinds.setdefault(str(LABEL_KINDS[kind]), []).append((str(pk), name))
    return list(kinds.items())


def _name_of(labels: list[tuple[str, list[tuple[str, str]]]], change: BulkChange | None) -> str:
    if change is None or change.label_id is None:
        return ""
    names = {key: name for _kind, choices in labels for key, name in choices}
    return names.get(str(change.label_id), "")


def _add_up(reports: Iterable[ChangeReport], chosen: Chosen) -> ChangeReport:
    changed, skipped = 0, Counter({NOT_THERE: chosen.missing})
    for report in reports:
        changed += report.changed
        skipped.update(report.skipped)
    return ChangeReport(changed, dict(+skipped))
