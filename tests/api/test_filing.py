"""Labels by the API: at upload, as filters, in bulk; rules and workflows, made and tried on."""

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from documents.models import Document, Filing
from jobs.models import TenantHour
from tenants.scope import tenant_scope
from tests.api.conftest import Api, make_caller
from tests.factories import PageTextFactory


def label(api: Api, path: str, name: str) -> str:
    made = api("POST", path, {"name": name})
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


def stored(api: Api, **query: str) -> str:
    answer = api.upload(b"", **query)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["document_id"])


def names(document: dict[str, Any]) -> tuple[list[str], str | None, str | None]:
    single = [document[kind] and document[kind]["name"] for kind in ("correspondent", "document_type")]
    return [tag["name"] for tag in document["tags"]], single[0], single[1]


def test_a_file_comes_with_its_labels_by_name_or_id(acme: Api) -> None:
    roof = label(acme, "/tags", "Dach")
    label(acme, "/tags", "Eilig")
    label(acme, "/correspondents", "Dachdecker Muster")
    label(acme, "/document-types", "Angebot")
    bare = acme.upload(tags=f"eilig&tags={roof}", correspondent="dachdecker%20MUSTER")
    assert bare.status_code == 201, bare.content
    document = acme.get(f"/documents/{bare.json()['document_id']}").json()
    assert names(document) == (["Dach", "Eilig"], "Dachdecker Muster", None)
    form = acme.client.post(
        "/api/documents",
        {
            "file": SimpleUploadedFile("a.txt", b"Angebot"),
            "tags": ["Dach", "Eilig"],
            "document_type": "Angebot",
        },
        headers={"Authorization": f"Bearer {acme.secret}"},
    )
    assert form.status_code == 201, form.content
    document = acme.get(f"/documents/{form.json()['document_id']}").json()
    assert names(document) == (["Dach", "Eilig"], None, "Angebot")
    with tenant_scope(acme.tenant.id):
        assert set(Filing.objects.values_list("set_by", flat=True)) == {"person"}


def test_a_label_that_is_not_there_is_refused_before_the_file_is_read(acme: Api, zeta: Api) -> None:
    theirs = label(zeta, "/tags", "Dach")
    for query in ({"tags": "Dach"}, {"tags": theirs}, {"correspondent": "Dach"}, {"document_type": theirs}):
        answer = acme.upload(b"", **query)
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_label")
    with tenant_scope(acme.tenant.id):
        assert not Document.objects.exists()


def test_lists_are_filtered_by_labels(acme: Api) -> None:
    for name in ("a", "b"):
        label(acme, "/tags", name)
    label(acme, "/correspondents", "Muster")
    label(acme, "/document-types", "Brief")
    both = stored(acme, tags="a&tags=b", correspondent="Muster")
    only = stored(acme, tags="a", document_type="Brief")
    none = stored(acme)

    def found(query: str) -> set[str]:
        answer = acme.get(f"/documents?{query}")
        assert answer.status_code == 200, answer.content
        return {one["id"] for one in answer.json()["documents"]}

    assert found("tags_all=a") == {both, only}
    assert found("tags_all=a&tags_all=b") == {both}
    assert found("tags_any=a&tags_any=b") == {both, only}
    assert found("tags_none=b") == {only, none}
    assert found("tags_none=a&tags_none=b") == {none}
    assert found("tags_any=a&tags_none=b") == {only}
    assert found("correspondent=muster") == {both}
    assert found("document_type=Brief&tags_all=a") == {only}
    assert acme.get("/documents?tags_any=c").json()["code"] == "unknown_label"
    page = acme.get("/documents?tags_all=a&limit=1").json()
    rest = acme.get(f"/documents?tags_all=a&limit=1&cursor={page['next']}").json()
    assert [page["documents"][0]["id"], rest["documents"][0]["id"], rest["next"]] == [only, both, None]


