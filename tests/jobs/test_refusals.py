"""What a server says to whom it will never let in ends a worker; whatever else it says is waited for."""

import psycopg
import pytest

from jobs.engine.database import DatabaseRefuses, check_refusal


@pytest.mark.parametrize(
    "words",
    [
        'FATAL:  password authentication failed for user "archiv_app"',
        "fe_sendauth: no password supplied",
        'FATAL:  role "archiv_app" does not exist',
        'FATAL:  role "archiv_app" is not permitted to log in',
        'FATAL:  database "archive" does not exist',
        'FATAL:  permission denied for database "archiv"',
        'FATAL:  no pg_hba.conf entry for host "10.0.0.7", user "archiv_app", database "archiv"',
        'FATAL:  Peer authentication failed for user "archiv_app"',
        "FATAL:  no such database: archiv",
    ],
)
def test_a_refusal_is_known_by_its_words(words: str) -> None:
    with pytest.raises(DatabaseRefuses, match=r"FATAL|password"):
        check_refusal(psycopg.OperationalError(f'connection to server at "db", port 5432 failed: {words}\n'))


@pytest.mark.parametrize(
    "words",
    [
        "connection refused\n\tIs the server running on that host and accepting TCP/IP connections?",
        "FATAL:  the database system is starting up",
        "FATAL:  the database system is shutting down",
        "FATAL:  sorry, too many clients already",
        'FATAL:  too many connections for role "archiv_app"',
        "timeout expired",
        "could not translate host name",
    ],
)
def test_what_may_pass_is_no_refusal(words: str) -> None:
    check_refusal(psycopg.OperationalError(words))
