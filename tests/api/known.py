"""What may be known of a tenant: an id for every parameter of any route."""

import hashlib
import uuid
from collections.abc import Mapping

from documents.models import Label, MatchingRule, Workflow
from jobs.numbers import show_number
from tenants.models import ApiToken, CapabilitySet
from tenants.scope import tenant_scope
from tests.archiv.two_tenants import Filled

Known = Mapping[str, str]


def known_of(filled: Filled) -> dict[str, str]:
    """Return what somebody may have learnt of a tenant: an id for every parameter of any route."""
    tenant_id = filled.tenant.id
    with tenant_scope(tenant_id):
        token = ApiToken.objects.filter(tenant_id=tenant_id).latest("created_at")
        rule = MatchingRule.objects.get(tenant_id=tenant_id)
        label = Label.objects.get(tenant_id=tenant_id, pk=rule.label_id)
        workflow = Workflow.objects.filter(tenant_id=tenant_id)[0]
        own = CapabilitySet.objects.create(tenant_id=tenant_id, name="own", capabilities=[])
    return {
        "document_id": filled.known.document,
        "job_id": str(show_number(tenant_id, filled.failed)),
        "user_id": str(filled.member),
        "set_id": str(own.id),
        "token_id": str(token.id),
        "tenant_id": str(tenant_id),
        "label_id": str(label.id),
        "rule_id": str(rule.id),
        "workflow_id": str(workflow.id),
        "sha256": _hash_of(filled),
        "signed": "made-up",
    }


def _hash_of(filled: Filled) -> str:
    return hashlib.sha256(filled.known.file).hexdigest()


def invented() -> dict[str, str]:
    """Return ids that no tenant has."""
    of = ("document", "user", "set", "token", "tenant", "label", "rule", "workflow")
    return {f"{name}_id": str(uuid.uuid4()) for name in of} | {
        "job_id": str(2**50),
        "sha256": "0" * 64,
        "signed": "made-up",
    }
