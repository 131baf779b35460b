"""Sending files: by ranges, under their names, and so that no browser runs what is in them."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

_CHUNK = 1 << 16
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
#: Types that browsers show without running anything; others are always saved.
_SHOWN = frozenset({"application/pdf", "image/jpeg", "image/png", "image/webp", "image/gif", "text/plain"})
POLICY = "default-src 'none'; sandbox"


def send_file(
    request: HttpRequest,
    file: BinaryIO,
    *,
    size: int,
    media_type: str,
    name: str,
    etag: str,
    inline: bool = False,
) -> HttpResponseBase:
    """Return an open file, or the range of it that was asked for; it is closed when it was sent."""
    shown = inline and media_type in _SHOWN
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Content-Disposition": content_disposition_header(not shown, name) or "attachment",
        "Content-Security-Policy": POLICY,
        "Content-Type": f"{media_type}; charset=utf-8" if media_type == "text/plain" else media_type,
        "Cross-Origin-Resource-Policy": "same-origin",
        "ETag": etag,
        "X-Content-Type-Options": "nosniff",
    }
    if etag in [part.strip() for part in request.headers.get("If-None-Match", "").split(",")]:
        file.close()
        return HttpResponse(status=304, headers={"ETag": etag, "Cache-Control": headers["Cache-Control"]})
    wanted = _wanted(request, size, etag)
    if wanted is None:
        first, last, status = 0, size - 1, 200
    elif wanted[0] > wanted[1]:
        file.close()
        return HttpResponse(
            status=416, headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"}
        )
    else:
        (first, last), status = wanted, 206
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    headers["Content-Length"] = str(last - first + 1)
    response = StreamingHttpResponse(_read(file, first, last - first + 1), status=status, headers=headers)
    response._resource_closers.append(file.close)  # type: ignore[attr-defined]  # noqa: SLF001  as FileResponse does
    return response


def _wanted(request: HttpRequest, size: int, etag: str) -> tuple[int, int] | None:
    """Return the one range that was asked for; None for the whole, first > last for one that is not there."""
    found = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if found is None or request.headers.get("If-Range", etag) != etag:
        return None  # several ranges, or another unit: the whole is always an answer
    first, last = found.groups()
    if not first and not last:
        return None
    if not first:
        return (max(0, size - int(last)), size - 1) if int(last) else (1, 0)
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        return 1, 0
    return int(first), min(int(last) if last else size - 1, size - 1)


def _read(file: BinaryIO, first: int, length: int) -> Iterator[bytes]:
    file.seek(first)
    while length > 0 and (chunk := file.read(min(_CHUNK, length))):
        length -= len(chunk)
        yield chunk
