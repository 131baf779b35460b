"""Trying rules on before they are made, and filing what is there by those that are."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from archiv_client.models import Applied, RuleKind, Trial
from archiv_client.reading import read
from archiv_client.transport import Caller


class Rules:
    """All rules of the tenant. Those of one label are at `tags`, `correspondents` and `document_types`."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def try_on(
        self,
        pattern: str,
        *,
        kind: RuleKind = "any",
        likeness: int = 90,
        label_id: UUID | None = None,
        texts: Sequence[str] = (),
        document_ids: Sequence[UUID] = (),
    ) -> Trial:
        """Say what a rule would find, and with a label which of the documents would get it."""
        body: dict[str, Any] = {
            "kind": kind,
            "pattern": pattern,
            "likeness": likeness,
            "label_id": str(label_id) if label_id else None,
            "texts": list(texts),
            "document_ids": [str(one) for one in document_ids],
        }
        return read(Trial, self._caller.call("POST", "/rules/try", body=body))

    def preview(self, document_ids: Sequence[UUID], *, take_back: bool = False) -> Applied:
        """Say what all rules together would do to up to 50 documents."""
        return self._all("/rules/preview", document_ids, take_back=take_back)

    def apply(self, document_ids: Sequence[UUID], *, take_back: bool = False) -> Applied:
        """File up to 50 documents by the rules as they are now."""
        return self._all("/rules/apply", document_ids, take_back=take_back)

    def _all(self, path: str, document_ids: Sequence[UUID], *, take_back: bool) -> Applied:
        body = {"document_ids": [str(one) for one in document_ids], "take_back": take_back}
        return read(Applied, self._caller.call("POST", path, body=body))
