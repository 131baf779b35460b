"""The client, against the API itself; all that it says is compared with the schema."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from archiv.api.site import api
from archiv_client import (
    AnalysisFailed,
    Archiv,
    Changed,
    Duplicate,
    NotFound,
    Problem,
    StillAnalyzing,
    finding,
    models,
)
from archiv_client.transport import Answer, Request
from jobs.models import Job, JobStatus
from tenants.scope import tenant_scope
from tests.api.conftest import Api
from tests.factories import JobFactory, PageTextFactory

SCHEMA: dict[str, Any] = api.get_openapi_schema()
SHAPES: dict[str, Any] = SCHEMA["components"]["schemas"]
#: Routes that the client leaves out: people and their rights are an owner's business, in a session; links are
#: opened by whoever has no client; the rest says what another call says already.
LEFT_OUT = {
    *("sign_in", "sign_out", "members", "join", "promote", "leave", "tokens", "mint", "revoke"),
    *("capability_sets", "make_set", "fill_set", "one_set", "drop_set"),
    *("follow_link", "labels_of_document", "workflows_on_document", "explain", "take_date"),
    "make_searchable",
}


@dataclass
class Sent:
    """Django's answer as the client reads it."""

    status: int
    headers: Any
    body: io.BytesIO

    def read(self, size: int = -1, /) -> bytes:
        return self.body.read(size)

    def getheader(self, name: str) -> str | None:
        return str(self.headers[name]) if name in self.headers else None


@dataclass
class Direct:
    """Sends requests to the API without a network, and notes what they were."""

    caller: Api
    used: set[str] = field(default_factory=set)

    @contextmanager
    def send(self, request: Request) -> Iterator[Answer]:
        body = request.body
        data = body if isinstance(body, bytes) or body is None else body.read()
        check(request, data if isinstance(body, bytes) else None, self.used)
        headers = {name.replace("-", "_"): value for name, value in request.headers.items()}
        kind = headers.pop("Content_Type", "application/json")
        headers.pop("Content_Length", None)
        answer = self.caller(
            request.method, request.address.removeprefix("/api"), data or b"", kind, **headers
        )
        content = b"".join(answer) if answer.streaming else answer.content
        if answer.streaming:
            answer.close()
        yield Sent(answer.status_code, answer.headers, io.BytesIO(content))


def check(request: Request, body: bytes | None, used: set[str]) -> None:
    """Compare a request with the schema: its path and method, the names in its query and in its body."""
    import json

    for path, operations in SCHEMA["paths"].items():
        pattern = "[^/]+".join(re.escape(part) for part in re.split(r"\{[^}]+\}", path))
        operation = operations.get(request.method.lower())
        if operation is None or not re.fullmatch(pattern, f"/api{request.path}"):
            continue
        if "{" in path and f"/api{request.path}" in SCHEMA["paths"]:
            continue
        known = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        assert {name for name, value in request.query.items() if value is not None} <= known, path
        given = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None:
            shape = SHAPES[given["schema"]["$ref"].rpartition("/")[2]]
            assert set(json.loads(body)) <= set(shape["properties"]), path
        used.add(operation["operationId"])
        return
    raise AssertionError(f"The schema has no {request.method} {request.path}.")


@pytest.fixture
def direct(acme: Api) -> Direct:
    return Direct(acme)


@pytest.fixture
def archiv(direct: Direct) -> Archiv:
    return Archiv("http://archive.test", "", transport=direct)


def test_what_the_client_reads_is_what_the_schema_promises() -> None:
    found = [(name, getattr(module, name), module) for module in (models, finding) for name in dir(module)]
    for name, kind, module in found:
        if not isinstance(kind, type) or not is_dataclass(kind) or kind.__module__ != module.__name__:
            continue
        promised = SHAPES[name]
        assert {one.name for one in fields(kind)} == set(promised["properties"]), name
        assert {one.name for one in fields(kind)} <= set(promised.get("required", ())), name


