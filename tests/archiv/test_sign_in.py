"""Signing in to the admin: throttled, and ended with the browser."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.db.models import F
from django.test import Client
from django.urls import reverse

from tenants.models import User
from tests.operators import make_operator

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator() -> User:
    user = make_operator(superuser=True)
    user.set_password("right-password-7")
    user.save()
    return user


def sign_in(
    user: User, password: str, *, address: str = "192.0.2.1", language: str = "en"
) -> tuple[int, str]:
    client = Client(headers={"accept-language": language}, REMOTE_ADDR=address)
    form = {"username": user.username, "password": password}
    response = client.post(reverse("admin:login"), form)
    return response.status_code, response.content.decode()


def test_five_wrong_passwords_lock_the_account_for_that_address_for_a_quarter_of_an_hour(
    operator: User,
) -> None:
    for _ in range(4):
        assert sign_in(operator, "wrong")[0] == 200
    status, said = sign_in(operator, "wrong")
    assert status == 429
    assert "Wait 15 minutes" in said
    assert sign_in(operator, "right-password-7")[0] == 429
    assert "Nach 15 Minuten" in sign_in(operator, "right-password-7", language="de")[1]
    assert sign_in(operator, "right-password-7", address="192.0.2.2")[0] == 302
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=16))
    assert sign_in(operator, "right-password-7")[0] == 302


def test_a_right_password_forgives_the_slips_before_it(operator: User) -> None:
    for _ in range(2):
        for _ in range(4):
            sign_in(operator, "wrong")
        assert sign_in(operator, "right-password-7")[0] == 302


def test_the_cookie_of_a_session_goes_with_the_browser_and_to_no_other_site(operator: User) -> None:
    client = Client()
    client.post(reverse("admin:login"), {"username": operator.username, "password": "right-password-7"})
    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert not cookie["expires"]
    assert not cookie["max-age"]


def test_no_password_is_kept_of_a_refused_sign_in(operator: User) -> None:
    sign_in(operator, "a-slip-of-the-right-password")
    stored = AccessAttempt.objects.values().get()
    assert "a-slip-of-the-right-password" not in str(stored)
