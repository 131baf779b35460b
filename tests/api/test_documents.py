"""Documents by the API: brought, found, read, corrected, put away."""

import hashlib
import io
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler

from documents.models import Document
from jobs.models import Job
from jobs.numbers import read_number
from tenants.models import AuditEvent
from tenants.scope import tenant_scope
from tests.api.conftest import Api, make_caller


def stored(api: Api, content: bytes = b"", **query: str) -> str:
    answer = api.upload(content, **query)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["document_id"])


def test_a_file_is_stored_with_what_is_known_of_it(acme: Api) -> None:
    answer = acme.upload(
        b"Rechnung",
        name="r.txt",
        title="Von%20Hand",
        issued_at="2024-05-12",
        source_ref="scan-7",
        lane="bulk",
    )
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["Location"] == f"/api/documents/{body['document_id']}"
    document = acme.get(f"/documents/{body['document_id']}").json()
    assert document["title"] == "Von Hand"
    assert document["title_set_by_person"] is True
    assert (document["issued_at"], document["issued_source"]) == ("2024-05-12", "manual")
    assert (document["source"], document["source_ref"], document["status"]) == ("api", "scan-7", "queued")
    assert document["file"]["sha256"] == hashlib.sha256(b"Rechnung").hexdigest()
    with tenant_scope(acme.tenant.id):
        job = Job.objects.get(pk=read_number(acme.tenant.id, body["job_id"]))
        assert (str(job.document_id), job.lane) == (body["document_id"], 2)
        assert AuditEvent.objects.filter(action="document.stored", actor__startswith="token:").count() == 1


def test_a_form_with_a_file_is_stored_too(acme: Api) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    answer = acme.client.post(
        "/api/documents",
        {"file": SimpleUploadedFile("brief.txt", b"Guten Tag"), "title": "Ein Brief"},
        headers={"Authorization": f"Bearer {acme.secret}"},
    )
    assert answer.status_code == 201, answer.content
    document = acme.get(f"/documents/{answer.json()['document_id']}").json()
    assert (document["title"], document["file"]["filename"]) == ("Ein Brief", "brief.txt")


def test_the_same_bytes_name_the_document_that_has_them_and_say_if_it_lies_in_the_trash(acme: Api) -> None:
    first = stored(acme, b"paper")
    again = acme.upload(b"paper")
    assert again.status_code == 409
    assert again.headers["Content-Type"] == "application/problem+json"
    found = again.json()
    assert (found["code"], found["document_id"], found["trashed"]) == ("duplicate", first, False)
    acme("POST", f"/documents/{first}/trash")
    assert acme.upload(b"paper").json()["trashed"] is True


def test_the_archive_says_beforehand_whether_it_has_a_file(acme: Api, zeta: Api) -> None:
    first = stored(acme, b"paper")
    digest = hashlib.sha256(b"paper").hexdigest()
    assert acme.get(f"/documents/by-hash/{digest}").json()["id"] == first
    assert zeta.get(f"/documents/by-hash/{digest}").status_code == 404
    assert zeta.upload(b"paper").status_code == 201, "the other tenant's file is no duplicate of it"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"title": "%20"}, "bad_title"),
        ({"issued_at": "3024-01-01"}, "bad_issued_date"),
        ({"issued_at": "12.05.2024"}, "invalid_request"),
        ({"retention_class": "nichts"}, "unknown_retention_class"),
        ({"lane": "urgent"}, "invalid_request"),
        ({"title": "%00"}, "invalid_request"),
    ],
)
def test_nonsense_about_a_file_is_refused_before_it_is_read(
    acme: Api, query: dict[str, str], code: str
) -> None:
    answer = acme.upload(b"paper", **query)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert acme.get("/documents").json()["documents"] == []


