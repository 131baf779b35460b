"""What becomes of documents: filed, held, kept, put away, purged; one, or several at once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from archiv_client.models import Document, Label, RetentionClass
from archiv_client.reading import read
from archiv_client.transport import Caller


class Keeping:
    """The part of `Documents` that changes where they stand."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def file(
        self, document_id: UUID, *, add: Iterable[UUID] = (), remove: Iterable[UUID] = ()
    ) -> tuple[Label, ...]:
        """File a document under labels of any kind, and take others away; returns what it has then."""
        body = {"add": [str(one) for one in add], "remove": [str(one) for one in remove]}
        found = self._caller.call("POST", f"/documents/{document_id}/labels", body=body)
        return tuple(read(Label, one) for one in found["labels"])

    def file_all(
        self,
        document_ids: Sequence[UUID],
        *,
        add_tags: Sequence[str] = (),
        remove_tags: Sequence[str] = (),
        **single: str | None,
    ) -> Mapping[str, str]:
        """File up to 100 documents, all or none; labels by id or name.

        `correspondent=` and `document_type=` set these, and take them away with None. Says of each document
        `done` or `already`; where one is in the way the `Problem` `not_all_done` has the reasons in
        `details["documents"]`.
        """
        return self._bulk(
            "file", document_ids, add_tags=list(add_tags), remove_tags=list(remove_tags), **single
        )

    def change_all(
        self,
        action: Literal["trash", "restore", "reanalyze"],
        document_ids: Sequence[UUID],
    ) -> Mapping[str, str]:
        """Do one thing to up to 100 documents, to all or none; see `file_all`."""
        return self._bulk(action, document_ids)

    def classify_all(self, document_ids: Sequence[UUID], retention_class: str) -> Mapping[str, str]:
        """Put up to 100 documents into a retention class, all or none; see `file_all`."""
        return self._bulk("classify", document_ids, retention_class=retention_class)

    def trash(self, document_id: UUID) -> Document:
        """Put a document into the trash; it can come back."""
        return self._change("POST", document_id, "/trash")

    def restore(self, document_id: UUID) -> Document:
        """Take a document out of the trash."""
        return self._change("POST", document_id, "/restore")

    def purge(self, document_id: UUID) -> int:
        """Let a document in the trash go for good; returns the number of the job that does it."""
        return int(self._caller.call("DELETE", f"/documents/{document_id}")["job_id"])

    def hold(self, document_id: UUID) -> Document:
        """Put a document under legal hold."""
        return self._change("PUT", document_id, "/hold")

    def release(self, document_id: UUID) -> Document:
        """Lift the legal hold of a document."""
        return self._change("DELETE", document_id, "/hold")

    def classify(self, document_id: UUID, retention_class: str) -> Document:
        """Put a document into a retention class. Its retention can grow by that, and never shrink."""
        return self._change("PUT", document_id, "/retention", {"name": retention_class})

    def retention_classes(self) -> tuple[RetentionClass, ...]:
        """Return the retention classes of the tenant."""
        found = self._caller.call("GET", "/retention-classes")
        return tuple(read(RetentionClass, one) for one in found["classes"])

    def make_retention_class(self, name: str, *, years: int) -> RetentionClass:
        """Give the tenant a retention class of its own."""
        body = {"name": name, "years": years}
        return read(RetentionClass, self._caller.call("POST", "/retention-classes", body=body))

    def _change(
        self, method: str, document_id: UUID, path: str, body: Mapping[str, Any] | None = None
    ) -> Document:
        return read(Document, self._caller.call(method, f"/documents/{document_id}{path}", body=body))

    def _bulk(self, action: str, document_ids: Sequence[UUID], **more: Any) -> Mapping[str, str]:
        body = {"action": action, "document_ids": [str(one) for one in document_ids], **more}
        done: Mapping[str, str] = self._caller.call("POST", "/documents/bulk", body=body)["documents"]
        return done
