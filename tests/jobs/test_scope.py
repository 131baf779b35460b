"""A setting of the server lasts as long as the transaction or savepoint that it was set for."""

import uuid

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from jobs.scope import all_rows, local_setting, tenant_rows

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "queue", "owner"])


def value_of(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [name])
        return str(cursor.fetchone()[0])


def test_a_setting_ends_with_its_transaction() -> None:
    with local_setting("archiv.tenant_id", "one", using="default"):
        assert value_of("archiv.tenant_id") == "one"
    assert value_of("archiv.tenant_id") == ""


def test_a_setting_within_a_transaction_gives_way_to_the_former_one() -> None:
    with local_setting("archiv.tenant_id", "one", using="default"):
        with local_setting("archiv.tenant_id", "two", using="default"):
            assert value_of("archiv.tenant_id") == "two"
        assert value_of("archiv.tenant_id") == "one"
        with pytest.raises(ZeroDivisionError), local_setting("archiv.tenant_id", "three", using="default"):
            _ = 1 / 0
        assert value_of("archiv.tenant_id") == "one"


def test_a_setting_does_not_outlive_a_savepoint_of_a_transaction_that_had_none() -> None:
    with transaction.atomic():
        with local_setting("archiv.tenant_id", "one", using="default"):
            pass
        assert value_of("archiv.tenant_id") == ""


def test_the_outermost_setting_costs_one_statement_besides_its_transaction() -> None:
    connection.ensure_connection()
    with (
        CaptureQueriesContext(connection) as queries,
        local_setting("archiv.tenant_id", "one", using="default"),
    ):
        pass
    assert [query["sql"].split()[0] for query in queries] == ["BEGIN", "SELECT", "COMMIT"]


@pytest.mark.parametrize("opened", [lambda: tenant_rows(uuid.uuid4()), all_rows])
def test_rows_for_jobs_and_commands_are_opened_outside_of_any_transaction(opened: object) -> None:
    assert callable(opened)
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic(), opened():
        pass
    with opened():
        pass
