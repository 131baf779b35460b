"""Signing in and out with a name and a password, for people; machines have tokens."""

from django.contrib.auth import authenticate, login, logout
from django.http import HttpRequest
from django.middleware.csrf import get_token

from archiv.api.callers import SESSION_TENANT, find_memberships
from archiv.api.errors import NotSignedIn, TooManyRequests
from archiv.api.routes import PUBLIC, SIGNED_IN, Routes
from archiv.api.tenant_schemas import Session, SignIn

routes = Routes("sessions")

_WRONG = "The name, the password or the tenant is wrong."
#: What axes says on a request whose account waits after too many wrong passwords.
_LOCKED = "axes_locked_out"
_LOCKED_SECONDS = 900


@routes.add("POST", "/session", capability=PUBLIC, response={201: Session})
def sign_in(request: HttpRequest, given: SignIn) -> Session:
    """Begin a session, in the tenant named or the first one of the member. Throttled as the admin is."""
    user = authenticate(request, username=given.username, password=given.password)
    if getattr(request, _LOCKED, False):
        setattr(request, _LOCKED, False)  # else its middleware answers with a page
        raise TooManyRequests("Too many wrong passwords: wait a quarter of an hour.", seconds=_LOCKED_SECONDS)
    if user is None:
        raise NotSignedIn(_WRONG)
    tenants = [tenant_id for tenant_id, _ in find_memberships(user.pk)]
    chosen = given.tenant_id or (tenants[0] if tenants else None)
    if chosen is None or chosen not in tenants:
        raise NotSignedIn(_WRONG)
    login(request, user)
    request.session[SESSION_TENANT] = str(chosen)
    return Session(csrf_token=get_token(request), tenant_id=chosen)


@routes.add("DELETE", "/session", capability=SIGNED_IN, response={204: None})
def sign_out(request: HttpRequest) -> None:
    """End the session."""
    logout(request)
