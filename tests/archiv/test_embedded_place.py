"""Where the PostgreSQL at hand lives: by the folder, the user, and who can reach what."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from archiv import embedded, embedded_place
from archiv.embedded_elsewhere import is_of_this_clone
from archiv.embedded_place import EmbeddedError, Place, find_place, make_shared_folder
from archiv.embedded_tools import server_pid
from tests.archiv.servers import PROJECT, query

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for its server")


@pytest.fixture
def elsewhere(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands for /var/lib/archiv."""
    folder = open_folder / "lib"
    monkeypatch.setattr(embedded_place, "_ELSEWHERE", folder)
    return folder


@pytest.fixture
def closed(open_folder: Path) -> Path:
    """A home of mode 0700 that only its owner passes."""
    folder = open_folder / "home"
    folder.mkdir(mode=0o700)
    return folder


def test_importing_and_computing_start_nothing(open_folder: Path) -> None:
    code = (
        "import sys, pathlib, archiv.embedded, archiv.embedded_place as place;"
        "place.find_place(pathlib.Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(open_folder / "var")], cwd=PROJECT, check=True)
    assert list(open_folder.iterdir()) == []


def test_the_place_follows_from_the_folder_alone(open_folder: Path) -> None:
    var = open_folder / "var"
    assert find_place(var) == find_place(var)
    assert find_place(var).home == var / "postgres"
    folder = quote(str(var / "postgres" / "run"), safe="")
    address = find_place(var).owner_address("x_").url()
    assert address == f"postgres://x_archiv_owner@/x_archiv?host={folder}&port=5432"


@pytest.mark.slow
def test_a_path_too_long_for_a_socket_gets_a_short_one(
    open_folder: Path, stopped_afterwards: Callable[[Path], Place]
) -> None:
    place = stopped_afterwards(open_folder / ("long" * 25) / "var")
    assert len(os.fsencode(place.socket)) <= 100
    assert place.run.parent == Path("/tmp")
    embedded.ensure(place)
    assert query(place, "SELECT 1") == 1
    assert place.run.stat().st_mode & 0o077 == 0


def test_the_short_path_is_not_taken_from_another_user(open_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make the folder of another user")
    place = find_place(open_folder / ("else" * 25) / "var")
    place.run.mkdir(mode=0o777)
    os.chown(place.run, 54321, 54321)
    try:
        with pytest.raises(EmbeddedError, match="belongs to another user"):
            embedded.ensure(place)
    finally:
        place.run.rmdir()


def test_folders_on_the_way_are_passable_whatever_the_umask(open_folder: Path) -> None:
    before = os.umask(0o077)
    try:
        make_shared_folder(open_folder / "a" / "b")
    finally:
        os.umask(before)
    assert (open_folder / "a").stat().st_mode & 0o777 == 0o755
    assert (open_folder / "a" / "b").stat().st_mode & 0o777 == 0o755


@only_root
def test_root_has_the_server_run_by_another_user(running: Place) -> None:
    pid = server_pid(running)
    assert running.account is not None
    assert Path(f"/proc/{pid}").stat().st_uid == running.account.uid != 0


@only_root
@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_who_owns_the_data_goes_on_to_run_the_server(
    open_folder: Path, elsewhere: Path, is_elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_folder / "var" / "postgres"
    if is_elsewhere:
        with monkeypatch.context() as patch:
            patch.setattr(embedded_place, "_reaches", lambda account, path: False)
            home = find_place(open_folder / "var").home
    (home / "data").mkdir(parents=True)
    os.chown(home / "data", 54321, 54321)
    account = find_place(open_folder / "var").account
    assert account is not None
    assert account.uid == 54321


@pytest.mark.slow
@only_root
def test_under_a_closed_home_binaries_and_data_go_elsewhere(
    closed: Path,
    elsewhere: Path,
    stopped_afterwards: Callable[[Path], Place],
    capfd: pytest.CaptureFixture[str],
) -> None:
    place = stopped_afterwards(closed / "clone" / "var")
    assert place.home.parent == elsewhere
    embedded.ensure(place)
    assert query(place, "SELECT 1") == 1
    assert str(place.binaries).startswith(str(elsewhere))
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert str(place.home) in said
    assert find_place(closed / "clone" / "var") == place
    embedded.ensure(place)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@only_root
def test_a_package_installed_under_a_strict_umask_is_copied_too(
    open_folder: Path,
    elsewhere: Path,
    monkeypatch: pytest.MonkeyPatch,
    stopped_afterwards: Callable[[Path], Place],
) -> None:
    package = embedded_place._package()
    closed_package = open_folder / "site" / package.name
    shutil.copytree(package, closed_package)
    shutil.copytree(
        package.with_name(package.name + ".libs"), closed_package.with_name(package.name + ".libs")
    )
    (closed_package / "pginstall" / "share").chmod(0o700)
    monkeypatch.setattr(embedded_place, "_package", lambda: closed_package)
    place = stopped_afterwards(open_folder / "var")
    assert place.home.parent == elsewhere
    embedded.ensure(place)
    assert query(place, "SELECT 1") == 1


@pytest.mark.slow
@only_root
def test_a_new_clone_at_the_same_path_does_not_meet_the_data_of_the_old(
    closed: Path,
    elsewhere: Path,
    stopped_afterwards: Callable[[Path], Place],
    capfd: pytest.CaptureFixture[str],
) -> None:
    var = closed / "clone" / "var"
    place = stopped_afterwards(var)
    embedded.ensure(place)
    query(place, "CREATE TABLE of_the_old_clone ()")
    shutil.rmtree(closed / "clone")
    assert not is_of_this_clone(place, var / "postgres")
    embedded.ensure(find_place(var))
    assert query(place, "SELECT to_regclass('of_the_old_clone') IS NULL") is True
    assert len(list(place.home.glob("data.earlier-*"))) == 1
    assert "set aside" in capfd.readouterr().err


@pytest.mark.slow
@only_root
def test_data_that_became_unreachable_is_not_replaced_by_an_empty_database(
    closed: Path, elsewhere: Path, stopped_afterwards: Callable[[Path], Place]
) -> None:
    closed.chmod(0o755)
    place = stopped_afterwards(closed / "var")
    embedded.ensure(place)
    embedded.stop(place)
    closed.chmod(0o700)
    with pytest.raises(EmbeddedError, match="no way there any more"):
        find_place(closed / "var")
    closed.chmod(0o755)


@pytest.mark.slow
@only_root
def test_data_elsewhere_stays_in_use_when_the_home_is_opened(
    closed: Path, elsewhere: Path, stopped_afterwards: Callable[[Path], Place]
) -> None:
    place = stopped_afterwards(closed / "var")
    embedded.ensure(place)
    closed.chmod(0o755)
    assert find_place(closed / "var") == place


def test_without_the_package_the_message_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmbeddedError, match="bin/setup"):
        find_place(Path("/nowhere/var"))


def test_a_folder_of_another_user_is_refused_with_that_users_id(place: Place) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make the folder of another user")
    place.home.parent.mkdir(parents=True)
    place.home.mkdir()
    os.chown(place.home, 54321, 54321)
    with pytest.raises(EmbeddedError, match="54321"):
        embedded.ensure(replace(place))
