"""Tokens: shown once, never wider than their maker, dead at once when they have to be."""

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from tenants.access import Access, operator_access
from tenants.errors import BadName, CapabilityDenied, InvalidToken
from tenants.models import ApiToken, Tenant
from tenants.scope import tenant_scope
from tenants.services import (
    add_member,
    authenticate_token,
    change_member,
    change_set,
    create_set,
    mint_token,
    remove_member,
    revoke_token,
)
from tests.factories import TenantFactory

Join = Callable[[str], Access]


def test_a_token_opens_its_tenant_with_its_set(tenant: Tenant, join: Join) -> None:
    owner = join("owner")
    minted = mint_token(access=owner, name="scanner", capability_set="readonly")
    access = authenticate_token(minted.secret)
    assert access.tenant_id == tenant.id
    assert access.token_id == minted.token.id
    assert "documents:read" in access.capabilities
    assert "documents:upload" not in access.capabilities
    with tenant_scope(tenant.id):
        assert ApiToken.objects.get(id=minted.token.id).last_used_at is not None


def test_only_a_hash_and_a_prefix_of_a_token_are_stored(tenant: Tenant, join: Join) -> None:
    minted = mint_token(access=join("owner"), name="scanner", capability_set="readonly")
    assert len(minted.secret) >= len("archiv_") + 43
    with tenant_scope(tenant.id):
        stored = ApiToken.objects.filter(id=minted.token.id).values().get()
    assert not [value for value in stored.values() if minted.secret in str(value)]
    assert len(stored["digest"]) == 64


MANGLED: list[Callable[[str], str]] = [
    lambda secret: "",
    lambda secret: "archiv_",
    lambda secret: secret[:-1],
    lambda secret: secret + "x",
    lambda secret: secret[:-1] + ("a" if secret[-1] != "a" else "b"),
    lambda secret: secret.removeprefix("archiv_"),
    lambda secret: secret.upper(),
    lambda secret: "archiv_\x00" + secret[8:],
    lambda secret: "archiv_\ud800ü" + secret[8:],
    lambda secret: "archiv_' OR 1=1 --",
]


def test_a_token_that_is_not_exactly_right_is_refused(tenant: Tenant, join: Join) -> None:
    secret = mint_token(access=join("owner"), name="scanner", capability_set="readonly").secret
    for mangle in MANGLED:
        with pytest.raises(InvalidToken) as caught:
            authenticate_token(mangle(secret))
        assert str(caught.value) == "The token is unknown, expired or revoked."


def test_a_revoked_an_expired_and_a_suspended_tenants_token_are_refused_alike(
    tenant: Tenant, join: Join
) -> None:
    owner = join("owner")
    revoked = mint_token(access=owner, name="a", capability_set="user")
    expired = mint_token(access=owner, name="b", capability_set="user")
    good = mint_token(access=owner, name="c", capability_set="user")
    revoke_token(access=owner, token_id=revoked.token.id)
    with tenant_scope(tenant.id):
        ApiToken.objects.filter(id=expired.token.id).update(expires_at=Now() - timedelta(seconds=1))
    for minted in (revoked, expired):
        with pytest.raises(InvalidToken):
            authenticate_token(minted.secret)
    assert authenticate_token(good.secret).token_id == good.token.id
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status="suspended")
    with pytest.raises(InvalidToken):
        authenticate_token(good.secret)


def test_nobody_mints_a_token_for_more_than_they_hold(tenant: Tenant, join: Join) -> None:
    with pytest.raises(CapabilityDenied, match="tenants:delete"):
        mint_token(access=join("user"), name="x", capability_set="owner")
    with pytest.raises(CapabilityDenied):
        mint_token(access=operator_access(tenant.id), name="x", capability_set="user")
    token = authenticate_token(mint_token(access=join("owner"), name="x", capability_set="owner").secret)
    with pytest.raises(CapabilityDenied):
        mint_token(access=token, name="y", capability_set="owner")


def test_a_token_shrinks_with_its_maker_and_with_its_set(tenant: Tenant, join: Join) -> None:
    join("owner")
    owner = operator_access(tenant.id)
    maker = join("owner")
    assert maker.user_id is not None
    own = create_set(access=owner, name="scan", capabilities=["documents:upload", "documents:read"])
    minted = mint_token(access=maker, name="x", capability_set="scan")
    assert authenticate_token(minted.secret).capabilities == {"documents:upload", "documents:read"}
    change_member(access=owner, user_id=maker.user_id, capability_set="readonly")
    assert authenticate_token(minted.secret).capabilities == {"documents:read"}
    change_set(access=owner, set_id=own.id, capabilities=["documents:upload"])
    assert authenticate_token(minted.secret).capabilities == frozenset()
    remove_member(access=owner, user_id=maker.user_id)
    assert authenticate_token(minted.secret).capabilities == frozenset()
    add_member(access=owner, user_id=maker.user_id, capability_set="owner")
    assert authenticate_token(minted.secret).capabilities == {"documents:upload"}


def test_ones_own_token_can_be_revoked_and_anothers_only_by_whoever_runs_the_tenant(
    tenant: Tenant, join: Join
) -> None:
    owner, user, other = join("owner"), join("user"), join("user")
    minted = mint_token(access=user, name="x", capability_set="user")
    with pytest.raises(CapabilityDenied, match="tenants:write"):
        revoke_token(access=other, token_id=minted.token.id)
    revoke_token(access=user, token_id=minted.token.id)
    again = mint_token(access=user, name="x", capability_set="user")
    revoke_token(access=owner, token_id=again.token.id)
    with pytest.raises(InvalidToken):
        revoke_token(access=operator_access(TenantFactory.create().id), token_id=again.token.id)
    with pytest.raises(InvalidToken):
        revoke_token(access=owner, token_id=uuid.uuid4())


def test_a_token_needs_a_name_that_can_be_read(tenant: Tenant, join: Join) -> None:
    owner = join("owner")
    for name in ("", "  ", "x" * 101, "a\x00"):
        with pytest.raises(BadName, match="name of a token"):
            mint_token(access=owner, name=name, capability_set="user")
