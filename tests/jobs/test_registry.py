"""Which types of job there are."""

import pytest

from jobs import registry
from jobs.errors import DuplicateJobType, RetiredJobType, UnknownJobType
from jobs.models import Lane
from jobs.registry import JobContext, get_job_type, handler, job_types, register_template, retired_types


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo registrations."""
    registry.autodiscover()
    monkeypatch.setattr(registry, "_TYPES", dict(registry._TYPES))
    monkeypatch.setattr(registry, "_TEMPLATES", dict(registry._TEMPLATES))


def first(context: JobContext) -> None:
    """A handler."""


def second(context: JobContext) -> None:
    """Another."""


def test_a_registered_handler_is_found_by_its_type() -> None:
    handler("make-tea", timeout=3, lane=Lane.BULK, max_retries=1)(first)
    found = get_job_type("make-tea")
    assert (found.run, found.timeout, found.lane, found.max_retries) == (first, 3, Lane.BULK, 1)
    assert "make-tea" in job_types()


def test_two_handlers_of_one_type_are_refused() -> None:
    handler("make-tea", timeout=3)(first)
    with pytest.raises(DuplicateJobType, match=r"first.*second"):
        handler("make-tea", timeout=3)(second)


def test_an_unknown_type_is_named_beside_the_known_ones() -> None:
    with pytest.raises(UnknownJobType, match=r"'make-coffee'.*probe"):
        get_job_type("make-coffee")


@pytest.mark.parametrize("name", ["generate-thumbnails", "generate-ocr-text"])
def test_a_retired_type_names_its_successor_and_is_not_used_again(name: str) -> None:
    with pytest.raises(RetiredJobType, match="analyze-document"):
        get_job_type(name)
    assert "analyze-document" in retired_types()[name]
    with pytest.raises(DuplicateJobType):
        handler(name, timeout=3)(first)


@pytest.mark.parametrize("name", ["", "Make-Tea", "make tea", "-tea", "x" * 65])
def test_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name for a job type"):
        handler(name, timeout=3)


def test_a_type_needs_a_time_and_no_waiting_lane() -> None:
    with pytest.raises(ValueError, match="timeout"):
        handler("make-tea", timeout=0)
    with pytest.raises(ValueError, match="later"):
        handler("make-tea", timeout=1, lane=Lane.LATER)


def test_one_name_of_a_template_means_one_module() -> None:
    register_template("kettle", "kitchen.kettle")
    register_template("kettle", "kitchen.kettle")
    with pytest.raises(DuplicateJobType):
        register_template("kettle", "kitchen.stove")
