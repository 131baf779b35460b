"""Living with others who lock the same rows: what PostgreSQL ends to break a deadlock is done again."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connections, transaction
from psycopg import errors

_Result = TypeVar("_Result")
_TRIES = 5


def outlive_deadlocks(work: Callable[[], _Result]) -> _Result:
    """Do `work` in a savepoint, and again if it was ended because it and another waited for each other.

    Jobs are locked in order of their ids, their places in unique indexes are taken in order of documents; no
    order serves both, so two who touch the same jobs may meet. Rolling back lets go what `work` had locked,
    and the other goes on. `work` is to be the first thing of its transaction that locks jobs: what was
    locked before stays. Raises OperationalError when it was ended five times.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            with transaction.atomic(), connections["default"].wrap_database_errors:
                return work()
        except OperationalError as error:
            if attempt == _TRIES or not isinstance(error.__cause__, errors.DeadlockDetected):
                raise
    raise AssertionError("the last try returns or raises")