def test_several_documents_are_filed_or_none_is(acme: Api) -> None:
    for name in ("a", "b"):
        label(acme, "/tags", name)
    label(acme, "/correspondents", "Muster")
    ids = [stored(acme, tags="b") for _ in range(2)]
    body = {"action": "file", "document_ids": ids, "add_tags": ["a"], "correspondent": "Muster"}
    stranger = str(uuid.uuid4())
    refused = acme("POST", "/documents/bulk", {**body, "document_ids": [*ids, stranger]})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_all_done")
    assert refused.json()["documents"] == {stranger: "not there"}
    assert names(acme.get(f"/documents/{ids[0]}").json()) == (["b"], None, None)
    assert acme("POST", "/documents/bulk", body).json()["documents"] == dict.fromkeys(ids, "done")
    assert acme("POST", "/documents/bulk", body).json()["documents"] == dict.fromkeys(ids, "already")
    assert names(acme.get(f"/documents/{ids[1]}").json()) == (["a", "b"], "Muster", None)
    away = {"action": "file", "document_ids": ids, "remove_tags": ["b"], "correspondent": None}
    assert acme("POST", "/documents/bulk", away).status_code == 200
    assert names(acme.get(f"/documents/{ids[1]}").json()) == (["a"], None, None)


def test_who_may_only_edit_files_in_bulk_and_trashes_nothing(acme: Api) -> None:
    label(acme, "/tags", "a")
    document = stored(acme)
    acme("POST", "/capability-sets", {"name": "Clerk", "capabilities": ["documents:edit"]})
    clerk = make_caller(acme.tenant, "Clerk")
    body = {"action": "file", "document_ids": [document], "add_tags": ["a"]}
    assert clerk("POST", "/documents/bulk", body).status_code == 200
    assert (
        clerk("POST", "/documents/bulk", {"action": "trash", "document_ids": [document]}).status_code == 403
    )


def test_labels_are_listed_page_by_page_and_one_takes_over_another(acme: Api) -> None:
    ids = [label(acme, "/tags", name) for name in ("Äpfel", "birne", "Zimt")]
    page = acme.get("/tags?limit=2").json()
    rest = acme.get(f"/tags?limit=2&cursor={page['next']}").json()
    listed = [one["name"] for one in page["labels"] + rest["labels"]]
    assert (sorted(listed), rest["next"]) == (["Zimt", "birne", "Äpfel"], None)
    document = stored(acme, tags="birne")
    assert acme("POST", f"/tags/{ids[1]}/merge", {"into": ids[2]}).json() == {"documents": 1}
    assert names(acme.get(f"/documents/{document}").json())[0] == ["Zimt"]
    assert acme.get(f"/tags/{ids[1]}").status_code == 404


def test_what_was_changed_meanwhile_is_not_overwritten(acme: Api) -> None:
    path = f"/tags/{label(acme, '/tags', 'Dach')}"
    etag = acme.get(path).headers["ETag"]
    assert acme("PATCH", path, {"name": "Keller"}, If_Match=etag).status_code == 200
    late = acme("PATCH", path, {"name": "Garten"}, If_Match=etag)
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert acme("PATCH", path, {"name": "Garten"}).status_code == 200, "without If-Match in any case"


