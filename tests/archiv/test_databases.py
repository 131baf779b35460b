"""Addresses: read, derived, written again."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archiv.databases import Address, derive_address, is_stale_run, parse_address, run_database_name

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
HOSTS = st.sampled_from(["localhost", "10.0.0.1", "::1", "/run/a folder", "a.example,b.example"])


@given(user=TEXT, password=TEXT | st.just(""), database=TEXT, host=HOSTS)
def test_an_address_survives_being_written_as_a_url(
    user: str, password: str, database: str, host: str
) -> None:
    port = "5432,5433" if "," in host else "5432"
    address = Address(user, password, host, port, database, (("sslmode", "prefer"),))
    assert parse_address(address.url(), name="X") == address


def test_the_passwords_are_hkdf_of_the_owners() -> None:
    # Computed apart from this code: HMAC-SHA256 by RFC 5869 with salt "archiv" and the role as info.
    import hashlib
    import hmac

    owner = Address("me", "secret", "host", "5432", "db")
    extracted = hmac.digest(b"archiv", b"secret", hashlib.sha256)
    expected = hmac.digest(extracted, b"x_archiv_app\x01", hashlib.sha256).hex()
    assert derive_address(owner, "x_archiv_app").password == expected
    assert derive_address(owner, "x_archiv_queue").password != expected


def test_without_a_password_of_the_owners_there_is_none() -> None:
    owner = Address("me", "", "/run/postgres", "5432", "db")
    assert derive_address(owner, "archiv_app") == Address("archiv_app", "", "/run/postgres", "5432", "db")


def test_a_password_is_not_shown_where_an_address_is_printed() -> None:
    assert "secret" not in repr(Address("me", "secret", "host", "5432", "db"))


def test_only_databases_of_dead_runs_on_this_machine_are_stale() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    mine = run_database_name("archiv")
    assert not is_stale_run(mine, "archiv")
    dead = mine.replace(f"_{os.getpid()}", f"_{child.pid}")
    assert is_stale_run(dead, "archiv")
    assert is_stale_run(dead + "_gw0", "archiv")
    assert not is_stale_run(dead, "other")
    assert not is_stale_run("archiv", "archiv")


@pytest.mark.parametrize("length", [1, 63])
def test_the_name_of_a_test_database_fits(length: int) -> None:
    assert len(run_database_name("d" * length) + "_gw10") <= 63
