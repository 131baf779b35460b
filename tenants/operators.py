"""Who acts on a page of the admin."""

from django.http import HttpRequest

from tenants.audit import Actor


def request_actor(request: HttpRequest) -> Actor:
    """Return the signed-in operator, and the address from which the request came."""
    return Actor(f"user:{request.user.pk}", str(request.META.get("REMOTE_ADDR", "")))
