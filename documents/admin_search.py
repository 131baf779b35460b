"""The list of documents, and the search through the texts of one tenant that takes its place."""

import json
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from documents.errors import SearchError
from documents.search.base import MAX_HITS
from documents.search.engine import get_search
from documents.search.excerpts import Part
from documents.search.results import SearchHit, read_query, search_documents
from jobs.display import show_error
from jobs.filters import TenantFilter
from jobs.keyset import AFTER, KeysetChangeList
from tenants.scope import tenant_scope


class DocumentChangeList(KeysetChangeList):
    """Documents newest first, or, where something was typed, what fits it best in one tenant."""

    def get_results(self, request: HttpRequest) -> None:
        """Read one page of documents, or search. A search without a tenant finds nothing and says why."""
        if not self.query.strip():
            super().get_results(request)
            return
        tenants = [spec.tenant for spec in self.filter_specs if isinstance(spec, TenantFilter)]
        if not tenants or tenants[0] is None:
            self.notes = (_("Texts are searched in one tenant at a time: type its name under “Tenant”."),)
            self.was_not_asked = True
            self._publish([])
            return
        try:
            self._search(request, tenants[0])
        except SearchError as error:
            self.notes = (show_error(error),)
            self.was_not_asked = True
            self._publish([])

    @property
    def look(self) -> str:
        """How the list looks: as rows, or as a grid of pictures."""
        return "grid" if self.params.get("look") == "grid" else "list"

    @property
    def looks(self) -> list[tuple[str, str, str]]:
        """The looks there are: name, words and query string."""
        words = {"list": _("List"), "grid": _("Grid")}
        return [(name, text, self.get_query_string({"look": name})) for name, text in words.items()]

    @property
    def has_other_filters(self) -> bool:
        """Whether something else than a tenant is filtered by."""
        used = [spec for spec in self.filter_specs if spec.used_parameters]
        return any(not isinstance(spec, TenantFilter) for spec in used)

    def keep(self, document_ids: Sequence[uuid.UUID]) -> Collection[uuid.UUID]:
        """Return those of the documents that all filters let through."""
        rows = self.queryset.order_by().filter(pk__in=list(document_ids))
        return set(rows.values_list("pk", flat=True))

    def find_matching(self, most: int, *, as_of: datetime) -> list[tuple[uuid.UUID, uuid.UUID]]:
        """Return tenant and id of the documents that the list would show page by page, at most `most` and one
        more, of those that were there at a moment.

        Of a search those among its best hits; none where a tenant is missing to search in.
        """
        rows = self.queryset.order_by().filter(created_at__lte=as_of).values_list("tenant_id", "pk")
        if not self.query.strip():
            return list(rows[: most + 1])
        tenants = [spec.tenant for spec in self.filter_specs if isinstance(spec, TenantFilter)]
        if not tenants or tenants[0] is None:
            return []
        with tenant_scope(tenants[0].pk):
            query = read_query(tenants[0].pk, self.query)
            try:
                found = get_search().search(tenant_id=tenants[0].pk, query=query, limit=MAX_HITS)
            except SearchError:
                return []  # the list says so
        return list(rows.filter(pk__in=[hit.document_id for hit in found.hits]))

    def _search(self, request: HttpRequest, tenant: Any) -> None:
        size, offset = self.list_per_page, _read_offset(request.GET.get(AFTER))
        results = search_documents(
            tenant_id=tenant.pk,
            text=self.query,
            limit=size,
            offset=offset,
            keep=self.keep if self.has_other_filters else None,
        )
        hits = {hit.document.pk: hit for hit in results.hits}
        found = self._admin.narrow_list(self.root_queryset).select_related("tenant")
        rows = {row.pk: row for row in found.filter(tenant_id=tenant.pk, pk__in=list(hits))}
        for key, row in rows.items():
            row.hit = hits[key]
        self.notes = results.notes
        self.first_page = self.get_query_string()
        self.is_later_page = offset > 0
        if results.more:
            self.next_page = self.get_query_string({AFTER: json.dumps([offset + size])})
        self._publish(self._admin.complete_rows([rows[key] for key in hits if key in rows]))


def show_hit(hit: SearchHit) -> SafeString:
    """Return the title and the best place of the text, with what was found marked."""
    title = _show_parts(hit.title)
    if hit.excerpt is None:
        return title
    place = _("page %(number)d") % {"number": hit.excerpt.page} if hit.excerpt.page else ""
    return format_html(
        '{}<span class="excerpt"><span class="quiet">{}</span> {}</span>',
        title,
        place,
        _show_parts(hit.excerpt.parts),
    )


def _show_parts(parts: tuple[Part, ...]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        ((format_html("<mark>{}</mark>", part.text) if part.marked else part.text,) for part in parts),
    )


def _read_offset(given: str | None) -> int:
    """Return how many hits the former pages showed. Raises `IncorrectLookupParameters` for nonsense."""
    if given is None:
        return 0
    try:
        (offset,) = json.loads(given)
    except (ValueError, TypeError) as error:
        raise IncorrectLookupParameters(str(error)) from error
    if not isinstance(offset, int) or not 0 <= offset <= MAX_HITS:
        raise IncorrectLookupParameters(given)
    return offset
