"""The two searches of the demo, one for each tenant, with what each must at least find."""

from dataclasses import dataclass

from archiv.samples import KANZLEI, STADTARCHIV
from documents.search.results import SearchHit, search_documents
from tenants.models import Tenant

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """A search: whose, what for, why it is shown, and the files that must be among its hits."""

    tenant: str
    query: str
    shows: str
    must_find: frozenset[str]


SEARCHES = (
    Asked(
        KANZLEI,
        "Vergleich",
        "one word: in a text file, in a scan and on a receipt",
        frozenset({"Aktenvermerk-57-25.txt", "Scan-Vergleich-Dach.pdf", "Bewirtungsbeleg.jpg"}),
    ),
    Asked(
        STADTARCHIV,
        "nachlaß muller",
        "spelt as people type: in a list and in the photo of a letter",
        frozenset({"Findbuch-Bestand-12.txt", "IMG_Brief-Nachlass.jpg"}),
    ),
)


def run_search(tenant: Tenant, asked: Asked) -> tuple[SearchHit, ...]:
    """Return the tenant's best hits, best first."""
    return tuple(search_documents(tenant_id=tenant.id, text=asked.query, limit=_SHOWN, offset=0).hits)
