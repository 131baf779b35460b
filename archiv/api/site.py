"""The API put together: its resources, its errors, its schema."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError
from ninja.errors import ValidationError as NinjaValidationError
from pydantic import ValidationError as PydanticValidationError

from archiv.api import (
    document_changes,
    documents,
    downloads,
    edits,
    finding,
    jobs,
    labels,
    rules,
    sessions,
    tenants,
    uploads,
    why,
    workflows,
)
from archiv.api.callers import AUTHENTICATION
from archiv.api.errors import NotSignedIn, answer_error, problem
from archiv.api.routes import ROUTER
from archiv.api.schema import name_errors
from jobs import __version__

DESCRIPTION = """
Everything of one tenant: documents, jobs, members, tokens, audit trail. Sign in with a token
(`Authorization: Bearer archiv_…`) or a session. Errors are `application/problem+json` with a stable `code`;
what is not there and what belongs to another tenant are one answer, 404. Lists go on at `?cursor=` + `next`.
"""
#: Importing them has made their routes, in this order.
RESOURCES = (
    uploads,
    document_changes,
    documents,
    edits,
    finding,
    why,
    downloads,
    labels,
    rules,
    workflows,
    jobs,
    tenants,
    sessions,
)


class ArchivApi(NinjaAPI):
    """Django-ninja with errors in one shape, also in the schema."""

    def get_openapi_schema(self, **options: Any) -> Any:
        """Return the schema, with the errors of every route."""
        schema = super().get_openapi_schema(**options)
        name_errors(schema)
        return schema


api = ArchivApi(
    title="archiv",
    version=__version__,
    description=DESCRIPTION.strip(),
    auth=AUTHENTICATION,
    docs_url=None,
    openapi_url="/openapi.json",
    urls_namespace="api",
)
api.add_router("", ROUTER)


@api.exception_handler(AuthenticationError)
def _unknown_caller(request: HttpRequest, _error: Exception) -> HttpResponse:
    refusal = getattr(request, "archiv_refusal", None) or NotSignedIn()
    answer = answer_error(request, refusal)
    assert answer is not None
    return answer


@api.exception_handler(NinjaValidationError)
def _invalid(request: HttpRequest, error: NinjaValidationError) -> HttpResponse:
    return _name_fields(request, error.errors)


@api.exception_handler(PydanticValidationError)
def _invalid_form(request: HttpRequest, error: PydanticValidationError) -> HttpResponse:
    return _name_fields(request, [dict(one) for one in error.errors()])


def _name_fields(request: HttpRequest, errors: list[dict[str, Any]]) -> HttpResponse:
    """Say of each field what is wrong with it, and repeat none of what was sent."""
    named = [
        {"where": ".".join(str(part) for part in one["loc"]), "message": str(one["msg"])} for one in errors
    ]
    return problem(request, 422, "invalid_request", "The request is not as it should be.", errors=named)


@api.exception_handler(HttpError)
def _unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(request, error.status_code, "bad_request", "The request cannot be read.")


@api.exception_handler(Exception)
def _anything(request: HttpRequest, error: Exception) -> HttpResponse:
    answer = answer_error(request, error)
    if answer is None:
        raise error
    return answer
