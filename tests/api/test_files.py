"""Files by the API: whole, by ranges, under their names, and harmless."""

import hashlib
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from documents.models import Document, DocumentVersion
from tenants.models import ApiToken, AuditEvent, CapabilitySet
from tenants.scope import tenant_scope
from tests.api.conftest import Api
from tests.documents.test_admin import put
from tests.factories import AssetFactory

CONTENT = b"0123456789" * 10


def original(api: Api, name: str = "paper.txt", content: bytes = CONTENT) -> str:
    answer = api.upload(content, name=name)
    assert answer.status_code == 201, answer.content
    return f"/documents/{answer.json()['document_id']}/original"


def read(answer: Any) -> bytes:
    body = b"".join(answer)
    answer.close()
    return body


def test_an_original_is_sent_as_it_came_and_noted_in_the_trail(acme: Api) -> None:
    answer = acme.get(original(acme))
    assert read(answer) == CONTENT
    assert (answer.headers["Content-Length"], answer.headers["Accept-Ranges"]) == ("100", "bytes")
    with tenant_scope(acme.tenant.id):
        assert AuditEvent.objects.filter(action="document.downloaded").count() == 1


@pytest.mark.parametrize(
    ("wanted", "status", "range_sent", "length"),
    [
        ("bytes=0-9", 206, "bytes 0-9/100", 10),
        ("bytes=90-", 206, "bytes 90-99/100", 10),
        ("bytes=-5", 206, "bytes 95-99/100", 5),
        ("bytes=-500", 206, "bytes 0-99/100", 100),
        ("bytes=95-500", 206, "bytes 95-99/100", 5),
        ("bytes=0-0", 206, "bytes 0-0/100", 1),
        ("bytes=100-", 416, "bytes */100", 0),
        ("bytes=-0", 416, "bytes */100", 0),
        ("bytes=9-0", 200, None, 100),
        ("bytes=0-1,5-6", 200, None, 100),
        ("pages=1-2", 200, None, 100),
        ("bytes=-", 200, None, 100),
    ],
)
def test_ranges(acme: Api, wanted: str, status: int, range_sent: str | None, length: int) -> None:
    answer = acme.get(original(acme), Range=wanted)
    assert (answer.status_code, answer.headers.get("Content-Range")) == (status, range_sent)
    if status != 416:
        assert len(read(answer)) == length


def test_a_range_of_a_file_that_changed_is_the_whole_and_one_that_is_known_is_not_sent(acme: Api) -> None:
    path = original(acme)
    answer = acme.get(path, Range="bytes=0-9", If_Range='"another"')
    assert (answer.status_code, len(read(answer))) == (200, 100)
    known = acme.get(path, If_None_Match=answer.headers["ETag"])
    assert (known.status_code, known.content) == (304, b"")


def test_a_name_is_sent_as_rfc_6266_has_it(acme: Api) -> None:
    answer = acme.get(original(acme, name="Pr%C3%BCfung%20%E2%82%AC%22.txt"))
    read(answer)
    disposition = answer.headers["Content-Disposition"]
    assert disposition.startswith("attachment; filename*=utf-8''Pr%C3%BCfung")
    assert "\n" not in disposition


@pytest.mark.parametrize(
    ("content", "name", "disposition"),
    [
        (b"<!doctype html><html><body><script>alert(1)</script></body></html>", "a.html", "attachment"),
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg", "attachment"),
        (b"Guten Tag", "a.txt", "inline"),
    ],
)
def test_no_browser_runs_what_is_in_a_file(acme: Api, content: bytes, name: str, disposition: str) -> None:
    answer = acme.get(original(acme, name=name, content=content) + "?inline=true")
    read(answer)
    assert answer.headers["Content-Disposition"].startswith(disposition)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_a_damaged_original_is_not_sent(acme: Api) -> None:
    from documents.vault import get_vault

    path = original(acme)
    with tenant_scope(acme.tenant.id):
        version = DocumentVersion.objects.get()
    file = get_vault().root / version.vault_path  # type: ignore[attr-defined]
    file.chmod(0o640)
    file.write_bytes(b"x" * 100)
    answer = acme.get(path)
    assert (answer.status_code, answer.json()["code"]) == (410, "file_damaged")


