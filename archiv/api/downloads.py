"""Handing files out: originals, thumbnails, and links that work for a while without signing in."""

import uuid
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Annotated

from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from ninja import Query

from archiv.api.callers import access_of
from archiv.api.document_schemas import Link, LinkWanted, Progress
from archiv.api.documents import progress_of
from archiv.api.errors import LinkNotValid, NothingToSend, Refused
from archiv.api.files import send_file
from archiv.api.headers import OF_FILES
from archiv.api.routes import PUBLIC, Routes
from documents.errors import DocumentNotFound
from documents.models import Asset
from documents.services.changes import NOT_THERE
from documents.services.download import open_original
from documents.services.listing import get_document, get_thumbnail
from documents.services.searchable import MEDIA_TYPE, open_searchable, request_searchable_pdfs
from documents.vault import get_vault
from jobs.numbers import show_number
from tenants.access import Access, member_access
from tenants.audit import Actor, acting_as
from tenants.scope import tenant_scope
from tenants.services.tokens import token_grants

routes = Routes("files")

_SALT = "archiv.api.link"
_READ = "documents:read"
#: A file that is fetched part by part is compared with its hash again after so long.
_PARTS_SECONDS = 600.0
_BINARY = {
    "responses": {
        200: {
            "description": "The file",
            "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
        },
        206: {
            "description": "A part of it",
            "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
        },
        304: {"description": "You have it"},
        416: {"description": "There is no such part"},
    }
}


@routes.add(
    "GET",
    "/documents/{uuid:document_id}/original",
    capability="documents:read",
    response=None,
    extra=_BINARY,
    headers=OF_FILES,
)
def original(
    request: HttpRequest,
    document_id: uuid.UUID,
    version: Annotated[uuid.UUID | None, Query()] = None,
    inline: Annotated[bool, Query()] = False,
) -> HttpResponseBase:
    """Send the original, compared with its hash first: the newest version, or the one named.

    Takes Range and If-None-Match. With `inline`, types that browsers show safely are shown; HTML never is.
    """
    return _send_original(request, access_of(request), document_id, version, inline=inline)


@routes.add(
    "GET",
    "/documents/{uuid:document_id}/thumbnail",
    capability="documents:read",
    response=None,
    extra=_BINARY,
    headers=OF_FILES,
)
def thumbnail(request: HttpRequest, document_id: uuid.UUID) -> HttpResponseBase:
    """Send a small picture of the first page; 404 where there is none."""
    asset = get_thumbnail(access=access_of(request), document_id=document_id)
    if asset is None:
        raise NothingToSend
    if asset.content_hash:
        file = get_vault().open_verified(asset.vault_path, content_hash=asset.content_hash)
    else:  # made before hashes of pictures were kept
        file = get_vault().open(asset.vault_path)
    return send_file(
        request,
        file,
        size=asset.size,
        media_type=asset.media_type,
        name=f"{document_id}.webp",
        etag=_etag(asset),
        inline=True,
    )


@routes.add(
    "GET",
    "/documents/{uuid:document_id}/searchable",
    capability="documents:read",
    response=None,
    extra=_BINARY,
    headers=OF_FILES,
)
def searchable(request: HttpRequest, document_id: uuid.UUID) -> HttpResponseBase:
    """Send the searchable PDF of a scan; 404 where none was made."""
    file, asset = open_searchable(access=access_of(request), document_id=document_id)
    return send_file(
        request,
        file,
        size=asset.size,
        media_type=MEDIA_TYPE,
        name=f"{PurePath(asset.version.filename).stem}.pdf",
        etag=_etag(asset),
    )


@routes.add(
    "POST",
    "/documents/{uuid:document_id}/searchable",
    capability="documents:write",
    response={202: Progress},
)
def make_searchable(request: HttpRequest, document_id: uuid.UUID) -> Progress:
    """Have a searchable PDF made of a scan, by a job. 409 where nothing of it was read by OCR."""
    access = access_of(request)
    access.require("documents:read")  # the answer shows it
    answer = progress_of(access, document_id)
    report = request_searchable_pdfs(access=access, document_ids=[document_id])
    reason = report.reasons.get(document_id)
    if reason == NOT_THERE:
        raise DocumentNotFound
    if reason is not None:
        raise Refused(f"Nothing is made: {reason}.")
    return answer


@routes.add("POST", "/documents/{uuid:document_id}/links", capability="documents:read", response={201: Link})
def make_link(request: HttpRequest, document_id: uuid.UUID, wanted: LinkWanted) -> Link:
    """Make an address under which the original can be fetched without signing in, for some seconds.

    It ends with the right of whoever made it, and with their token.
    """
    access = access_of(request)
    view = get_document(access=access, document_id=document_id)
    expires = datetime.now(UTC) + timedelta(seconds=wanted.seconds)
    signed = signing.dumps(
        {
            "tenant": str(access.tenant_id),
            "document": str(view.document.pk),
            "user": str(access.user_id),
            "token": str(access.token_id) if access.token_id else None,
            "until": int(expires.timestamp()),
        },
        salt=_SALT,
        compress=True,
    )
    return Link(url=request.build_absolute_uri(f"/api/links/{signed}"), expires_at=expires)


@routes.add("GET", "/links/{str:signed}", capability=PUBLIC, response=None, extra=_BINARY, headers=OF_FILES)
def follow_link(request: HttpRequest, signed: str) -> HttpResponseBase:
    """Send what a link was made for. One that is not valid any more is as one that never was."""
    try:
        given = signing.loads(signed, salt=_SALT)
    except (signing.BadSignature, ValueError, UnicodeError) as error:
        raise LinkNotValid from error
    if given["until"] <= datetime.now(UTC).timestamp():
        raise LinkNotValid
    tenant_id, user_id = uuid.UUID(given["tenant"]), uuid.UUID(given["user"])
    token_id = uuid.UUID(given["token"]) if given["token"] else None
    with tenant_scope(tenant_id):
        access = member_access(tenant_id, user_id)
        if _READ not in access.capabilities:
            raise LinkNotValid
        if token_id is not None and not token_grants(tenant_id, token_id, _READ):
            raise LinkNotValid
    by = f"token:{token_id}" if token_id else f"user:{user_id}"
    with acting_as(Actor(by, origin=request.META.get("REMOTE_ADDR", ""))):
        try:
            return _send_original(request, access, uuid.UUID(given["document"]), None, inline=False)
        except DocumentNotFound as error:
            raise LinkNotValid from error


def _etag(asset: Asset) -> str:
    return f'"{asset.version_id.hex}-{show_number(asset.tenant_id, asset.job_id)}"'


def _send_original(
    request: HttpRequest,
    access: Access,
    document_id: uuid.UUID,
    version: uuid.UUID | None,
    *,
    inline: bool,
) -> HttpResponseBase:
    opened = open_original(
        access=access,
        document_id=document_id,
        version_id=version,
        trust_seconds=_PARTS_SECONDS if "Range" in request.headers else 0.0,
    )
    return send_file(
        request,
        opened.file,
        size=opened.version.size,
        media_type=opened.version.media_type,
        name=opened.version.filename,
        etag=f'"{opened.version.content_hash}"',
        inline=inline,
    )
