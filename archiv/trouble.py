"""What a command says when the database cannot serve it: words and a way out instead of a traceback."""

import psycopg
from django.db import DatabaseError

_NOT_MIGRATED = ("42P01", "42703", "3F000")
_NOT_REACHED = (
    "connection failed",
    "connection is bad",
    "could not translate host name",
    "failed to resolve",
)


def explain(error: DatabaseError) -> str | None:
    """What is wrong and what to do, in one or two lines; None where it is not about reaching the tables."""
    cause = error.__cause__ or error
    said = " ".join(str(error).split())
    if isinstance(cause, psycopg.Error) and cause.sqlstate in _NOT_MIGRATED:
        return (
            f"The database lacks tables of this version ({said.split(' LINE ')[0]}): run `manage.py migrate`."
        )
    if isinstance(cause, psycopg.OperationalError) and any(words in said for words in _NOT_REACHED):
        return (
            f"The database cannot be reached: {said} Start it or correct DATABASE_URL; where the server "
            "is new, or passwords have changed, run `manage.py migrate`, which makes the roles."
        )
    return None