def test_a_damaged_thumbnail_is_not_sent(acme: Api) -> None:
    path = original(acme).removesuffix("/original")
    with tenant_scope(acme.tenant.id):
        version = DocumentVersion.objects.get()
        asset = AssetFactory.create(
            tenant_id=acme.tenant.id,
            version=version,
            size=7,
            content_hash=hashlib.sha256(b"picture").hexdigest(),
        )
    put(asset.vault_path, b"pXcture")
    answer = acme.get(f"{path}/thumbnail")
    assert (answer.status_code, answer.json()["code"]) == (410, "file_damaged")


def test_a_link_works_without_a_token_until_its_maker_may_no_more(acme: Api, zeta: Api) -> None:
    path = original(acme).removesuffix("/original")
    made = acme("POST", f"{path}/links", {"seconds": 60})
    assert made.status_code == 201
    address = made.json()["url"].partition("/api")[2]
    nobody = Api(acme.tenant, acme.user, "")
    assert read(nobody.get(address)) == CONTENT
    for wrong in (address + "x", "/links/nonsense", address.replace("links/", "links/A")):
        answer = nobody.get(wrong)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert zeta("POST", f"{path}/links", {"seconds": 60}).status_code == 404
    with tenant_scope(acme.tenant.id):
        ApiToken.objects.update(revoked_at=Now())
    assert nobody.get(address).status_code == 404


def test_no_log_has_the_address_of_a_link(acme: Api, caplog: pytest.LogCaptureFixture) -> None:
    path = original(acme).removesuffix("/original")
    address = acme("POST", f"{path}/links", {"seconds": 60}).json()["url"].partition("/api")[2]
    with caplog.at_level(logging.INFO):
        assert read(acme.get(address)) == CONTENT
        assert acme.get(path).status_code == 200
    told = [str(record.msg) for record in caplog.records]
    assert any(path in one for one in told)
    assert not any(address.rpartition("/")[2] in one for one in told)


def test_all_links_that_are_not_valid_are_one_answer(acme: Api) -> None:
    path = original(acme).removesuffix("/original")
    address = acme("POST", f"{path}/links", {"seconds": 60}).json()["url"].partition("/api")[2]
    acme("POST", "/capability-sets", {"name": "own", "capabilities": ["documents:read"]})
    with tenant_scope(acme.tenant.id):
        own = CapabilitySet.objects.filter(name="own")
        ApiToken.objects.update(capability_set=own.get())
    nobody = Api(acme.tenant, acme.user, "")

    def told() -> Any:
        answer = nobody.get(address)
        if answer.status_code == 200:
            return read(answer)
        return {name: value for name, value in answer.json().items() if name != "request_id"}

    invalid = nobody.get("/links/nonsense").json()
    del invalid["request_id"]
    rows: tuple[tuple[Any, dict[str, Any], dict[str, Any]], ...] = (
        (ApiToken.objects, {"expires_at": Now() - timedelta(seconds=1)}, {"expires_at": None}),
        (own, {"capabilities": []}, {"capabilities": ["documents:read"]}),
        (Document.objects, {"purging_at": Now()}, {"purging_at": None}),
    )
    for found, lost, back in rows:
        with tenant_scope(acme.tenant.id):
            found.update(**lost)
        assert told() == invalid, lost
        with tenant_scope(acme.tenant.id):
            found.update(**back)
        assert told() == CONTENT


def test_a_document_without_a_picture_says_so(acme: Api) -> None:
    path = original(acme).removesuffix("/original")
    assert acme.get(f"{path}/thumbnail").status_code == 404
    assert acme.get(f"{path}/text").json() == {"pages": [], "next": None}
    assert [one["number"] for one in acme.get(f"{path}/versions").json()["versions"]] == [1]