def test_every_route_has_a_call_of_the_client_or_is_left_out_on_purpose(
    archiv: Archiv, direct: Direct, acme: Api
) -> None:
    documents = archiv.documents
    tag = archiv.tags.create("Dach")
    for labels in (archiv.tags, archiv.correspondents, archiv.document_types):
        made, other = labels.create("Eins"), labels.create("Zwei")
        assert labels.get(made.id) == made
        assert labels.rename(made.id, "Drei").name == "Drei"
        assert made.id in [one.id for one in labels.list()]
        rule = labels.add_rule(made.id, "Wort")
        assert labels.rule(made.id, rule.id) == rule
        assert labels.change_rule(made.id, rule.id, "Wörter", kind="all").kind == "all"
        assert [one.id for one in labels.rules(made.id)] == [rule.id]
        labels.remove_rule(made.id, rule.id)
        assert labels.merge(made.id, into=other.id) == 0
        assert labels.delete(other.id) == 0
    stored = documents.upload(
        io.BytesIO(b"Rechnung"),
        filename="r.txt",
        title="Von Hand",
        issued_at=date(2024, 5, 12),
        tags=["Dach"],
    )
    document = documents.get(stored.document_id)
    assert (document.title, document.issued_at, document.tags) == ("Von Hand", date(2024, 5, 12), (tag,))
    assert documents.find(io.BytesIO(b"Rechnung")) == document
    assert documents.find(io.BytesIO(b"anderes")) is None
    listed = documents.list(tags_all=["Dach"], issued_from=date(2024, 1, 1), added_to=datetime.now(UTC))
    assert [one.id for one in listed] == [document.id]
    assert [one.sha256 for one in documents.versions(document.id)] == [document.file and document.file.sha256]
    with tenant_scope(acme.tenant.id):
        PageTextFactory.create(
            tenant_id=acme.tenant.id, version_id=stored.version_id, version=None, text="Dachstuhl"
        )
    assert [one.text for one in documents.text(document.id)] == ["Dachstuhl"]
    assert documents.attachments(document.id).attachments == ()
    assert documents.progress(document.id).status == "queued"
    assert documents.facets("has:tag").tags == (finding.LabelCount(tag.id, "Dach", 1),)
    assert [(one.kind, one.query) for one in documents.suggest("-da", limit=1)] == [("tag", "-tag:Dach")]
    assert documents.similar(document.id) == ()
    whole, rest = io.BytesIO(), io.BytesIO()
    assert documents.download(document.id, whole) == 8
    assert documents.download(document.id, rest, version=stored.version_id, first=3) == 5
    assert (whole.getvalue(), rest.getvalue()) == (b"Rechnung", b"hnung")
    assert "/api/links/" in documents.link(document.id, seconds=5).url
    with pytest.raises(NotFound):
        documents.thumbnail(document.id)
    with pytest.raises(NotFound):
        documents.download_searchable(document.id, io.BytesIO())

    edited = documents.edit(document, title="Anders", tags=[str(tag.id)], correspondent=None)
    assert (edited.title, edited.tags, edited.correspondent) == ("Anders", (tag,), None)
    assert documents.file(document.id, remove=[tag.id]) == ()
    assert documents.file_all([document.id], add_tags=["Dach"], correspondent=None) == {
        str(document.id): "done"
    }
    assert "books" in [one.name for one in documents.retention_classes()]
    assert documents.make_retention_class("Bau", years=3).years == 3
    assert documents.classify(document.id, "Bau").retention.class_name == "Bau"
    assert documents.hold(document.id).retention.held
    assert not documents.release(document.id).retention.held
    second = documents.upload(io.BytesIO(b"Brief"), filename="b.txt").document_id
    assert documents.trash(second).trashed_at is not None
    assert documents.restore(second).trashed_at is None
    documents.change_all("trash", [second])
    assert documents.purge(second) > 0

    tried = archiv.rules.try_on("dachst*", label_id=tag.id, texts=["x"], document_ids=[document.id])
    assert (tried.documents[str(document.id)].found, tried.texts[0].found) == ("dachstuhl", None)
    assert archiv.rules.preview([document.id]).documents == 1
    assert archiv.rules.apply([document.id]).changed == 0
    actions = [{"do": "add_tags", "tags": ["Dach"]}]
    assert archiv.workflows.dry_run(document.id, actions=actions).unmet == ""
    flow = archiv.workflows.create("Post", actions=actions)
    assert archiv.workflows.get(flow.id) == flow
    assert archiv.workflows.change(flow.id, "Post", actions=actions, enabled=False).enabled is False
    assert [one.id for one in archiv.workflows.list()] == [flow.id]
    archiv.workflows.delete(flow.id)

    job = archiv.jobs.get(stored.job_id)
    assert [one.id for one in archiv.jobs.list(document_id=document.id)] == [job.id]
    assert archiv.jobs.cancel(job.id).status == "failed"
    assert archiv.jobs.requeue(job.id).status == "queued"
    assert archiv.tenant.profile().tenant_id == archiv.tenant.get().id == acme.tenant.id
    assert archiv.tenant.usage().documents == 2
    assert next(archiv.tenant.audit()).action
    everything = {one["operationId"] for each in SCHEMA["paths"].values() for one in each.values()}
    assert direct.used | LEFT_OUT == everything
    assert direct.used & LEFT_OUT == set()


def test_refusals_are_exceptions_with_codes(archiv: Archiv) -> None:
    first = archiv.documents.upload(io.BytesIO(b"Papier"), filename="a.txt")
    with pytest.raises(Duplicate) as twice:
        archiv.documents.upload(io.BytesIO(b"Papier"), filename="a.txt")
    assert (twice.value.document_id, twice.value.trashed) == (first.document_id, False)
    document = archiv.documents.get(first.document_id)
    archiv.documents.edit(document, title="Eins")
    with pytest.raises(Changed):
        archiv.documents.edit(document, title="Zwei")
    with pytest.raises(NotFound):
        archiv.documents.get(uuid4())
    stranger = uuid4()
    with pytest.raises(Problem) as refused:
        archiv.documents.change_all("trash", [first.document_id, stranger])
    assert (refused.value.code, refused.value.status) == ("not_all_done", 409)
    assert set(refused.value.details["documents"]) == {str(stranger)}
    assert refused.value.request_id


def test_lists_go_on_page_by_page(archiv: Archiv, direct: Direct, monkeypatch: pytest.MonkeyPatch) -> None:
    from archiv_client import paging

    monkeypatch.setattr(paging, "_PAGE", 2)
    made = [archiv.documents.upload(io.BytesIO(bytes([65 + n]))).document_id for n in range(5)]
    assert [one.id for one in archiv.documents.list(sort="added")] == made


def test_whoever_waits_learns_how_it_ended(archiv: Archiv, acme: Api) -> None:
    stored = archiv.documents.upload(io.BytesIO(b"Papier"), filename="a.txt")
    with pytest.raises(StillAnalyzing):
        archiv.documents.wait(stored.document_id, patience=0)
    archiv.jobs.cancel(stored.job_id)
    with pytest.raises(AnalysisFailed):
        archiv.documents.wait(stored.document_id)
    with tenant_scope(acme.tenant.id):
        JobFactory.create(
            tenant_id=acme.tenant.id,
            type="analyze-document",
            document_id=UUID(str(stored.document_id)),
            status=JobStatus.SUCCEEDED,
        )
        assert Job.objects.filter(document_id=stored.document_id).count() == 2
    assert archiv.documents.wait(stored.document_id).id == stored.document_id
