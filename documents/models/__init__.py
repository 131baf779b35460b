"""The tables of the archive, one module for each kind of thing."""

from documents.models.document import Document, DocumentVersion
from documents.models.facts import FactsSyntax, FileFacts
from documents.models.filing import (
    Correspondent,
    DocumentType,
    Filing,
    FilingSettings,
    Label,
    MatchingRule,
    Tag,
)
from documents.models.indexing import IndexedCopy, IndexState, TenantIndex
from documents.models.learning import LearnedDocument, WordCount
from documents.models.mail import MailAttachment
from documents.models.naming import NamingSettings
from documents.models.reading import Asset, PageCheckpoint, PageText, StepResult
from documents.models.retention import RetentionClass
from documents.models.search import SearchEntry
from documents.models.vault import FileProblem, VaultCheck, VaultFinding
from documents.models.workflow import Note, Workflow, WorkflowRun

__all__ = [
    "Asset",
    "Correspondent",
    "Document",
    "DocumentType",
    "DocumentVersion",
    "FactsSyntax",
    "FileFacts",
    "FileProblem",
    "Filing",
    "FilingSettings",
    "IndexState",
    "IndexedCopy",
    "Label",
    "LearnedDocument",
    "MailAttachment",
    "MatchingRule",
    "NamingSettings",
    "Note",
    "PageCheckpoint",
    "PageText",
    "RetentionClass",
    "SearchEntry",
    "StepResult",
    "Tag",
    "TenantIndex",
    "VaultCheck",
    "VaultFinding",
    "WordCount",
    "Workflow",
    "WorkflowRun",
]
