"""schemathesis again: the calls that change something. See `test_schema`."""

import pytest

from tests.api.peers import ORDER, call_everything, quiet
from tests.api.test_schema import MANY, unhindered

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["unhindered"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_thousands_of_calls_that_change_something_break_nothing() -> None:
    with quiet():
        made, failures = call_everything(MANY, methods=[one for one in ORDER if one != "GET"], bounds=True)
    assert failures == []
    assert made >= MANY
