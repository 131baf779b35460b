"""Settings come from the environment: nothing set works, nonsense is refused with a message that helps."""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import structlog
from django.core.exceptions import ImproperlyConfigured

from tests.archiv.servers import PROJECT

Read = Callable[..., dict[str, Any]]
URL = "postgres://me:secret@db.example.org:5433/papers"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Read:
    """Read the settings of archiv with nothing set but what is given."""

    def read_with(values: Mapping[str, str] | None = None) -> dict[str, Any]:
        for name in list(os.environ):
            if name.startswith(("ARCHIV_", "SECRET_KEY", "DATABASE_URL")):
                monkeypatch.delenv(name)
        for name, value in ({"ARCHIV_VAR_ROOT": str(tmp_path)} | dict(values or {})).items():
            monkeypatch.setenv(name, value)
        logs = structlog.get_config()  # loggers that were used keep to the one they found
        try:
            return runpy.run_path(str(PROJECT / "archiv" / "settings.py"))
        finally:
            structlog.configure(**logs)

    return read_with


def test_nothing_set_works_and_starts_nothing(read: Read, tmp_path: Path) -> None:
    settings = read()
    assert settings["DEBUG"] is False
    assert settings["ARCHIV_LEASE_SECONDS"] == 30
    assert settings["DATABASES"]["default"]["USER"] == "archiv_app"
    assert settings["DATABASES"]["default"]["HOST"].startswith("/")
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ARCHIV_LEASE_SECONDS", "1.9", "from 2 to 3600"),
        ("ARCHIV_LEASE_SECONDS", "long", "not a number"),
        ("ARCHIV_LEASE_SECONDS", "nan", "not a number"),
        ("ARCHIV_MAX_RETRIES", "2.5", "not a whole number"),
        ("ARCHIV_MAX_RETRIES", "-1", "from 0"),
        ("ARCHIV_POOLED", "perhaps", "neither yes nor no"),
        ("ARCHIV_ROLE_PREFIX", "Upper-", "does not have the form"),
        ("ARCHIV_ROLE_PREFIX", 'x"; DROP ROLE y; --', "does not have the form"),
        ("ARCHIV_FAILPOINT", "store.moved", "name:action"),
        ("ARCHIV_VAULT_ROOT", "relative/path", "not an absolute path"),
        ("ARCHIV_TIME_ZONE", "Berlin", "is none of Europe/Berlin, "),
        ("ARCHIV_LOG_LEVEL", "LOUD", "DEBUG, INFO"),
        ("DATABASE_URL", "mysql://me@host/db", "not a PostgreSQL address"),
        ("DATABASE_URL", "postgres://me:secret@host/db?no_such_option=1", "no_such_option"),
        ("DATABASE_URL", "postgres://host/db", "must name a user"),
        ("DATABASE_URL", "postgres://me@host", "a database"),
        ("ARCHIV_APP_DATABASE_URL", "postgres://me@host/db", "archiv_app"),
    ],
)
def test_nonsense_is_refused_by_name(read: Read, name: str, value: str, message: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read({name: value})
    assert name in str(refused.value)
    assert message in str(refused.value)
    assert "secret" not in str(refused.value)


def test_an_empty_value_is_as_good_as_none(read: Read) -> None:
    assert read({"ARCHIV_LEASE_SECONDS": "", "DATABASE_URL": " "})["ARCHIV_LEASE_SECONDS"] == 30


def test_a_misspelt_setting_is_noticed(read: Read) -> None:
    settings = read({"ARCHIV_LEASE_SECOND": "5", "ARCHIV_LEASE_SECONDS": "5"})
    assert settings["UNKNOWN_SETTINGS"] == ("ARCHIV_LEASE_SECOND",)


def test_every_known_setting_says_what_it_means(read: Read) -> None:
    known = read()["KNOWN_SETTINGS"]
    assert {"DATABASE_URL", "SECRET_KEY", "ARCHIV_LEASE_SECONDS"} <= {setting.name for setting in known}
    assert all(setting.meaning.endswith(".") for setting in known)


def test_the_other_addresses_follow_from_the_owners(read: Read) -> None:
    databases = read({"DATABASE_URL": URL, "ARCHIV_ROLE_PREFIX": "x_"})["DATABASES"]
    assert databases["owner"]["USER"] == "me"
    for alias, role in (("default", "x_archiv_app"), ("queue", "x_archiv_queue")):
        assert databases[alias]["USER"] == role
        assert databases[alias]["HOST"] == "db.example.org"
        assert databases[alias]["PORT"] == "5433"
        assert databases[alias]["NAME"] == "papers"
    assert databases["default"]["PASSWORD"] != databases["queue"]["PASSWORD"]


def test_an_address_that_is_given_is_taken(read: Read) -> None:
    given = "postgres://archiv_app:other@pooler:6432/papers"
    database = read({"DATABASE_URL": URL, "ARCHIV_APP_DATABASE_URL": given})["DATABASES"]["default"]
    assert (database["HOST"], database["PORT"], database["PASSWORD"]) == ("pooler", "6432", "other")


def test_sessions_end_before_the_lease_and_the_dispatcher_never_scans(read: Read) -> None:
    databases = read({"ARCHIV_LEASE_SECONDS": "10"})["DATABASES"]
    for alias in ("default", "queue"):
        options = databases[alias]["OPTIONS"]["options"]
        assert "-c statement_timeout=8000" in options
        assert "-c idle_in_transaction_session_timeout=8000" in options
    assert "enable_seqscan=off" in databases["queue"]["OPTIONS"]["options"]
    assert databases["queue"]["OPTIONS"]["server_side_binding"] is True
    assert "options" not in databases["owner"]["OPTIONS"]


def test_behind_a_pooler_nothing_hangs_on_a_session(read: Read) -> None:
    settings = read({"ARCHIV_POOLED": "1", "DATABASE_URL": URL})
    for alias in ("default", "queue"):
        database = settings["DATABASES"][alias]
        assert "options" not in database["OPTIONS"]
        assert "prepare_threshold" not in database["OPTIONS"]
        assert database["CONN_MAX_AGE"] == 0
        assert database["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert settings["ARCHIV_QUEUE_SESSION"]["enable_seqscan"] == "off"


def test_options_of_the_address_reach_every_connection(read: Read) -> None:
    databases = read({"DATABASE_URL": URL + "?sslmode=require&options=-c%20work_mem%3D8MB"})["DATABASES"]
    for alias in ("owner", "default", "queue"):
        assert databases[alias]["OPTIONS"]["sslmode"] == "require"
        assert "work_mem=8MB" in databases[alias]["OPTIONS"]["options"]


def test_two_runs_at_once_have_two_test_databases() -> None:
    code = "import archiv.databases as d; print(d.run_database_name('archiv'))"
    names = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=PROJECT, check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    ]
    assert names[0] != names[1]


def test_the_key_is_made_once_and_read_by_its_owner_only(read: Read, tmp_path: Path) -> None:
    first = read()
    assert first["ARCHIV_SECRET_KEY_IS_LOCAL"] is True
    assert len(first["SECRET_KEY"]) >= 50
    assert read()["SECRET_KEY"] == first["SECRET_KEY"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    given = read({"SECRET_KEY": "given"})
    assert (given["SECRET_KEY"], given["ARCHIV_SECRET_KEY_IS_LOCAL"]) == ("given", False)


def test_a_cut_key_is_refused_not_used(read: Read, tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("abc\n")
    with pytest.raises(ImproperlyConfigured, match="no whole key"):
        read()


def test_processes_that_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    code = "import sys, pathlib, archiv.secret_key as k; print(k.kept_in(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tmp_path / "var")]
    starts = [subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    keys = {start.communicate(timeout=60)[0] for start in starts}
    assert len(keys) == 1
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret_key"]
