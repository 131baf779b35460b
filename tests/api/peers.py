"""schemathesis as two tenants who call in turn, in ways that nobody thinks of, held to the schema.

All of its checks are made: of what fits the schema and of what does not, of every bound that it names (the
phase that schemathesis calls coverage), and then of what Hypothesis draws.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.drivers import CoverageGenerator
from schemathesis.generation.feedback import NO_FEEDBACK
from schemathesis.generation.overrides import Override
from schemathesis.specs.openapi.checks import (
    ignored_auth,
    missing_required_header,
    positive_data_acceptance,
)

from tests.api.conftest import make_caller
from tests.api.known import known_of
from tests.archiv.two_tenants import empty_vault, fill

#: What the schema allows can still be refused for what is in the archive, or for what the words in it mean:
#: which labels, classes, keys and states there are, which characters can be seen, which day is too far ahead,
#: what a regular expression says. These codes are for that, and schemathesis does not blame them. It does
#: blame `invalid_request`: what fits the schema is never refused for its form.
REFUSED_FOR_ITS_MEANING = frozenset(
    {
        "bad_cursor",
        "bad_issued_date",
        "bad_name",
        "bad_retention_class",
        "bad_rule",
        "bad_title",
        "bad_workflow",
        "changed_meanwhile",
        "idempotency_key_reused",
        "unknown_capability",
        "unknown_label",
        "unknown_retention_class",
    }
)
#: What is optional, and names something that must be there.
MADE_UP = (
    *("cursor", "retention_class", "correspondent", "document_type"),
    *("tags", "tags_all", "tags_any", "tags_none", "add_tags", "remove_tags"),
)
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
        #: Routes that were seen to answer nobody without a token: once is enough, it costs two calls more.
        self._guarded: set[str] = set()
        self.made = 0

    def attempt(self, case: Any) -> None:
        """Call, and compare the answer with the schema."""
        caller, ids = self.made % 2, self.made // 2 % 3
        if ids < 2 and case.path_parameters and not case.meta.is_negative_at(ParameterLocation.PATH):
            known = self._known[(caller + ids) % 2]
            case.path_parameters = {name: known[name] for name in case.path_parameters}
        if case.meta.generation.mode.is_positive and ids < 2:
            leave_out_what_is_made_up(case)
        if ids < 2 and re.fullmatch("[!-~]{1,255}", str((case.headers or {}).get("Idempotency-Key", ""))):
            case.headers["Idempotency-Key"] = f"call-{self.made}"  # each counts once
        self.made += 1
        headers = {"Authorization": f"Bearer {self._secrets[caller]}"}
        response = case.call(headers=headers)
        excluded: list[Any] = [ignored_auth] if case.operation.label in self._guarded else []
        if code_of(response) in REFUSED_FOR_ITS_MEANING or has_year_zero(case):
            # What a body means is looked at before the state of what it is to change.
            excluded += [positive_data_acceptance, missing_required_header]
        case.validate_response(response, headers=headers, excluded_checks=excluded)
        if response.status_code < 300:
            self._guarded.add(case.operation.label)


def leave_out_what_is_made_up(case: Any) -> None:
    """Have more of the calls do something: no label, cursor or state is there that somebody thought of."""
    for part in (case.query, case.body):
        for name in MADE_UP if isinstance(part, dict) else ():
            part.pop(name, None)
    if "If-Match" in (case.headers or {}):
        case.headers["If-Match"] = "*"


def has_year_zero(case: Any) -> bool:
    """Whether a day of the year 0000 is sent: the dates of JSON Schema have it, calendars do not."""
    return re.search(r"\b0000-\d\d-\d\d\b", f"{case.query} {case.body}") is not None


def code_of(response: Any) -> str:
    """Return the code of an error; empty for any other answer."""
    if response.headers.get("content-type", [""])[0] != "application/problem+json":
        return ""
    return str(response.json()["code"])


def load() -> Any:
    """Return the schema as the API hands it out, and what is expected besides schemathesis's own lists."""
    usual = SchemathesisConfig().projects.default.checks
    rejected = usual.negative_data_rejection.expected_statuses
    accepted = usual.positive_data_acceptance.expected_statuses
    config = SchemathesisConfig.from_dict(
        {
            "checks": {
                # RFC 6585 has a status of its own for a request that must say which state it changes, and an
                # ETag of whatever form is answered as one that is not of what is there; and another (411) for
                # a file without its length. What is not there is told before what a header lacks.
                "missing_required_header": {"expected-statuses": ["404", "428"]},
                # A range that the file has not, a file that the vault has lost, and an empty body, which goes
                # out without its length: no schema knows of these.
                "positive_data_acceptance": {"expected-statuses": [*accepted, "410", "411", "416"]},
                "negative_data_rejection": {"expected-statuses": [*rejected, "411", "412"]},
            }
        }
    )
    app = whole_answers(get_wsgi_application())
    return schemathesis.openapi.from_wsgi("/api/openapi.json", app, config=config)


def bounds_of(operation: Any, schema: Any) -> Iterator[Any]:
    """Yield the calls at and beyond every bound that the schema names for a route."""
    yield from CoverageGenerator(
        operation=operation,
        generation_modes=list(GenerationMode),
        generation_config=schema.config.generation_for(operation=operation, phase="coverage"),
        auth_storage=None,
        override=Override(query={}, headers={}, cookies={}, path_parameters={}, body={}),
        feedback=NO_FEEDBACK,
    )


def drawn(operation: Any, peers: Peers, mode: GenerationMode, calls: int, start: int) -> Callable[[], None]:
    """Return what calls a route so often, with data that Hypothesis draws, all of it right or all wrong."""
    bounded = settings(
        max_examples=calls,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    strategy = operation.as_strategy(generation_mode=mode)
    return seed(start)(bounded(given(case=strategy)(peers.attempt)))


def failures_of(operation: Any, call: Callable[[], None]) -> list[str]:
    """Call, and return what was wrong; the other routes are called all the same."""
    try:
        call()
    except Unsatisfiable:
        return []  # any text is a link: there is no wrong one
    except (Exception, FailureGroup) as error:  # noqa: BLE001
        return [f"{operation.label}: {error}"]
    return []


def call_everything(
    calls: int, *, methods: Sequence[str] = ORDER, bounds: bool = False
) -> tuple[int, list[str]]:
    """Call the routes of these methods so often in all; returns how often that was, and what was wrong.

    With `bounds` each is called at every bound of its schema first. A third of what is drawn does not fit.
    """
    peers, schema = Peers(), load()
    found: list[Any] = [result.ok() for result in schema.get_all_operations()]
    wanted = [one for one in found if one.method.upper() in methods]
    operations = sorted(wanted, key=lambda one: ORDER.index(one.method.upper()))
    failures: list[str] = []
    for operation in operations if bounds else ():
        for case in bounds_of(operation, schema):
            failures += failures_of(operation, partial(peers.attempt, case))
    turn = 0
    while peers.made < calls and not failures:
        # Routes without a parameter have few ways to be called: the others make up for them in the next turn.
        each = max(1, (calls - peers.made) // len(operations))
        turn += 1
        for operation in operations:
            for mode, share in (
                (GenerationMode.POSITIVE, each - each // 3),
                (GenerationMode.NEGATIVE, each // 3),
            ):
                if share:
                    failures += failures_of(operation, drawn(operation, peers, mode, share, turn))
    return peers.made, failures
