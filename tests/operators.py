"""Who works with the admin in tests, and what the database was asked meanwhile."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tenants.models import User
from tenants.scope import operator_scope

_COUNT = re.compile(r"\bCOUNT\s*\(", re.IGNORECASE)


def make_operator(*permissions: str, superuser: bool = False) -> User:
    """Create somebody who may sign in to the admin, with permissions such as "jobs.view_job"."""
    user = User.objects.create(
        username=f"operator-{uuid.uuid4().hex[:8]}", is_staff=True, is_superuser=superuser
    )
    for permission in permissions:
        app, name = permission.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=name))
    return user


def sign_in(*permissions: str, superuser: bool = False, language: str = "en") -> Client:
    """Return a browser that is signed in as a new operator."""
    client = Client(headers={"accept-language": language})
    client.force_login(make_operator(*permissions, superuser=superuser))
    return client


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Collect the statements that pages send; the list is filled on leaving.

    Content types, which the process remembers from the first page on, are asked for before: else the first
    test of a process would count one statement more.
    """
    ContentType.objects.get_for_models(*apps.get_models())
    statements: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield statements
    statements.extend(query["sql"] for query in captured.captured_queries)


def explain(statement: str) -> str:
    """Return the plan that PostgreSQL would take if the tables were large: small ones it reads as a whole."""
    with operator_scope(), connection.cursor() as cursor:
        for choice in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{choice} = off")
        cursor.execute(f"EXPLAIN {statement}")
        return "\n".join(row[0] for row in cursor.fetchall())


def counting(statements: list[str]) -> list[str]:
    """Return those that count rows, which no page may do."""
    return [statement for statement in statements if _COUNT.search(statement)]
