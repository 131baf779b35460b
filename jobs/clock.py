"""The database's clock: the only one that counts where times are compared with what is stored."""

from datetime import datetime

from django.db import connections


def database_now() -> datetime:
    """Return the time at the database: within one transaction it goes on."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
