"""Every page, found from the URL resolver, with two filled tenants; and with people who may not see them."""

import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.db.models.functions import Now
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from documents.models import Asset, Document
from jobs.filters import TenantFilter
from jobs.models import Job, Operation
from tenants.models import User
from tenants.scope import operator_scope
from tests.archiv.two_tenants import Filled, empty_vault, fill
from tests.operators import make_operator

pytestmark = pytest.mark.django_db(transaction=True)

#: Lists of the whole installation: there is no way to ask them for one tenant.
OF_ALL = {
    "auth_group",
    "documents_vaultcheck",
    "documents_vaultfinding",
    "tenants_tenant",
    "tenants_user",
}

#: Addresses outside of the admin, which say nothing of tenants to anybody.
PUBLIC = {"healthz", "readyz", "metrics", "admin:login", "admin:logout", "admin:jsi18n", None}

#: What differs from one answer to the next: what guards forms.
_VARYING = re.compile(r"csrfmiddlewaretoken[^>]*")


@pytest.fixture
def two() -> tuple[Filled, Filled]:
    empty_vault()
    both = fill("quarz"), fill("zimt")
    with operator_scope():
        for one in both:
            Job.objects.filter(id=one.failed).update(fingerprint=one.tenant.id.hex * 2)
    return both


def patterns() -> Iterator[tuple[str | None, list[str]]]:
    """Yield the name of every address, None where it has none, and its parameters.

    Those of the API are found from its schema, and tried in tests/api.
    """

    def walk(entries: list[Any], prefix: str) -> Iterator[tuple[str | None, list[str]]]:
        for entry in entries:
            if isinstance(entry, URLResolver) and str(entry.pattern) == "api/":
                continue
            if isinstance(entry, URLResolver):
                yield from walk(entry.url_patterns, f"{entry.namespace}:" if entry.namespace else prefix)
            elif isinstance(entry, URLPattern):
                yield prefix + entry.name if entry.name else None, list(entry.pattern.regex.groupindex)

    return walk(get_resolver().url_patterns, "")


def fill_in(ours: Filled) -> dict[str, Callable[[str], list[Any]]]:
    """Say for each parameter of an address what stands there for a tenant, given the name of the address."""
    document = ours.known.document
    with operator_scope():
        asset = Asset.objects.filter(tenant_id=ours.tenant.id)[0]
        pictured = Document.objects.get(versions__id=asset.version_id)
        operation, _ = Operation.objects.get_or_create(
            wanted={"tenant": str(ours.tenant.id)}, defaults={"verb": "requeue", "as_of": Now(), "total": 1}
        )
    return {
        "object_id": lambda name: [row_of(ours, name)],
        "document_id": lambda name: [pictured.pk if name.endswith("thumbnail") else uuid.UUID(document)],
        "job_id": lambda name: [asset.job_id],
        "tenant_id": lambda name: [ours.tenant.id],
        "id": lambda name: [ours.member],
        "fingerprint": lambda name: [ours.tenant.id.hex * 2],
        "operation": lambda name: [operation.pk],
        "content_type_id": lambda name: [ContentType.objects.get_for_model(Document).pk],
        "app_label": lambda name: sorted({model._meta.app_label for model in admin.site._registry}),
        "url": lambda name: ["nowhere"],
    }


def row_of(ours: Filled, name: str) -> object:
    """Return the key of a row of this tenant on whose page the address leads."""
    if name == "admin:view_on_site":
        return ours.known.document
    app_label, model_name = name.removeprefix("admin:").rsplit("_", 1)[0].split("_", 1)
    model = apps.get_model(app_label, model_name)
    if model is User:
        return ours.member
    if model._meta.label == "tenants.Tenant":
        return ours.tenant.id
    if not hasattr(model, "tenant_id"):
        return 0
    if model._meta.label == "documents.Document":
        return ours.known.document
    with operator_scope():
        return model._base_manager.filter(tenant_id=ours.tenant.id).values_list("pk", flat=True)[0]


