"""Errors of the API: one table from class to status and code, and one shape (RFC 9457).

What is not there and what belongs to another tenant are one and the same answer.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any

import psycopg
import structlog
from django.core.exceptions import BadRequest, RequestDataTooBig, ValidationError
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import Schema
from psycopg.errors import QueryCanceled
from pydantic import WithJsonSchema

from documents import errors as documents
from jobs import errors as jobs
from tenants import errors as tenants

log = structlog.get_logger("archiv.api")

PROBLEM = "application/problem+json"


class ApiError(Exception):
    """Something is wrong with a request. The docstring is the message unless a better one is given."""

    def __init__(self, message: str | None = None, **details: Any) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.details = details


class NotSignedIn(ApiError):
    """Sign in, or send a token that is valid: Authorization: Bearer archiv_…"""


class TooManyRequests(ApiError):
    """There were too many requests with this token: wait for as many seconds as Retry-After says."""


class NoSuchAddress(ApiError):
    """There is nothing at this address."""


class NoSuchThing(ApiError):
    """The tenant has no such thing."""


class WrongMethod(ApiError):
    """The address does not take this method."""


class BadCursor(ApiError):
    """The cursor is none of this list, or of another order: begin without one."""


class LengthRequired(ApiError):
    """Send Content-Length with a file, so that one that was cut off is noticed."""


class BodyCutOff(ApiError):
    """Fewer bytes came than were announced: nothing was stored. Send the file again."""


class Duplicate(ApiError):
    """The archive has these very bytes already."""


class NothingToSend(ApiError):
    """There is no such file of this document."""


class LinkNotValid(ApiError):
    """The link is not valid, or not any more."""


class NotChangedSince(ApiError):
    """Send If-Match with the ETag of the document that you have looked at, or * to change it in any case."""


class ChangedMeanwhile(ApiError):
    """It was changed meanwhile: look at it again, then send If-Match with its new ETag."""


class BadIdempotencyKey(ApiError):
    """An Idempotency-Key has 1 to 255 printable ASCII characters."""


class IdempotencyKeyReused(ApiError):
    """The Idempotency-Key was used for another request before: choose a new one for each thing to do."""


class StillBeingDone(ApiError):
    """The first request with this Idempotency-Key has not ended yet: try again in a moment."""


class ToldOnce(ApiError):
    """It was done before. Its answer had a secret, which is kept nowhere: end what was made, make another."""


class NotAllDone(ApiError):
    """Nothing was changed, because some of the documents cannot be: see the reason of each."""


class Refused(ApiError):
    """The document cannot be changed like this."""


#: By class, the nearest in its ancestry: status and code. Codes are stable; messages are for people.
ERRORS: Mapping[type[BaseException], tuple[int, str]] = {
    NotSignedIn: (401, "not_signed_in"),
    tenants.InvalidToken: (401, "not_signed_in"),
    tenants.CapabilityDenied: (403, "capability_missing"),
    TooManyRequests: (429, "too_many_requests"),
    NoSuchAddress: (404, "not_found"),
    WrongMethod: (405, "wrong_method"),
    NothingToSend: (404, "not_found"),
    LinkNotValid: (404, "not_found"),
    documents.DocumentNotFound: (404, "not_found"),
    tenants.TenantNotFound: (404, "not_found"),
    tenants.NotAMember: (404, "not_found"),
    tenants.CapabilitySetNotFound: (404, "not_found"),
    tenants.UserNotFound: (404, "not_found"),
    NoSuchThing: (404, "not_found"),
    BadCursor: (400, "bad_cursor"),
    BadIdempotencyKey: (400, "bad_idempotency_key"),
    BadRequest: (400, "bad_request"),
    MultiPartParserError: (400, "bad_request"),
    UnreadablePostError: (400, "body_cut_off"),
    BodyCutOff: (400, "body_cut_off"),
    LengthRequired: (411, "length_required"),
    RequestDataTooBig: (413, "too_large"),
    IdempotencyKeyReused: (422, "idempotency_key_reused"),
    StillBeingDone: (409, "still_being_done"),
    ToldOnce: (409, "told_once"),
    Duplicate: (409, "duplicate"),
    NotAllDone: (409, "not_all_done"),
    Refused: (409, "refused"),
    NotChangedSince: (428, "precondition_required"),
    ChangedMeanwhile: (412, "changed_meanwhile"),
    documents.DocumentChanged: (412, "changed_meanwhile"),
    documents.DocumentInTrash: (409, "in_trash"),
    documents.LabelNotFound: (404, "not_found"),
    documents.UnknownLabel: (422, "unknown_label"),
    documents.TooManyLabels: (409, "too_many"),
    documents.RuleNotFound: (404, "not_found"),
    documents.TooManyRules: (409, "too_many"),
    documents.WorkflowNotFound: (404, "not_found"),
    documents.BadWorkflowDefinition: (422, "bad_workflow"),
    documents.LabelNameTaken: (409, "name_taken"),
    documents.BadLabelName: (422, "bad_name"),
    documents.BadRule: (422, "bad_rule"),
    documents.BadFiling: (422, "bad_filing"),
    documents.BadTitle: (422, "bad_title"),
    documents.BadIssuedDate: (422, "bad_issued_date"),
    documents.UnknownRetentionClass: (422, "unknown_retention_class"),
    documents.BadRetentionClass: (422, "bad_retention_class"),
    documents.EmptyFile: (422, "empty_file"),
    documents.UploadRefused: (422, "upload_refused"),
    documents.FileDamaged: (410, "file_damaged"),
    documents.FileMissing: (410, "file_missing"),
    documents.VaultFull: (507, "no_room"),
    documents.VaultError: (503, "vault_unavailable"),
    documents.SearchError: (503, "search_unavailable"),
    documents.DocumentsError: (409, "refused"),
    tenants.TenantNotActive: (409, "tenant_not_active"),
    tenants.WipeUnderWay: (409, "wipe_under_way"),
    tenants.LastOwner: (409, "last_owner"),
    tenants.AlreadyMember: (409, "already_member"),
    tenants.CapabilitySetInUse: (409, "capability_set_in_use"),
    tenants.CapabilitySetNameTaken: (409, "name_taken"),
    tenants.SystemSetIsFixed: (409, "system_set_is_fixed"),
    tenants.BadName: (422, "bad_name"),
    tenants.UnknownCapability: (422, "unknown_capability"),
    tenants.TenantsError: (422, "refused"),
    jobs.JobsError: (409, "refused"),
    ValidationError: (422, "invalid_request"),
}


#: What stands in no exception: a query that was stopped, a database that is away, a request that somebody
#: else forged, the unforeseen.
TOOK_TOO_LONG, AWAY, FORGED, INTERNAL = "took_too_long", "database_unavailable", "forged", "internal"
CODES = sorted({code for _, code in ERRORS.values()} | {TOOK_TOO_LONG, AWAY, FORGED, INTERNAL})
#: States (SQLSTATE) of a server that is not reached, goes down, has no room for one more, has ended our
#: session or let somebody else go first.
_AWAY = ("08", "40", "53", "57", "25P03", "25P04", "55P03")
_AGAIN_SECONDS = 5


class FieldError(Schema):
    """What is wrong with one part of a request: `where` it stands, such as `body.wanted.name`."""

    where: str
    message: str


class Problem(Schema):
    """What every error looks like. `code` is for programs and stays; `detail` is for people.

    `errors` come with `invalid_request`, `document_id` and `trashed` with `duplicate`, `documents`, their
    reasons, with `not_all_done`.
    """

    type: str
    title: str
    status: int
    code: Annotated[str, WithJsonSchema({"type": "string", "enum": CODES})]
    detail: str
    request_id: str
    errors: list[FieldError] | None = None
    document_id: str | None = None
    trashed: bool | None = None
    documents: dict[str, str] | None = None


def classify(error: BaseException) -> tuple[int, str] | None:
    """Return the status and the code of an error; None for one that nobody foresaw."""
    cause = error.__cause__ if isinstance(error, DatabaseError | InterfaceError) else None
    if isinstance(cause, QueryCanceled):
        return 503, TOOK_TOO_LONG
    if isinstance(cause, psycopg.Error) and _is_away(cause):
        return 503, AWAY
    for kind in type(error).__mro__:
        if kind in ERRORS:
            return ERRORS[kind]
    return None


def _is_away(cause: psycopg.Error) -> bool:
    """Return whether the same request may pass later; without a state the connection itself broke."""
    if cause.sqlstate is None:
        return isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError)
    return cause.sqlstate.startswith(_AWAY)


def problem(
    request: HttpRequest,
    status: int,
    code: str,
    detail: str,
    *,
    errors: Sequence[Mapping[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
    **details: Any,
) -> HttpResponse:
    """Return an error in the one shape."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": getattr(request, "archiv_request_id", ""),
        **details,
    }
    if errors is not None:
        body["errors"] = list(errors)
    response = HttpResponse(
        json.dumps(body), content_type=PROBLEM, status=status, headers=dict(headers or {})
    )
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="archiv"'
    return response


def answer_error(request: HttpRequest, error: BaseException) -> HttpResponse | None:
    """Return the answer to an error that is in the table; None for any other."""
    found = classify(error)
    if found is None:
        return None
    status, code = found
    if code == TOOK_TOO_LONG:
        return problem(request, status, code, "This took too long: ask for less at a time.")
    if code == AWAY:
        log.error("api.database_unavailable", error=str(error))
        again = {"Retry-After": str(_AGAIN_SECONDS)}
        return problem(request, status, code, "The archive cannot be asked now: try again.", headers=again)
    headers: dict[str, str] = {}
    details = dict(getattr(error, "details", {}))
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(details.pop("seconds", 1))
    words = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
    return problem(request, status, code, words, headers=headers, **details)