def test_an_empty_file_and_one_that_was_cut_off_are_not_stored(acme: Api) -> None:
    empty = acme.client.generic(
        "POST", "/api/documents", b"", "application/octet-stream",
        headers={"Authorization": f"Bearer {acme.secret}"}, CONTENT_LENGTH="0",
    )  # fmt: skip
    assert (empty.status_code, empty.json()["code"]) == (422, "empty_file")
    said: list[str] = []
    environment = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/api/documents",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "HTTP_AUTHORIZATION": f"Bearer {acme.secret}",
        "CONTENT_TYPE": "application/octet-stream",
        "CONTENT_LENGTH": "18",
        "wsgi.input": io.BytesIO(b"only half"),
        "wsgi.url_scheme": "http",
    }

    def start(status: str, _headers: Any, _error: Any = None) -> Callable[[bytes], object]:
        said.append(status)
        return lambda _data: None

    answer = WSGIHandler()(environment, start)
    assert (said, json.loads(b"".join(answer))["code"]) == (["400 Bad Request"], "body_cut_off")
    assert acme.get("/documents").json()["documents"] == []


@pytest.mark.parametrize("sort", ["added", "-added", "issued", "-issued"])
def test_every_order_shows_each_document_once_page_by_page(acme: Api, sort: str) -> None:
    dates = ["2024-05-12", "2024-05-12", "2021-01-01", "", ""]
    ids = {stored(acme, issued_at=one) if one else stored(acme) for one in dates}
    seen: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = acme.get(f"/documents?sort={sort}&limit=2" + (f"&cursor={cursor}" if cursor else "")).json()
        seen += page["documents"]
        cursor = page["next"]
    assert len(seen) == 5
    assert {one["id"] for one in seen} == ids
    column = "issued_at" if "issued" in sort else "created_at"
    values = [one[column] for one in seen if one[column]]
    assert values == sorted(values, reverse=sort.startswith("-"))
    if column == "issued_at":
        assert [one[column] for one in seen[3:]] == [None, None], "what has no date comes last"


def test_documents_are_filtered(acme: Api) -> None:
    one = stored(acme, b"eins", title="Mietvertrag", issued_at="2024-05-12")
    two = stored(acme, b"zwei", title="Kaufvertrag", issued_at="2023-01-31")

    def found(query: str) -> list[str]:
        return [document["id"] for document in acme.get(f"/documents?{query}").json()["documents"]]

    assert found("q=mietvertrag") == [one]
    assert found("issued_from=2024-05-12&issued_to=2024-05-12") == [one]
    assert found("issued_to=2023-01-31") == [two]
    assert set(found("status=queued")) == {one, two}
    assert found("added_to=0006-06-13T22:06:28.8-19:19") == []
    assert acme.get("/documents?added_to=0001-01-01T00:00:00%2B15:00").status_code == 422
    assert found("status=failed") == found("held=true") == found("trashed=true") == []
    acme("POST", f"/documents/{one}/trash")
    assert found("trashed=true") == [one]
    assert found("") == [two]
    assert found("q=mietvertrag") == []


