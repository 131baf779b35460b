"""Idempotency-Key: the same request sent again is not done again, and gets the same answer."""

import hashlib
import re
from datetime import timedelta

from django.db.models import Q
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from archiv.api.callers import Caller
from archiv.api.errors import (
    BadIdempotencyKey,
    IdempotencyKeyReused,
    StillBeingDone,
    ToldOnce,
    answer_error,
)
from archiv.models import KeptAnswer
from tenants.scope import tenant_scope

HEADER = "Idempotency-Key"
#: An answer is kept so long; a request without one counts as lost after so long.
KEPT, LOST = timedelta(days=1), timedelta(minutes=15)
_FORM = re.compile(r"[\x21-\x7e]{1,255}")
_HEADERS = ("Content-Type", "Location", "ETag")
_LARGEST = 1 << 20
_FORGOTTEN_AT_ONCE = 20
_SECRET = "archiv_answer_is_secret"  # noqa: S105  the name of an attribute


def begin(request: HttpRequest, caller: Caller) -> HttpResponse | None:
    """Take the key of a request, or return the answer that was given before; None without a key.

    Raises `BadIdempotencyKey`, `IdempotencyKeyReused`, `StillBeingDone`.
    """
    key = request.headers.get(HEADER)
    if key is None or request.method != "POST":
        return None
    if not _FORM.fullmatch(key):
        raise BadIdempotencyKey
    fingerprint = _fingerprint(request)
    tenant_id = caller.access.tenant_id
    with tenant_scope(tenant_id):
        rows = KeptAnswer.objects.filter(tenant_id=tenant_id)
        old = Q(created_at__lt=Now() - KEPT) | Q(status=None, created_at__lt=Now() - LOST)
        rows.filter(pk__in=list(rows.filter(old).values_list("pk", flat=True)[:_FORGOTTEN_AT_ONCE])).delete()
        rows.filter(old, sender=caller.name, key=key).delete()
        row, created = rows.get_or_create(
            tenant_id=tenant_id, sender=caller.name, key=key, defaults={"fingerprint": fingerprint}
        )
    if created:
        request.archiv_kept_answer = row  # type: ignore[attr-defined]
        return None
    if row.fingerprint != fingerprint:
        raise IdempotencyKeyReused
    if row.status is None:
        raise StillBeingDone
    answer = HttpResponse(row.body, status=row.status, headers=row.headers)
    answer.headers["Idempotent-Replayed"] = "true"
    return answer


def end(request: HttpRequest, response: HttpResponseBase | None) -> None:
    """Keep the answer of a request that took its key; one that broke gives its key back."""
    row = getattr(request, "archiv_kept_answer", None)
    if not isinstance(row, KeptAnswer):
        return
    with tenant_scope(row.tenant_id):
        rows = KeptAnswer.objects.filter(tenant_id=row.tenant_id, pk=row.pk)
        done = isinstance(response, HttpResponse) and response.status_code < 500
        if not done or len(response.content) > _LARGEST:  # type: ignore[union-attr]
            rows.delete()
            return
        assert isinstance(response, HttpResponse)
        if getattr(request, _SECRET, False):
            response = answer_error(request, ToldOnce())
            assert response is not None
        headers = {name: response.headers[name] for name in _HEADERS if name in response.headers}
        rows.update(status=response.status_code, headers=headers, body=response.content.decode())


def hold_secret(request: HttpRequest) -> None:
    """Say that the answer to this request has a secret in it: sent again, it is told that it was done."""
    setattr(request, _SECRET, True)


def _fingerprint(request: HttpRequest) -> str:
    """Of a file only the length counts: it is not read twice, and the archive knows it by its hash."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    if request.content_type == "application/json":
        digest.update(request.body)
    else:
        digest.update(f"{request.content_type} {request.META.get('CONTENT_LENGTH', '')}".encode())
    return digest.hexdigest()
