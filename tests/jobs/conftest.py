"""The queue's tables with real commits and real roles, emptied afterwards."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.jobs.bench import Bench, open_bench


@pytest.fixture
def bench(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Bench]:
    """What tests of the verbs work with: tenants, jobs, and workers with connections of their own."""
    with open_bench(django_db_blocker) as opened:
        yield opened
