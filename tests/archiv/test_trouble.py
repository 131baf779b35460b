"""A database that is away, new, or closed to us is said in words, with a way out."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, ProgrammingError, connection

from archiv.trouble import explain

ROOT = Path(__file__).resolve().parents[2]


def test_a_database_that_is_away_ends_a_command_without_a_traceback() -> None:
    away = {**os.environ, "DATABASE_URL": "postgres://owner:secret@127.0.0.1:1/archiv"}
    done = subprocess.run(
        [sys.executable, "manage.py", "queue"], cwd=ROOT, env=away, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.django_db
def test_missing_tables_are_answered_by_migrate() -> None:
    with pytest.raises(ProgrammingError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM tenants_nowhere")
    assert "manage.py migrate" in str(explain(caught.value))


@pytest.mark.django_db
def test_other_errors_of_the_database_keep_their_traceback() -> None:
    with pytest.raises(DatabaseError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
    assert explain(caught.value) is None
    error = OperationalError("canceling statement due to statement timeout")
    error.__cause__ = psycopg.errors.QueryCanceled("canceling statement due to statement timeout")
    assert explain(error) is None
