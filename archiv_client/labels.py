"""Tags, correspondents or document types, and their rules."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from archiv_client.models import Label, Rule, RuleKind
from archiv_client.paging import pages
from archiv_client.reading import read
from archiv_client.transport import Caller


class Labels:
    """The labels of one kind."""

    def __init__(self, caller: Caller, name: str) -> None:
        self._caller, self._path = caller, f"/{name}"

    def list(self) -> Iterator[Label]:
        """Yield the labels by name."""
        return pages(self._caller, self._path, "labels", Label, {})

    def create(self, name: str) -> Label:
        """Make a label. Raises `Problem` `name_taken`."""
        return read(Label, self._caller.call("POST", self._path, body={"name": name}))

    def get(self, label_id: UUID) -> Label:
        """Return one label."""
        return read(Label, self._caller.call("GET", f"{self._path}/{label_id}"))

    def rename(self, label_id: UUID, name: str) -> Label:
        """Give a label another name; its documents keep it."""
        return read(Label, self._caller.call("PATCH", f"{self._path}/{label_id}", body={"name": name}))

    def merge(self, label_id: UUID, *, into: UUID) -> int:
        """Let another label take over; returns how many documents had this one, which goes."""
        body = {"into": str(into)}
        return int(self._caller.call("POST", f"{self._path}/{label_id}/merge", body=body)["documents"])

    def delete(self, label_id: UUID) -> int:
        """Delete a label with its rules; returns how many documents had it."""
        return int(self._caller.call("DELETE", f"{self._path}/{label_id}")["documents"])

    def rules(self, label_id: UUID) -> tuple[Rule, ...]:
        """Return the rules of a label, oldest first."""
        found = self._caller.call("GET", f"{self._path}/{label_id}/rules")
        return tuple(read(Rule, one) for one in found["rules"])

    def rule(self, label_id: UUID, rule_id: UUID) -> Rule:
        """Return one rule of a label."""
        return read(Rule, self._caller.call("GET", f"{self._path}/{label_id}/rules/{rule_id}"))

    def add_rule(self, label_id: UUID, pattern: str, *, kind: RuleKind = "any", likeness: int = 90) -> Rule:
        """Give a label a rule; it is asked when documents are read from now on."""
        body = _definition(pattern, kind, likeness)
        return read(Rule, self._caller.call("POST", f"{self._path}/{label_id}/rules", body=body))

    def change_rule(
        self, label_id: UUID, rule_id: UUID, pattern: str, *, kind: RuleKind = "any", likeness: int = 90
    ) -> Rule:
        """Define a rule anew."""
        path = f"{self._path}/{label_id}/rules/{rule_id}"
        return read(Rule, self._caller.call("PUT", path, body=_definition(pattern, kind, likeness)))

    def remove_rule(self, label_id: UUID, rule_id: UUID) -> None:
        """Remove a rule; what it has filed stays."""
        self._caller.call("DELETE", f"{self._path}/{label_id}/rules/{rule_id}")


def _definition(pattern: str, kind: RuleKind, likeness: int) -> dict[str, Any]:
    return {"kind": kind, "pattern": pattern, "likeness": likeness}