def test_rules_come_are_tried_change_and_go(acme: Api) -> None:
    tag = label(acme, "/tags", "Dach")
    document = stored(acme)
    version = acme.get(f"/documents/{document}").json()["file"]["id"]
    with tenant_scope(acme.tenant.id):
        PageTextFactory.create(
            tenant_id=acme.tenant.id, version_id=version, version=None, text="Der Dachstuhl ist neu."
        )
    tried = acme(
        "POST",
        "/rules/try",
        {"pattern": "dachst*", "label_id": tag, "document_ids": [document], "texts": ["Keller", "Dachstuhl"]},
    )
    assert tried.status_code == 200, tried.content
    assert tried.json()["documents"] == {document: {"found": "dachstuhl", "files": True}}
    assert [one["found"] for one in tried.json()["texts"]] == [None, "dachstuhl"]
    made = acme("POST", f"/tags/{tag}/rules", {"pattern": "dachst*"})
    assert made.status_code == 201, made.content
    path = f"/tags/{tag}/rules/{made.json()['id']}"
    before = acme("POST", "/rules/preview", {"document_ids": [document]}).json()
    assert [(one["name"], one["filed"], one["examples"]) for one in before["labels"]] == [
        ("Dach", 1, [document])
    ]
    assert acme("POST", "/rules/apply", {"document_ids": [document]}).json()["changed"] == 1
    assert names(acme.get(f"/documents/{document}").json())[0] == ["Dach"]
    again = acme("POST", "/rules/try", {"pattern": "neu", "label_id": tag, "document_ids": [document]})
    assert again.json()["documents"][document] == {"found": "neu", "files": False}
    changed = acme("PUT", path, {"kind": "exact", "pattern": "ist neu"}, If_Match=made.headers["ETag"])
    assert (changed.status_code, changed.json()["kind"]) == (200, "exact")
    assert acme("PUT", path, {"pattern": "x"}, If_Match=made.headers["ETag"]).status_code == 412
    assert acme("PUT", path, {"kind": "regex", "pattern": "("}).json()["code"] == "bad_rule"
    assert acme.get(path.replace("/tags/", "/correspondents/")).status_code == 404
    assert [one["id"] for one in acme.get(f"/tags/{tag}/rules").json()["rules"]] == [made.json()["id"]]
    assert acme("DELETE", path).status_code == 204
    assert acme.get(path).status_code == 404


def test_workflows_come_are_tried_change_and_go(acme: Api) -> None:
    label(acme, "/tags", "Neu")
    document = stored(acme, name="brief.txt")
    definition = {
        "conditions": {"filename": ["*.txt"]},
        "actions": [{"do": "add_tags", "tags": ["Neu"]}],
    }
    tried = acme("POST", "/workflows/try", {**definition, "document_id": document})
    assert tried.json() == {
        "unmet": "", "actions": [{"do": "add_tags", "what": "Neu", "changed": True}]
    }  # fmt: skip
    made = acme("POST", "/workflows", {"name": "Post", **definition})
    assert made.status_code == 201, made.content
    path = f"/workflows/{made.json()['id']}"
    (preview,) = acme.get(f"/documents/{document}/workflows").json()["workflows"]
    assert (preview["name"], preview["unmet"], len(preview["actions"])) == ("Post", "", 1)
    other = {"name": "Post", "conditions": {"source": ["mail"]}, "actions": definition["actions"]}
    changed = acme("PUT", path, other, If_Match=made.headers["ETag"])
    assert (changed.status_code, changed.json()["conditions"]) == (200, {"source": ["mail"]})
    assert acme("PUT", path, other, If_Match=made.headers["ETag"]).status_code == 412
    (preview,) = acme.get(f"/documents/{document}/workflows").json()["workflows"]
    assert preview["unmet"] == "source"
    bad = acme("POST", "/workflows", {"name": "x", "actions": [{"do": "fly"}]})
    assert (bad.status_code, bad.json()["code"]) == (422, "bad_workflow")
    assert [one["name"] for one in acme.get("/workflows").json()["workflows"]] == ["Post"]
    assert acme("DELETE", path).status_code == 204
    assert acme.get(path).status_code == 404


def test_usage_adds_up_the_worker_time_of_this_tenant(acme: Api, zeta: Api) -> None:
    from django.db.models.functions import Now, TruncHour

    for api, seconds in ((acme, 2.5), (zeta, 100.0)):
        with tenant_scope(api.tenant.id):
            TenantHour.objects.create(
                tenant_id=api.tenant.id, hour=TruncHour(Now()), attempts=1, failed=0, seconds=seconds
            )
    assert acme.get("/usage").json()["worker_seconds"] == pytest.approx(2.5)
