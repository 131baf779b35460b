"""A client for the API of archiv: Python 3.11 and its standard library, nothing else.

    from archiv_client import Archiv

    archiv = Archiv("https://archive.example.org", token="archiv_…")
    stored = archiv.documents.upload("scan.pdf", tags=["Eingang"])
    document = archiv.documents.wait(stored.document_id)

Every error that the server answers is a `Problem` with its stable `code`.
"""

from archiv_client.client import Archiv
from archiv_client.errors import (
    AnalysisFailed,
    ArchivError,
    Changed,
    Duplicate,
    NotAllowed,
    NotFound,
    NotReached,
    Problem,
    StillAnalyzing,
    TooOften,
    Unreadable,
)

__all__ = [
    "AnalysisFailed",
    "Archiv",
    "ArchivError",
    "Changed",
    "Duplicate",
    "NotAllowed",
    "NotFound",
    "NotReached",
    "Problem",
    "StillAnalyzing",
    "TooOften",
    "Unreadable",
]
