"""Jobs, members, sets, tokens and the trail by the API."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs import selectors
from jobs.models import Job, JobStatus
from jobs.numbers import show_number
from tenants.scope import tenant_scope
from tests.api.conftest import Api, make_caller
from tests.factories import JobFactory, UserFactory


def test_failed_jobs_are_listed_looked_at_and_requeued(acme: Api) -> None:
    with tenant_scope(acme.tenant.id):
        rows = [
            JobFactory.create(tenant_id=acme.tenant.id, status=JobStatus.FAILED, error_message="dry")
            for _ in range(3)
        ]
    page = acme.get("/jobs?limit=2").json()
    more = acme.get(f"/jobs?limit=2&cursor={page['next']}").json()
    listed = [job["id"] for job in page["jobs"] + more["jobs"]]
    assert listed == [show_number(acme.tenant.id, row.pk) for row in reversed(rows)]
    assert more["next"] is None
    job = acme.get(f"/jobs/{listed[0]}").json()
    assert (job["status"], job["error"], job["attempts"]) == ("failed", "dry", [])
    assert acme("POST", f"/jobs/{listed[0]}/requeue").json()["status"] == "queued"
    again = acme("POST", f"/jobs/{listed[0]}/requeue")
    assert (again.status_code, again.json()["code"]) == (409, "refused")
    assert acme("POST", f"/jobs/{listed[0]}/cancel").json()["status"] == "failed"
    assert [job["id"] for job in acme.get("/jobs?status=queued").json()["jobs"]] == []


def test_jobs_of_a_document_are_listed(acme: Api) -> None:
    stored = acme.upload(b"paper").json()
    jobs = acme.get(f"/jobs?document_id={stored['document_id']}").json()["jobs"]
    assert [(job["id"], job["type"]) for job in jobs] == [(stored["job_id"], "analyze-document")]
    with tenant_scope(acme.tenant.id):
        assert Job.objects.count() == 1


def test_members_come_change_and_go(acme: Api) -> None:
    user = UserFactory.create()
    made = acme("POST", "/members", {"user_id": str(user.pk), "capability_set": "readonly"})
    assert (made.status_code, made.json()["capability_set"]) == (201, "readonly")
    twice = acme("POST", "/members", {"user_id": str(user.pk), "capability_set": "readonly"})
    assert (twice.status_code, twice.json()["code"]) == (409, "already_member")
    assert acme("PATCH", f"/members/{user.pk}", {"capability_set": "user"}).json()["capability_set"] == "user"
    last = acme("DELETE", f"/members/{acme.user.pk}")
    assert (last.status_code, last.json()["code"]) == (409, "last_owner")
    assert acme("DELETE", f"/members/{user.pk}").status_code == 204
    assert len(acme.get("/members").json()["members"]) == 1


def test_sets_of_ones_own_change_at_once_what_their_tokens_may(acme: Api) -> None:
    made = acme("POST", "/capability-sets", {"name": "Scanner", "capabilities": ["documents:upload"]})
    assert made.status_code == 201, made.content
    scanner = make_caller(acme.tenant, "Scanner")
    assert scanner.upload().status_code == 201
    assert scanner.get("/documents").status_code == 403
    path = f"/capability-sets/{made.json()['id']}"
    acme("PUT", path, {"capabilities": ["documents:read"]})
    assert scanner.upload().status_code == 403
    assert scanner.get("/documents").status_code == 200
    used = acme("DELETE", path)
    assert (used.status_code, used.json()["code"]) == (409, "capability_set_in_use")
    fixed = next(one for one in acme.get("/capability-sets").json()["capability_sets"] if one["is_system"])
    refused = acme("PUT", f"/capability-sets/{fixed['id']}", {"capabilities": []})
    assert (refused.status_code, refused.json()["code"]) == (409, "system_set_is_fixed")


def test_a_revoked_token_ends_with_its_next_request(acme: Api) -> None:
    other = make_caller(acme.tenant)
    mine = other.get("/profile").json()["token_id"]
    assert acme("DELETE", f"/tokens/{mine}").status_code == 204
    assert other.get("/profile").status_code == 401
    listed = {one["id"]: one["revoked_at"] for one in acme.get("/tokens").json()["tokens"]}
    assert listed[mine] is not None


def test_usage_and_the_trail_are_of_this_tenant_alone(acme: Api, zeta: Api) -> None:
    acme.upload(b"12345")
    zeta.upload(b"123")
    assert acme.get("/usage").json() == {
        "documents": 1, "trashed": 0, "versions": 1, "bytes": 5, "pages": 0, "worker_seconds": 0.0
    }  # fmt: skip
    events = acme.get("/audit?limit=1").json()
    assert events["events"][0]["action"] == "document.stored"
    older = acme.get(f"/audit?cursor={events['next']}").json()
    assert [one["action"] for one in older["events"]] == ["token.minted"]
    assert acme.get("/tenant").json()["name"] == acme.tenant.name


def test_documents_are_filed_under_labels_that_come_change_and_go(acme: Api, zeta: Api) -> None:
    document = acme.upload(b"paper").json()["document_id"]
    tag = acme("POST", "/tags", {"name": "Dach"}).json()
    sender = acme("POST", "/correspondents", {"name": "Dachdecker Muster"}).json()
    path = f"/documents/{document}/labels"
    filed = acme("POST", path, {"add": [tag["id"], sender["id"]]})
    assert [one["name"] for one in filed.json()["labels"]] == ["Dachdecker Muster", "Dach"]
    assert acme("POST", path, {"remove": [sender["id"]]}).json()["labels"] == [tag]
    taken = acme("POST", "/tags", {"name": "DACH"})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
    assert acme("PATCH", f"/tags/{tag['id']}", {"name": "Dächer"}).json()["name"] == "Dächer"
    assert acme("PATCH", f"/correspondents/{tag['id']}", {"name": "x"}).status_code == 404
    assert zeta("PATCH", f"/tags/{tag['id']}", {"name": "x"}).status_code == 404
    assert zeta.get("/tags").json() == {"labels": [], "next": None}
    assert acme("DELETE", f"/tags/{tag['id']}").json() == {"documents": 1}
    assert acme.get(path).json() == {"labels": []}


def test_jobs_that_are_done_are_found_by_looking_back_step_by_step(
    acme: Api, zeta: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "WINDOW", 4)
    monkeypatch.setattr(selectors, "WINDOWS", 2)

    def made(api: Api, many: int, status: str = "succeeded") -> list[int]:
        with tenant_scope(api.tenant.id):
            rows = [JobFactory.create(tenant_id=api.tenant.id, status=status) for _ in range(many)]
        return [row.id for row in rows]

    done = made(acme, 3)
    made(zeta, 20)
    waiting = made(acme, 1, "queued")
    done += made(acme, 3)
    with CaptureQueriesContext(connection) as captured:
        found: list[int] = []
        cursor, pages = "", 0
        while len(found) < len(done):
            page = acme.get("/jobs?status=succeeded&limit=2" + (f"&cursor={cursor}" if cursor else "")).json()
            found += [job["id"] for job in page["jobs"]]
            cursor, pages = page["next"], pages + 1
            assert pages < 20
    assert found == [show_number(acme.tenant.id, each) for each in reversed(done)]
    assert pages > 3  # some of them empty
    looked = [one["sql"] for one in captured if 'FROM "jobs_job"' in one["sql"]]
    assert looked
    assert all('"jobs_job"."id" >= ' in sql and '"jobs_job"."id" < ' in sql for sql in looked)
    everything = acme.get("/jobs?status=all&limit=4").json()["jobs"]
    newest = sorted(done[3:] + waiting, reverse=True)
    assert [job["id"] for job in everything] == [show_number(acme.tenant.id, each) for each in newest]
    with tenant_scope(acme.tenant.id):
        first = selectors.look_back(acme.tenant.id, status=None, before=5, limit=2)
    assert first.before is None
