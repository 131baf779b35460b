"""Commands about tenants: what they print, and how they refuse."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tenants.models import Membership, Tenant
from tenants.scope import operator_scope
from tenants.services import provision_tenant
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_tenant_lives_through_its_commands() -> None:
    owner, user = UserFactory.create(), UserFactory.create()
    made = json.loads(run("create_tenant", "Acme", "--owner", owner.username, "--json"))
    assert (made["name"], made["status"]) == ("Acme", "creating")
    with operator_scope():
        tenant = Tenant.objects.get()
        provision_tenant(tenant_id=tenant.id, members=[owner.id])
    assert run("add_member", "Acme", user.username, "--set", "readonly") == (
        f"{user.username} is now a member of Acme (readonly).\n"
    )
    assert json.loads(run("suspend_tenant", str(tenant.id), "--json"))["status"] == "suspended"
    assert run("resume_tenant", "Acme").startswith("Resumed Acme: ")
    with operator_scope():
        assert Membership.objects.count() == 2
        assert Tenant.objects.get().status == "active"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["create_tenant", "a|b"], "must not contain '|'"),
        (["create_tenant", "Acme"], "already"),
        (["create_tenant", "Zeta", "--owner", "nobody"], "no user called 'nobody'"),
        (["create_tenant", "Zeta", "--timezone", "Mars"], "no time zone 'Mars'"),
        (["create_tenant", "Zeta", "--languages", "x;y"], "x;y"),
        (["add_member", "Nosuch", "nobody"], "no tenant called 'Nosuch'"),
        (["add_member", "Acme", "nobody"], "no user called 'nobody'"),
        (["suspend_tenant", "Acme"], "only an active one can be suspended"),
        (["resume_tenant", "Acme"], "only a suspended one can be resumed"),
    ],
)
def test_bad_input_is_refused_in_words(arguments: list[str], said: str) -> None:
    run("create_tenant", "Acme")
    with pytest.raises(CommandError, match=said.replace("|", r"\|")):
        run(*arguments)
