"""Two tenants with tokens of every set, and clients that speak to the API."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client

from jobs.engine import hints
from tenants.access import member_access
from tenants.capabilities import SYSTEM_SETS
from tenants.models import CapabilitySet, Tenant, User
from tenants.scope import tenant_scope
from tenants.services import mint_token, tokens
from tests.factories import MembershipFactory, TenantFactory, UserFactory


@pytest.fixture
def same_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no clock add a statement: when a token was used last, and that workers are told of jobs."""
    monkeypatch.setattr(tokens, "LAST_USE_SECONDS", 3600)
    monkeypatch.setattr(hints, "QUIET_SECONDS", 0.0)


@dataclass
class Api:
    """One caller of the API. Answers are Django's, with the JSON in `.json()`."""

    tenant: Tenant
    user: User
    secret: str
    client: Client = field(default_factory=Client)

    def __call__(
        self, method: str, path: str, data: Any = None, content_type: str = "application/json", **headers: str
    ) -> Any:
        """Send a request; a dict becomes JSON. `If_Match` stands for the header If-Match."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret:
            named.setdefault("Authorization", f"Bearer {self.secret}")
        if isinstance(data, dict | list):
            data = json.dumps(data)
        return self.client.generic(
            method, f"/api{path}", data=data if data is not None else "", content_type=content_type,
            headers=named,
        )  # fmt: skip

    def get(self, path: str, **headers: str) -> Any:
        """Send GET."""
        return self("GET", path, **headers)

    def upload(self, content: bytes = b"", name: str = "paper.txt", **query: str) -> Any:
        """Send a file as bare bytes."""
        address = "&".join([f"filename={name}", *(f"{key}={value}" for key, value in query.items())])
        return self(
            "POST", f"/documents?{address}", content or uuid.uuid4().bytes, "application/octet-stream"
        )


def make_caller(tenant: Tenant, capability_set: str = "owner") -> Api:
    """Return a caller with a token of one of the tenant's sets, minted by an owner."""
    with tenant_scope(tenant.id):
        for name, capabilities in SYSTEM_SETS.items():
            CapabilitySet.objects.get_or_create(
                tenant_id=tenant.id,
                name=name,
                defaults={"is_system": True, "capabilities": list(capabilities)},
            )
        owners = CapabilitySet.objects.get(tenant_id=tenant.id, name="owner")
        user = UserFactory.create()
        MembershipFactory.create(tenant_id=tenant.id, user=user, capability_set=owners)
        access = member_access(tenant.id, user.pk)
    token = mint_token(access=access, name="test", capability_set=capability_set)
    return Api(tenant, user, token.secret)


@pytest.fixture
def acme(transactional_db: None) -> Api:
    """An owner of one tenant."""
    return make_caller(TenantFactory.create(name=f"Acme {uuid.uuid4().hex[:6]}"))


@pytest.fixture
def zeta(transactional_db: None) -> Api:
    """An owner of another tenant."""
    return make_caller(TenantFactory.create(name=f"Zeta {uuid.uuid4().hex[:6]}"))