def test_a_cursor_of_another_list_or_a_made_up_one_is_refused(acme: Api) -> None:
    for _ in range(3):
        stored(acme)
    cursor = acme.get("/documents?limit=1").json()["next"]
    for query in (f"sort=added&cursor={cursor}", "cursor=nonsense", f"cursor={cursor}x"):
        answer = acme.get(f"/documents?{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


def test_an_edit_needs_the_state_that_was_looked_at(acme: Api) -> None:
    document = stored(acme)
    path = f"/documents/{document}"
    shown = acme.get(path)
    assert shown.headers["ETag"] == shown.json()["etag"]
    blind = acme("PATCH", path, {"title": "Neu"})
    assert (blind.status_code, blind.json()["code"]) == (428, "precondition_required")
    done = acme("PATCH", path, {"title": "Neu", "issued_at": None}, If_Match=shown.headers["ETag"])
    assert (done.status_code, done.json()["title"], done.json()["issued_source"]) == (200, "Neu", "manual")
    late = acme("PATCH", path, {"title": "Anders"}, If_Match=shown.headers["ETag"])
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert acme("PATCH", path, {"title": "Anders"}, If_Match=done.headers["ETag"]).json()["title"] == "Anders"
    unknown = acme("PATCH", path, {"colour": "red"}, If_Match="*")
    assert unknown.status_code == 422


def test_a_document_goes_for_good_only_from_the_trash_and_unheld(acme: Api) -> None:
    document = stored(acme)
    path = f"/documents/{document}"
    early = acme("DELETE", path)
    assert (early.status_code, early.json()["code"]) == (409, "refused")
    assert acme("PUT", f"{path}/hold").json()["retention"]["held"] is True
    assert "under legal hold" in acme("POST", f"{path}/trash").json()["detail"]
    assert acme("DELETE", f"{path}/hold").json()["retention"]["held"] is False
    assert acme("POST", f"{path}/trash").json()["trashed_at"]
    assert acme("POST", f"{path}/restore").json()["trashed_at"] is None
    acme("POST", f"{path}/trash")
    ordered = acme("DELETE", path)
    assert ordered.status_code == 202
    assert acme("DELETE", path).json() == ordered.json(), "one purge, however often it is asked for"
    with tenant_scope(acme.tenant.id):
        assert Job.objects.filter(type="purge-document").count() == 1


def test_retention_classes_are_made_and_given(acme: Api) -> None:
    document = stored(acme)
    assert [one["name"] for one in acme.get("/retention-classes").json()["classes"]][:3] == [
        "books", "letters", "vouchers"
    ]  # fmt: skip
    assert acme("POST", "/retention-classes", {"name": "Bauakten", "years": 30}).status_code == 201
    done = acme("PUT", f"/documents/{document}/retention", {"name": "Bauakten"})
    assert done.json()["retention"]["class_name"] == "Bauakten"
    acme("POST", f"/documents/{document}/trash")
    assert "later date" in acme("DELETE", f"/documents/{document}").json()["detail"]


def test_bulk_changes_are_all_or_nothing_with_an_answer_for_each(acme: Api) -> None:
    one, two, nobody = stored(acme), stored(acme), str(uuid.uuid4())
    acme("PUT", f"/documents/{two}/hold")
    refused = acme("POST", "/documents/bulk", {"action": "trash", "document_ids": [one, two, nobody]})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_all_done")
    assert refused.json()["documents"] == {two: "under legal hold", nobody: "not there"}
    assert acme.get(f"/documents/{one}").json()["trashed_at"] is None
    done = acme("POST", "/documents/bulk", {"action": "trash", "document_ids": [one, one]})
    assert done.json() == {"documents": {one: "done"}}
    missing = acme("POST", "/documents/bulk", {"action": "reanalyze", "document_ids": [one]})
    assert missing.json()["documents"] == {one: "not there, or in the trash"}
    assert acme("POST", "/documents/bulk", {"action": "reanalyze", "document_ids": [two]}).status_code == 200
    with tenant_scope(acme.tenant.id):
        assert Document.objects.filter(trashed_at=None).count() == 1


def test_the_same_request_with_the_same_key_is_done_once(acme: Api, zeta: Api) -> None:
    body, key = {"name": "Bauakten", "years": 30}, {"Idempotency_Key": "k-1"}
    first = acme("POST", "/retention-classes", body, **key)
    second = acme("POST", "/retention-classes", body, **key)
    assert (second.status_code, second.json()) == (first.status_code, first.json())
    assert second.headers["Idempotent-Replayed"] == "true"
    other = acme("POST", "/retention-classes", {"name": "Akten", "years": 3}, **key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert zeta("POST", "/retention-classes", body, **key).headers.get("Idempotent-Replayed") is None
    assert make_caller(acme.tenant)("POST", "/retention-classes", body, **key).status_code == 201
    bad = acme("POST", "/retention-classes", body, Idempotency_Key="k 1")
    assert (bad.status_code, bad.json()["code"]) == (400, "bad_idempotency_key")
    upload = {"Idempotency_Key": "k-2", "content_type": "application/octet-stream"}
    answers = [acme("POST", "/documents?filename=a", b"bytes", **upload) for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert [answer.status_code for answer in answers] == [201, 201]


def test_progress_is_told_when_it_changes_or_the_time_is_up(acme: Api) -> None:
    document = stored(acme)
    first = acme.get(f"/documents/{document}/progress").json()
    assert (first["status"], first["changed"]) == ("queued", True)
    assert acme.get(f"/documents/{document}/progress?seen=queued&wait=1").json()["changed"] is False
    assert acme.get(f"/documents/{document}/progress?seen=done&wait=20").json()["changed"] is True
