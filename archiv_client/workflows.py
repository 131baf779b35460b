"""Workflows, and dry runs of them."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from archiv_client.models import DryRun, Workflow
from archiv_client.reading import read
from archiv_client.transport import Caller


class Workflows:
    """The workflows of the tenant. Conditions and actions are as the how-to about workflows has them."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self) -> tuple[Workflow, ...]:
        """Return the workflows in the order in which they are run."""
        found = self._caller.call("GET", "/workflows")
        return tuple(read(Workflow, one) for one in found["workflows"])

    def get(self, workflow_id: UUID) -> Workflow:
        """Return one workflow."""
        return read(Workflow, self._caller.call("GET", f"/workflows/{workflow_id}"))

    def create(
        self,
        name: str,
        *,
        actions: Sequence[Mapping[str, Any]],
        conditions: Mapping[str, Any] | None = None,
        position: int = 100,
        enabled: bool = True,
    ) -> Workflow:
        """Make a workflow; it is run on documents that are analyzed from now on."""
        body = _definition(name, conditions or {}, actions, position, enabled=enabled)
        return read(Workflow, self._caller.call("POST", "/workflows", body=body))

    def change(
        self,
        workflow_id: UUID,
        name: str,
        *,
        actions: Sequence[Mapping[str, Any]],
        conditions: Mapping[str, Any] | None = None,
        position: int = 100,
        enabled: bool = True,
    ) -> Workflow:
        """Define a workflow anew, or switch it on or off."""
        body = _definition(name, conditions or {}, actions, position, enabled=enabled)
        return read(Workflow, self._caller.call("PUT", f"/workflows/{workflow_id}", body=body))

    def delete(self, workflow_id: UUID) -> None:
        """Delete a workflow; what it did to documents stays."""
        self._caller.call("DELETE", f"/workflows/{workflow_id}")

    def dry_run(
        self,
        document_id: UUID,
        *,
        actions: Sequence[Mapping[str, Any]],
        conditions: Mapping[str, Any] | None = None,
    ) -> DryRun:
        """Say what a workflow would do to a document, before it is made."""
        body = {
            "document_id": str(document_id),
            "conditions": dict(conditions or {}),
            "actions": [dict(one) for one in actions],
        }
        return read(DryRun, self._caller.call("POST", "/workflows/try", body=body))


def _definition(
    name: str,
    conditions: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    position: int,
    *,
    enabled: bool,
) -> dict[str, Any]:
    return {
        "name": name,
        "conditions": dict(conditions),
        "actions": [dict(one) for one in actions],
        "position": position,
        "enabled": enabled,
    }
