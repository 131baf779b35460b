"""Breaking processes on purpose, and never in production."""

import os
import subprocess
import sys

import pytest
from pytest_django import Settings

from jobs import checks, failpoints
from jobs.failpoints import Armed, FailpointMisnamed, FailpointReached, failpoint, parse_failpoint
from tests.processes.workers import PROJECT

#: Processes that pass one failpoint again and again at the same time; says how often it broke one of them.
AT_ONCE = """
import os, django
django.setup()
from jobs.failpoints import FailpointReached, failpoint
answers, answer = os.pipe()
for _ in range(4):
    if not os.fork():
        reached = 0
        for _ in range(4000):
            try:
                failpoint("job.started")
            except FailpointReached:
                reached += 1
        os.write(answer, f"{reached} ".encode())
        os._exit(0)
for _ in range(4):
    os.wait()
print(sum(map(int, os.read(answers, 1000).split())))
"""


@pytest.fixture(autouse=True)
def fresh() -> None:
    failpoints._armed.cache_clear()
    os.ftruncate(failpoints._PASSES, 0)


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


def test_of_processes_that_pass_at_the_same_moment_only_so_many_are_broken() -> None:
    environment = {
        "DJANGO_SETTINGS_MODULE": "archiv.test_settings",
        "ARCHIV_FAILPOINT": "job.started:raise:10000",
    }
    answer = subprocess.run(
        [sys.executable, "-c", AT_ONCE],
        cwd=PROJECT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert answer.stdout == "10000\n"


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
