"""What every request to the API passes: its number, who calls, how often, was it sent before; the log.

No transaction is open while a view runs or an answer is sent: services open their own, short ones.
"""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware

from archiv.api import keys
from archiv.api.callers import find_caller
from archiv.api.errors import (
    FORGED,
    INTERNAL,
    PROBLEM,
    NoSuchAddress,
    NotSignedIn,
    WrongMethod,
    answer_error,
    problem,
)
from archiv.api.rates import RateLimit
from tenants.audit import acting_as, current_actor
from tenants.errors import InvalidToken

log = structlog.get_logger("archiv.api")

PREFIX = "/api/"
#: What comes behind is a key to a file: no log has it.
LINKS = f"{PREFIX}links/"
HEADER = "X-Request-ID"
_FORM = re.compile(r"[A-Za-z0-9._-]{8,64}")
#: Methods that change nothing need no proof against forgery.
_SAFE = ("GET", "HEAD", "OPTIONS")


class _Forgery(CsrfViewMiddleware):
    """Django's own look at forged requests, asked by the gate for sessions only."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponseBase:
        return problem(request, 403, FORGED, f"{reason} Send the cookie's token as X-CSRFToken.")


class ApiGate:
    """Stands around everything below `/api/`, and lets everything else pass."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._rates = RateLimit(settings.ARCHIV_API_RATE)
        self._forgery = _Forgery(lambda _request: problem(_request, 500, INTERNAL, ""))  # never called

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer, with its number; every error in the one shape."""
        if not request.path_info.startswith(PREFIX):
            return self._get_response(request)
        given = request.headers.get(HEADER, "")
        number = given if _FORM.fullmatch(given) else uuid.uuid4().hex
        request.archiv_request_id = number  # type: ignore[attr-defined]
        started = time.monotonic()
        with structlog.contextvars.bound_contextvars(request=number):
            response = self._answer(request)
            response.headers[HEADER] = number
            response.headers.setdefault("Cache-Control", "no-store")
            caller = getattr(request, "archiv_caller", None)
            log.info(
                "api.request",
                method=request.method,
                path=LINKS if request.path_info.startswith(LINKS) else request.path_info,
                status=response.status_code,
                seconds=round(time.monotonic() - started, 4),
                caller=caller.name if caller else "",
            )
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase | None = None
        try:
            early = self._let_in(request)
            if early is not None:
                return early
            caller = getattr(request, "archiv_caller", None)
            with acting_as(caller.actor(request) if caller else current_actor()):
                response = _in_shape(request, self._get_response(request))
            return response
        except Exception as error:
            answer = answer_error(request, error)
            if answer is None:
                raise
            return answer
        finally:
            keys.end(request, response)

    def _let_in(self, request: HttpRequest) -> HttpResponseBase | None:
        """Find out who calls; returns an answer where the view need not be asked."""
        try:
            caller = find_caller(request)
        except (InvalidToken, NotSignedIn) as error:
            request.archiv_refusal = error  # type: ignore[attr-defined]  # a public address does not mind
            return None
        request.archiv_caller = caller  # type: ignore[attr-defined]
        if caller is None:
            return None
        self._rates.take(caller)
        if caller.by_session and request.method not in _SAFE:
            self._forgery.process_request(request)
            refused = self._forgery.process_view(request, _nothing, (), {})
            if refused is not None:
                return refused
        return keys.begin(request, caller)


def _nothing(request: HttpRequest) -> HttpResponseBase:
    """Stand in for a view that is not exempt."""
    return problem(request, 500, INTERNAL, "")


def _in_shape(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Give Django's own answers to wrong addresses and methods the shape of all others."""
    kind = response.headers.get("Content-Type", "")
    if response.status_code < 400 or kind.startswith(PROBLEM):
        return response
    if response.status_code == 405:
        answer = answer_error(request, WrongMethod())
        assert answer is not None
        answer.headers["Allow"] = response.headers.get("Allow", "")
        return answer
    if response.status_code == 404:
        return answer_error(request, NoSuchAddress()) or response
    if response.status_code == 400:
        return problem(request, 400, "bad_request", "The request cannot be read.")
    if response.status_code == 500:
        return problem(request, 500, INTERNAL, "Something went wrong here; it was logged with this number.")
    return response
