"""Numbers of jobs as a tenant sees them, and as operators find them again.

The database counts the jobs of all tenants: two of its numbers would tell how many others had in between.
What the API shows is a permutation of them, another one for each tenant, from which nothing can be counted.
"""

import uuid

from django.utils.crypto import salted_hmac

_HALF = 26
#: The largest number; JSON's readers take whole numbers of 53 bits at most.
MOST = 1 << (2 * _HALF)
_ROUNDS = 8


def show_number(tenant_id: uuid.UUID, job_id: int) -> int:
    """Return the number under which a tenant knows a job, from 1 on. It changes with the secret key."""
    left, right = divmod(job_id - 1, 1 << _HALF)
    for turn in range(_ROUNDS):
        left, right = right, left ^ _mix(tenant_id, turn, right)
    return (left << _HALF) + right + 1


def read_number(tenant_id: uuid.UUID, number: int) -> int:
    """Return the id of the job that a tenant knows under this number, which need not be there."""
    left, right = divmod(number - 1, 1 << _HALF)
    for turn in reversed(range(_ROUNDS)):
        left, right = right ^ _mix(tenant_id, turn, left), left
    return (left << _HALF) + right + 1


def _mix(tenant_id: uuid.UUID, turn: int, half: int) -> int:
    digest = salted_hmac("archiv.api.job_numbers", f"{tenant_id} {turn} {half}", algorithm="sha256").digest()
    return int.from_bytes(digest[:4]) >> (32 - _HALF)