def addresses(ours: Filled) -> Iterator[tuple[str | None, str]]:
    """Yield the name and the address of every page about this tenant, and those without any."""
    given = fill_in(ours)
    for name, parameters in patterns():
        if name is None:
            continue
        choices: list[dict[str, Any]] = [{}]
        for parameter in parameters:
            choices = [choice | {parameter: value} for choice in choices for value in given[parameter](name)]
        for choice in choices:
            try:
                yield name, reverse(name, kwargs=choice)
            except NoReverseMatch:
                pytest.fail(f"{name} has parameters that are not known here: {parameters}")


def text_of(client: Client, address: str, **query: str) -> str:
    """Return what a page sends, whatever it is; it must not break."""
    response = client.get(address, query)
    assert response.status_code < 500, address
    body = b"".join(response) if response.streaming else response.content
    told = ("Location", "Content-Disposition", "Content-Type")
    return body.decode(errors="replace") + str([response.headers.get(name) for name in told])


def chief() -> Client:
    client = Client()
    client.force_login(make_operator(superuser=True))
    return client


def test_no_page_about_one_tenant_shows_anything_of_another(two: tuple[Filled, Filled]) -> None:
    ours, theirs = two
    marks, before, client = theirs.marks(beside=ours), theirs.state(), chief()
    seen = shown = 0
    for name, address in addresses(ours):
        label = (name or "").removeprefix("admin:").removesuffix("_changelist")
        if label in OF_ALL or name == "admin:index":
            continue
        texts = [text_of(client, address)] if not address.endswith(("document/", "job/")) else []
        if (name or "").endswith("_changelist"):
            texts = [
                text_of(client, address, tenant=ours.tenant.name),
                text_of(client, address, tenant=str(ours.tenant.id), q="kanzlei"),
                text_of(client, address, tenant=ours.tenant.name, q="Vertrag"),
            ]
            # What was typed stands in the page again: it must be the page of a word that nobody has.
            typed = [
                text_of(client, address, tenant=ours.tenant.name, q=word).replace(word, "typed")
                for word in (theirs.known.word, "einhorn")
            ]
            assert _VARYING.sub("", typed[0]) == _VARYING.sub("", typed[1]), address
            texts += typed
        for text in texts:
            told = {mark for mark in marks if mark in text}
            assert not told, f"{address} shows {told}"
            shown += ours.tenant.name in text or ours.known.word in text
        seen += 1
    assert (seen > 30, shown > 5) == (True, True), (seen, shown)
    assert theirs.state() == before


def test_every_list_with_rows_of_tenants_can_be_asked_for_one() -> None:
    for model, page in admin.site._registry.items():
        label = f"{model._meta.app_label}_{model._meta.model_name}"
        assert (TenantFilter in page.list_filter) != (label in OF_ALL), label


def test_actions_on_rows_of_one_tenant_change_nothing_of_another(two: tuple[Filled, Filled]) -> None:
    ours, theirs = two
    before, client = theirs.state(), chief()
    done = 0
    for model, page in admin.site._registry.items():
        if TenantFilter not in page.list_filter:
            continue
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        with operator_scope():
            keys = list(model._base_manager.filter(tenant_id=ours.tenant.id).values_list("pk", flat=True))
        for action in page.actions or ():
            name = action if isinstance(action, str) else action.__name__
            data = {"action": name, "_selected_action": [str(key) for key in keys]}
            assert client.post(f"{address}?tenant={ours.tenant.name}", data).status_code in {200, 302}
            assert theirs.state() == before, f"{name} of {address} changed another tenant"
            done += 1
    assert done > 5


@pytest.mark.parametrize("who", ["nobody", "member"])
def test_nobody_but_an_operator_gets_anything_at_any_address(who: str, two: tuple[Filled, Filled]) -> None:
    ours, _ = two
    client, before = Client(), ours.state()
    if who == "member":
        client.force_login(User.objects.get(pk=ours.member))
    for name, address in addresses(ours):
        if name in PUBLIC:
            continue
        for response in (client.get(address), client.post(address)):
            assert response.status_code == 302, address
            assert response.headers["Location"].startswith(reverse("admin:login")), address
    after = ours.state()
    assert (after.rows, after.files) == (before.rows, before.files)


def test_public_addresses_name_no_tenant(two: tuple[Filled, Filled]) -> None:
    marks = two[0].marks(beside=two[1])
    for name in sorted(filter(None, PUBLIC)):
        text = text_of(Client(), reverse(name))
        assert not {mark for mark in marks if mark in text}, name
