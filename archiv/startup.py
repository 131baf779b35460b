"""What a process of the site makes sure of before it serves."""

from django.core.checks import ERROR, Tags, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections


def refuse_unbound_roles() -> None:
    """Raise ImproperlyConfigured when the site would sign in as a role that sees every tenant by itself.

    A database that is away at this moment is no reason not to start: `/readyz` says so until it is back.
    """
    try:
        found = run_checks(tags=[Tags.database], databases=["default"])
    except DatabaseError:
        return
    finally:
        connections.close_all()
    errors = [f"{message.msg} {message.hint}" for message in found if message.level >= ERROR]
    if errors:
        raise ImproperlyConfigured(" ".join(errors))
