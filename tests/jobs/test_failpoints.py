"""Breaking processes on purpose, and never in production."""

import pytest
from pytest_django import Settings

from jobs import checks, failpoints
from jobs.failpoints import Armed, FailpointMisnamed, FailpointReached, failpoint, parse_failpoint


@pytest.fixture(autouse=True)
def fresh() -> None:
    failpoints._armed.cache_clear()
    failpoints._PASSES[:8] = bytes(8)


@pytest.mark.parametrize("text", ["job.started:raise", "job.started:raise:2"])
def test_an_armed_failpoint_acts_and_others_do_not(settings: Settings, text: str) -> None:
    settings.ARCHIV_FAILPOINT = text
    failpoint("job.body")
    with pytest.raises(FailpointReached):
        failpoint("job.started")


def test_a_count_limits_how_often_it_acts(settings: Settings) -> None:
    settings.ARCHIV_FAILPOINT = "job.started:raise:1"
    with pytest.raises(FailpointReached):
        failpoint("job.started")
    failpoint("job.started")


def test_outside_of_tests_nothing_acts(settings: Settings) -> None:
    settings.ARCHIV_FAILPOINT, settings.DEBUG, settings.ARCHIV_PROBE = "job.started:kill", False, False
    failpoint("job.started")


def test_what_arms_is_name_action_and_count() -> None:
    assert parse_failpoint("store.moved:kill") == Armed("store.moved", "kill", None)
    assert parse_failpoint("wipe.rows:stop:3") == Armed("wipe.rows", "stop", 3)
    assert parse_failpoint("") is None


@pytest.mark.parametrize(
    "text", ["store.nowhere:kill", "job.started", "job.started:explode", "job.body:kill:x"]
)
def test_places_and_actions_that_do_not_exist_are_refused(text: str) -> None:
    with pytest.raises(FailpointMisnamed):
        parse_failpoint(text)


def test_a_check_refuses_failpoints_in_production(settings: Settings) -> None:
    settings.ARCHIV_FAILPOINT, settings.DEBUG, settings.ARCHIV_PROBE = "job.started:kill", False, False
    assert [message.id for message in checks.failpoint_is_for_tests()] == ["jobs.E001"]


def test_a_check_names_failpoints_that_do_not_exist(settings: Settings) -> None:
    settings.ARCHIV_FAILPOINT = "job.nowhere:kill"
    assert [message.id for message in checks.failpoint_is_for_tests()] == ["jobs.E002"]
    settings.ARCHIV_FAILPOINT = ""
    assert checks.failpoint_is_for_tests() == []


def test_a_check_warns_of_a_slow_reaper(settings: Settings) -> None:
    settings.ARCHIV_LEASE_SECONDS, settings.ARCHIV_REAPER_SECONDS = 5.0, 6.0
    assert [message.id for message in checks.reaper_is_quick_enough()] == ["jobs.W001"]
    settings.ARCHIV_REAPER_SECONDS = 5.0
    assert checks.reaper_is_quick_enough() == []
