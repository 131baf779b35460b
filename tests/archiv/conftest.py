"""Servers of their own for the tests of the PostgreSQL at hand."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archiv import embedded
from archiv.embedded_place import Place, find_place


@contextmanager
def _open_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="archiv-place-", dir="/tmp")).resolve()
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine can reach, unlike pytest's own."""
    with _open_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def running() -> Iterator[Place]:
    """A place whose server runs, with the prefix `p_`: for tests that leave it running, or start it again."""
    with _open_folder() as folder:
        place = find_place(folder / "a clone" / "var")
        embedded.ensure(place, prefix="p_")
        yield place
        embedded.stop(place)


@pytest.fixture
def stopped_afterwards() -> Iterator[Callable[[Path], Place]]:
    """Find the place of a folder, and stop its server when the test is over."""
    places: list[Place] = []

    def find(var: Path) -> Place:
        places.append(find_place(var))
        return places[-1]

    yield find
    for place in places:
        embedded.stop(place)
        shutil.rmtree(place.home, ignore_errors=True)
        shutil.rmtree(place.run, ignore_errors=True)


@pytest.fixture
def place(open_folder: Path, stopped_afterwards: Callable[[Path], Place]) -> Place:
    """A place whose path has a space, where no server was yet."""
    return stopped_afterwards(open_folder / "a clone" / "var")
