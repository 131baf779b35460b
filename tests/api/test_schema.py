"""schemathesis: every route called in ways that nobody thinks of, by two tenants, held to the schema."""

import os
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from tests.api.conftest import make_caller
from tests.api.routes import ROUTES
from tests.archiv.two_tenants import empty_vault, fill

pytestmark = pytest.mark.django_db(transaction=True)

#: Calls of each route: a few in `bin/test`, many in `--all`.
FEW, MANY = 2, 100
#: What the schema allows can still be refused: which classes, sets and cursors there are, no schema says.
#: And calls without a valid token are made for every route in test_isolation: here a made-up cookie comes
#: along with a valid token, which is no wrong sign-in.
EXCLUDED: list[Any] = [positive_data_acceptance, ignored_auth]


def call_everything(calls: int) -> tuple[int, list[str]]:
    """Call each route so many times, in turn as one and as the other tenant; returns calls and failures."""
    empty_vault()
    callers = [make_caller(fill(word).tenant) for word in ("quarz", "zimt")]
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", get_wsgi_application())
    made, failures = 0, []
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]

        def attempt(case: Any) -> None:
            nonlocal made
            caller = callers[made % 2]
            made += 1
            response = case.call(headers={"Authorization": f"Bearer {caller.secret}"})
            case.validate_response(response, excluded_checks=EXCLUDED)

        bounded = settings(
            max_examples=calls,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        try:
            bounded(given(case=operation.as_strategy())(attempt))()
        except BaseExceptionGroup as error:  # the other routes are called too
            failures.append(f"{operation.label}: {error}")
    return made, failures


def test_a_few_calls_of_every_route_break_nothing() -> None:
    made, failures = call_everything(FEW)
    assert failures == []
    assert made >= len(ROUTES)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_thousands_of_calls_break_nothing() -> None:
    made, failures = call_everything(int(os.environ.get("ARCHIV_SCHEMA_CALLS", MANY)))
    assert failures == []
    assert made > 2000
