"""What the verbs share: the connection's type, held jobs, arrays as literals."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import psycopg
from django.db import connections

Connection = psycopg.Connection[Any]


#: The guard of statements that know their jobs by id. LIKE, because with "=" the planner may answer from the
#: index of running jobs, which holds an entry for every claim since the last VACUUM, not by the primary key.
IS_RUNNING = "job.status LIKE 'processing'"


class Held(NamedTuple):
    """One job under one lease: together they prove the right to end the attempt."""

    id: int
    lease: int


def array_of(values: Iterable[object]) -> str:
    """Return values as the text of a PostgreSQL array: psycopg's own arrays cost twice the statement.

    For numbers, UUIDs and names of types: nothing in them may need quoting.
    """
    return "{" + ",".join(map(str, values)) + "}"


def app_connection(using: str = "default") -> Connection:
    """Return the psycopg connection beneath Django's, which carries the transaction that is open there."""
    wrapper = connections[using]
    wrapper.ensure_connection()
    return wrapper.connection  # type: ignore[no-any-return]


def execute_prepared(
    connection: Connection, statement: str, parameters: Mapping[str, object]
) -> psycopg.Cursor[Any]:
    """Run a statement that the server keeps planned for the session; behind a pooler it is planned each time.

    Cursors of Django's connections write parameters into the text, of which nothing can be kept.
    """
    return psycopg.Cursor(connection).execute(statement, parameters, prepare=True)
