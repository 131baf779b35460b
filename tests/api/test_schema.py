"""schemathesis: every route called in ways that nobody thinks of, by two tenants, held to the schema.

Calls that change something are made in `test_schema_changes`: two files, so that two cores share them.
"""

import os

import pytest
from pytest_django import Settings

from tests.api.peers import call_everything, quiet
from tests.api.routes import ROUTES

pytestmark = pytest.mark.django_db(transaction=True)

#: Calls in all: a few of each route in `bin/test`; in `--all` as many here as in the other file.
FEW, MANY = 150, int(os.environ.get("ARCHIV_SCHEMA_CALLS", 10_000)) // 2


@pytest.fixture(autouse=True)
def unhindered(settings: Settings) -> None:
    """Let them ask as often as they like."""
    settings.ARCHIV_API_RATE = 0


def test_a_few_calls_of_every_route_break_nothing() -> None:
    with quiet():
        made, failures = call_everything(FEW)
    assert failures == []
    assert made >= len(ROUTES)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_thousands_of_calls_that_only_read_break_nothing() -> None:
    with quiet():
        made, failures = call_everything(MANY, methods=["GET"], bounds=True)
    assert failures == []
    assert made >= MANY
