"""schemathesis as two tenants who call in turn, in ways that nobody thinks of, held to the schema."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from tests.api.conftest import make_caller
from tests.api.known import known_of
from tests.archiv.two_tenants import empty_vault, fill

#: What the schema allows can still be refused: which classes, sets and cursors there are, no schema says.
#: And calls without a valid token are made for every route in test_isolation: here a made-up cookie comes
#: along with a valid token, which is no wrong sign-in.
EXCLUDED: list[Any] = [positive_data_acceptance, ignored_auth]
#: What takes something away comes last, so that the calls before it find something.
ORDER = ("GET", "POST", "PATCH", "PUT", "DELETE")


@contextmanager
def quiet() -> Iterator[None]:
    """Write no line for each refusal."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def whole_answers(app: Any) -> Any:
    """Return the application, with answers read to their end and closed: who asks does neither."""

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        with closing(app(environ, start_response)) as parts:
            return [b"".join(parts)]

    return answer


class Peers:
    """Two tenants that call in turn, with ids of their own, of the other, and made-up ones."""

    def __init__(self) -> None:
        empty_vault()
        filled = [fill(word) for word in ("quarz", "zimt")]
        self._known = [known_of(one) for one in filled]
        self._secrets = [make_caller(one.tenant).secret for one in filled]
        self.made = 0

    def attempt(self, case: Any) -> None:
        """Call, and compare the answer with the schema."""
        caller, ids = self.made % 2, self.made // 2 % 3
        if ids < 2 and case.path_parameters:
            known = self._known[(caller + ids) % 2]
            case.path_parameters = {name: known[name] for name in case.path_parameters}
        self.made += 1
        response = case.call(headers={"Authorization": f"Bearer {self._secrets[caller]}"})
        case.validate_response(response, excluded_checks=EXCLUDED)


def call_everything(calls: int, *, methods: Sequence[str] = ORDER) -> tuple[int, list[str]]:
    """Call the routes of these methods so often in all; returns how often that was, and what was wrong."""
    peers = Peers()
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", whole_answers(get_wsgi_application()))
    found: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
    wanted = [one for one in found if one.method.upper() in methods]
    operations = sorted(wanted, key=lambda one: ORDER.index(one.method.upper()))
    failures: list[str] = []
    turn = 0
    while peers.made < calls and not failures:
        # Routes without a parameter have few ways to be called: the others make up for them in the next turn.
        each = max(1, (calls - peers.made) // len(operations))
        turn += 1
        for operation in operations:
            bounded = settings(
                max_examples=each,
                deadline=None,
                database=None,
                derandomize=False,
                phases=[Phase.explicit, Phase.generate],
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            )
            try:
                seed(turn)(bounded(given(case=operation.as_strategy())(peers.attempt)))()
            except Exception as error:  # noqa: BLE001  the other routes are called too
                failures.append(f"{operation.label}: {error}")
    return peers.made, failures
