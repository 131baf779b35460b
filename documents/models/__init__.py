"""The tables of the archive, one module for each kind of thing."""

from documents.models.document import Document, DocumentVersion
from documents.models.facts import FactsSyntax, FileFacts
from documents.models.reading import Asset, PageCheckpoint, PageText, StepResult
from documents.models.retention import RetentionClass
from documents.models.search import SearchEntry
from documents.models.vault import FileProblem, VaultCheck, VaultFinding

__all__ = [
    "Asset",
    "Document",
    "DocumentVersion",
    "FactsSyntax",
    "FileFacts",
    "FileProblem",
    "PageCheckpoint",
    "PageText",
    "RetentionClass",
    "SearchEntry",
    "StepResult",
    "VaultCheck",
    "VaultFinding",
]
