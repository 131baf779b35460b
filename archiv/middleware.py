"""Headers on every answer."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

#: Nothing from elsewhere, no inline script or style, no frame. A page that sends a file sets a stricter one.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class ContentSecurityPolicy:
    """Sends the Content-Security-Policy where a view has not set its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer with the policy."""
        response = self._get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
