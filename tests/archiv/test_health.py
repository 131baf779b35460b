"""What probes are told."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from archiv import health
from jobs.models import WorkerProcess


def ask(client: Client) -> tuple[int, dict[str, Any]]:
    response = client.get("/readyz")
    return response.status_code, response.json()


def test_the_process_answers_without_asking_anybody(client: Client) -> None:
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}


@pytest.mark.django_db
def test_all_well_is_ready_whether_or_not_a_worker_beats(client: Client) -> None:
    code, answer = ask(client)
    assert code == 200
    assert answer["status"] == "ready"
    assert {name: check["ok"] for name, check in answer["checks"].items()} == {
        "database": True,
        "migrations": True,
        "vault": True,
    }
    assert answer["workers"]["ok"] is False
    assert "runworker" in answer["workers"]["message"]


@pytest.mark.django_db
def test_a_worker_counts_while_its_beat_is_younger_than_a_lease(client: Client) -> None:
    worker = WorkerProcess.objects.create(name="a:1:x", host="a", pid=1, slots=2)
    assert ask(client)[1]["workers"]["ok"] is True
    WorkerProcess.objects.filter(pk=worker.pk).update(beat_at=timezone.now() - timedelta(minutes=5))
    assert ask(client)[1]["workers"]["ok"] is False


@pytest.mark.django_db
def test_a_migration_that_was_not_applied_is_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = health._known_migrations() | {("documents", "9999_of_tomorrow")}
    monkeypatch.setattr(health, "_known_migrations", lambda: brought)
    code, answer = ask(client)
    assert code == 503
    assert answer["checks"]["migrations"]["message"] == "1 not applied, first: documents.9999_of_tomorrow"


@pytest.mark.django_db
def test_a_vault_that_cannot_be_written_is_not_ready(client: Client, settings: Settings) -> None:
    vault = settings.STORAGES["vault"] | {"OPTIONS": {"location": "/dev/null/vault"}}
    settings.STORAGES = settings.STORAGES | {"vault": vault}
    code, answer = ask(client)
    assert code == 503
    assert answer["checks"]["vault"]["ok"] is False
    assert "/dev/null" not in answer["checks"]["vault"]["message"]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_is_not_ready_and_says_no_address(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", "/nowhere/secret")
        code, answer = ask(client)
        connection.close()
    assert code == 503
    assert answer["checks"]["database"]["ok"] is False
    assert "not asked" in answer["checks"]["migrations"]["message"]
    assert answer["checks"]["vault"]["ok"] is True
    assert "secret" not in str(answer)
    assert ask(client)[0] == 200


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_probes_only_read(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405
