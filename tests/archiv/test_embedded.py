"""The life of the PostgreSQL at hand: started once, found by all, recovered, stopped by command."""

import os
import signal
from pathlib import Path
from time import monotonic

import psycopg
import pytest

from archiv import embedded
from archiv.embedded_place import BOOTSTRAP_ROLE, EmbeddedError, Place
from archiv.embedded_tools import server_pid
from tests.archiv.servers import processes_with, query, start_ensuring, wait_for


def test_the_first_call_makes_a_server_and_the_second_finds_it_at_once(running: Place) -> None:
    embedded.ensure(running, prefix="p_")
    pid = server_pid(running)
    begin = monotonic()
    embedded.ensure(running, prefix="p_")
    assert monotonic() - begin < 5
    assert server_pid(running) == pid is not None


def test_the_address_is_the_owners_who_is_no_superuser(running: Place) -> None:
    address = running.owner_address("p_")
    with psycopg.connect(address.url()) as connection:
        row = connection.execute(
            "SELECT current_user, current_database(), rolsuper OR rolbypassrls, rolcreatedb, rolcreaterole"
            " FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    assert row == ("p_archiv_owner", "p_archiv", False, True, False)


def test_the_server_has_no_network_address_and_the_extensions_of_the_search(running: Place) -> None:
    assert query(running, "SHOW listen_addresses") == ""
    wanted = "('pg_trgm', 'unaccent', 'btree_gin')"
    assert query(running, f"SELECT count(*) FROM pg_available_extensions WHERE name IN {wanted}") == 3


def test_nobody_else_may_enter_the_folders(running: Place) -> None:
    for folder in (running.home, running.run, running.data):
        assert folder.stat().st_mode & 0o077 == 0


def test_a_second_prefix_gets_roles_and_a_database_of_its_own(running: Place) -> None:
    embedded.ensure(running, prefix="q_")
    with psycopg.connect(running.owner_address("q_").url()) as connection:
        assert (connection.info.user, connection.info.dbname) == ("q_archiv_owner", "q_archiv")


@pytest.mark.parametrize(
    "content",
    ["", "12", "not a number\n/somewhere\n", f"{os.getpid()}\n/somewhere\n", "999999999\n"],
    ids=["empty", "cut", "nonsense", "of another process", "of nobody"],
)
def test_a_pid_file_that_tells_nothing_true_is_no_obstacle(running: Place, content: str) -> None:
    embedded.ensure(running)
    assert embedded.stop(running)
    (running.data / "postmaster.pid").write_text(content)
    running.socket.with_name(running.socket.name + ".lock").write_text(content)
    assert embedded.status(running).pid is None
    embedded.ensure(running)
    assert embedded.status(running).answers


def test_a_server_whose_pid_file_was_damaged_is_still_found_and_stopped(running: Place) -> None:
    embedded.ensure(running)
    pid = server_pid(running)
    (running.data / "postmaster.pid").write_text("")
    embedded.ensure(running)
    assert server_pid(running) == pid
    assert embedded.stop(running)
    assert processes_with(str(running.data)) == []
    assert not embedded.stop(running)


@pytest.mark.slow
def test_a_server_with_a_process_that_hangs_is_stopped_all_the_same(running: Place) -> None:
    embedded.ensure(running)
    with psycopg.connect(host=str(running.run), user=BOOTSTRAP_ROLE, dbname="postgres") as connection:
        os.kill(connection.info.backend_pid, signal.SIGSTOP)
        assert embedded.stop(running, seconds=0.5)
        connection.close()
    assert server_pid(running) is None
    embedded.ensure(running)
    assert query(running, "SELECT 1") == 1


def test_another_server_at_the_socket_is_refused(running: Place, open_folder: Path) -> None:
    embedded.ensure(running)
    other = Place(open_folder / "other", running.run, running.package, running.account)
    with pytest.raises(EmbeddedError, match="another PostgreSQL answers"):
        embedded.ensure(other)


def test_where_nothing_ever_ran_there_is_nothing_to_stop(place: Place) -> None:
    assert not embedded.stop(place)
    assert embedded.status(place) == embedded.Status(pid=None, answers=False)


@pytest.mark.slow
def test_variables_that_steer_libpq_or_the_locale_do_no_harm(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PGPORT": "1",
        "PGHOST": "192.0.2.1",
        "PGOPTIONS": "-c nonsense=1",
        "PGDATA": "/nowhere",
        "LC_ALL": "xx_XX.UTF-8",
        "LANG": "xx",
    }.items():
        monkeypatch.setenv(name, value)
    embedded.ensure(place)
    assert query(place, "SHOW server_encoding") == "UTF8"


@pytest.mark.slow
def test_data_of_another_major_version_is_refused_with_the_way_out(place: Place) -> None:
    embedded.ensure(place)
    embedded.stop(place)
    (place.data / "PG_VERSION").write_text("12\n")
    with pytest.raises(EmbeddedError, match=r"(?s)of PostgreSQL 12.*pg_dump.*pg_restore"):
        embedded.ensure(place)


@pytest.mark.slow
def test_a_server_that_cannot_start_shows_the_end_of_its_log(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_START_TRIES", 1)
    embedded.ensure(place)
    embedded.stop(place)
    with (place.data / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")
    with pytest.raises(EmbeddedError, match="no_such_setting"):
        embedded.ensure(place)


@pytest.mark.slow
def test_ten_first_starts_at_once_give_one_server(place: Place) -> None:
    var = place.home.parent
    starts = [start_ensuring(var) for _ in range(10)]
    assert [start.wait(60) for start in starts] == [0] * 10
    assert len(processes_with(str(place.data))) == 1
    assert list(place.home.glob("data.draft-*")) == []


@pytest.mark.slow
@pytest.mark.parametrize("with_its_initdb", [True, False])
def test_a_start_killed_in_initdb_leaves_nothing_that_matters(place: Place, with_its_initdb: bool) -> None:
    start = start_ensuring(place.home.parent)
    draft = place.home / f"data.draft-{start.pid}"
    wait_for((draft / "PG_VERSION").exists)
    start.kill()
    start.wait()
    if with_its_initdb:
        for pid in processes_with(str(draft)):
            os.kill(pid, signal.SIGKILL)
    assert not place.data.exists()
    embedded.ensure(place)
    assert query(place, "SELECT 1") == 1


@pytest.mark.slow
def test_a_start_killed_while_the_server_comes_up_gives_one_server(place: Place) -> None:
    embedded.ensure(place)
    embedded.stop(place)
    start = start_ensuring(place.home.parent)
    wait_for(lambda: processes_with(str(place.data)))
    start.kill()
    start.wait()
    embedded.ensure(place)
    assert len(processes_with(str(place.data))) == 1
    assert query(place, "SELECT 1") == 1


@pytest.mark.slow
def test_a_killed_server_comes_back_with_what_was_committed(place: Place) -> None:
    embedded.ensure(place)
    query(place, "CREATE TABLE kept AS SELECT 7 AS number")
    for _ in range(3):
        pid = server_pid(place)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        begin = monotonic()
        embedded.ensure(place)
        assert monotonic() - begin < 15
        assert query(place, "SELECT number FROM kept") == 7


@pytest.mark.slow
def test_roles_that_a_killed_start_did_not_make_are_made_by_the_next(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(embedded, "_make_roles", die)
        with pytest.raises(KeyboardInterrupt):
            embedded.ensure(place)
    embedded.ensure(place)
    with psycopg.connect(place.owner_address("").url()) as connection:
        assert connection.info.user == "archiv_owner"


@pytest.mark.slow
def test_the_server_outlives_the_terminal_of_who_started_it(place: Place) -> None:
    start = start_ensuring(place.home.parent)
    assert start.wait(60) == 0
    pid = server_pid(place)
    assert pid is not None
    assert os.getsid(pid) not in {os.getsid(0), start.pid}
