"""The list of documents, and the search through the texts of one tenant that takes its place."""

import json
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.search.base import MAX_HITS
from documents.search.excerpts import Part
from documents.search.results import SearchHit, search_documents
from jobs.filters import ChoiceFilter, TenantFilter
from jobs.keyset import AFTER, KeysetChangeList


class TrashFilter(ChoiceFilter):
    """By whether documents lie in the trash: those have small indexes of their own, all others are many."""

    title = gettext_lazy("trash")
    parameter_name = "trash"
    options = (("yes", gettext_lazy("In the trash")), ("no", gettext_lazy("Not in the trash")))

    def rows_with(self, value: str, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the documents in the trash, or the others."""
        return queryset.filter(trashed_at__isnull=value == "no")


class DocumentChangeList(KeysetChangeList):
    """Documents newest first, or, where something was typed, what fits it best in one tenant."""

    def get_results(self, request: HttpRequest) -> None:
        """Read one page of documents, or search. A search without a tenant finds nothing and says why."""
        if not self.query.strip():
            super().get_results(request)
            return
        tenants = [spec.tenant for spec in self.filter_specs if isinstance(spec, TenantFilter)]
        if not tenants or tenants[0] is None:
            self.notes = (_("Texts are searched in one tenant at a time: type its name under “By tenant”."),)
            self.was_not_asked = True
            self._publish([])
            return
        self._search(request, tenants[0])

    def _search(self, request: HttpRequest, tenant: Any) -> None:
        size, offset = self.list_per_page, _read_offset(request.GET.get(AFTER))
        results = search_documents(tenant_id=tenant.pk, text=self.query, limit=size, offset=offset)
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
