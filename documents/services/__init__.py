"""The only writers of documents: one module for each thing that can be done.

Every call is keyword-only; the outermost opens the transaction.
"""

from documents.services.store import StoredDocument, store_document

__all__ = ["StoredDocument", "store_document"]
