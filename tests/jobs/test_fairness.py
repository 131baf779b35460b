"""Whose turn it is: single choices, and simulations of whole queues."""

import math
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.fairness import FairShare, Grant, Terms
from tests.jobs.simulation import Simulation, Tenant, jain

NORMAL, BULK = 1, 2
MANY = 10**9


def always(seconds: float) -> Callable[[], float]:
    return lambda: seconds


def between(low: float, high: float, seed: int) -> Callable[[], float]:
    dice = random.Random(seed)
    return lambda: dice.uniform(low, high)


def sharing(*tenants: str, slots: int = 4, lanes: tuple[int, ...] = (NORMAL,)) -> FairShare:
    share = FairShare(slots=slots)
    for tenant in tenants:
        for lane in lanes:
            share.wake(tenant, lane)
    return share


def granted(grants: list[Grant]) -> dict[str, int]:
    return {grant.tenant_id: grant.jobs for grant in grants}


def teach(share: FairShare, tenant: str, seconds: float) -> None:
    """Let a tenant run one job that takes so long."""
    share.start(-1, tenant, "probe", now=0)
    share.end(-1, seconds=seconds)


# --- One choice


def test_tenants_of_which_nothing_is_known_get_one_each() -> None:
    assert granted(sharing("a", "b", "c").choose(3, now=0)) == {"a": 1, "b": 1, "c": 1}


def test_one_tenant_alone_gets_every_slot() -> None:
    share = sharing("a", slots=8)
    teach(share, "a", 60)
    assert granted(share.choose(8, now=0)) == {"a": 8}


def test_whoever_used_less_is_next() -> None:
    share = sharing("a", "b")
    teach(share, "a", 5)
    teach(share, "b", 1)
    assert [granted(share.choose(1, now=0)) for _ in range(3)] == [{"b": 1}] * 3


def test_a_choice_that_is_not_taken_costs_nothing() -> None:
    share = sharing("a")
    before = share.account_of("a")
    share.choose(4, now=0)
    assert share.account_of("a") == before


def test_long_jobs_leave_one_slot_while_others_are_due() -> None:
    share = sharing("a", "b", slots=4)
    teach(share, "a", 10)
    teach(share, "b", 1000)
    assert granted(share.choose(4, now=0)) == {"a": 3, "b": 1}
    share.rest("b", NORMAL)
    assert granted(share.choose(4, now=0)) == {"a": 4}


def test_a_weight_that_gives_more_than_all_but_one_slot_is_honoured() -> None:
    share = sharing("a", "b", slots=2)
    share.set_terms({"a": Terms(weight=3)})
    teach(share, "a", 10)
    teach(share, "b", 1000)
    assert granted(share.choose(2, now=0)) == {"a": 2}


def test_nobody_gets_more_than_their_cap() -> None:
    share = sharing("a", "b", slots=10)
    share.set_terms({"a": Terms(most=2)})
    assert granted(share.choose(10, now=0)) == {"a": 2, "b": 8}
    share.start(1, "a", "probe", now=0)
    assert granted(share.choose(3, now=0)) == {"a": 1, "b": 2}


def test_bulk_gets_one_in_five_while_normal_has_work() -> None:
    share = sharing("a", lanes=(NORMAL, BULK))
    lanes: Counter[int] = Counter()
    for _ in range(100):
        lanes.update(grant.lane for grant in share.choose(1, now=0))
    assert lanes == {NORMAL: 80, BULK: 20}


def test_bulk_alone_is_not_held_back() -> None:
    assert [grant.lane for grant in sharing("a", lanes=(BULK,)).choose(1, now=0)] == [BULK]


def test_small_jobs_share_a_child_and_long_ones_do_not() -> None:
    share = sharing("small", slots=2)
    teach(share, "small", 0.001)
    assert granted(share.choose(2, now=0)) == {"small": 32}
    share = sharing("middle", slots=2)
    teach(share, "middle", 0.005)
    assert granted(share.choose(2, now=0)) == {"middle": 8}
    share = sharing("long", slots=2)
    teach(share, "long", 0.5)
    assert granted(share.choose(2, now=0)) == {"long": 2}


def test_idling_saves_no_credit() -> None:
    share = sharing("busy")
    share.wake("idle", NORMAL)
    share.rest("idle", NORMAL)
    for _ in range(10):
        share.choose(1, now=0)
        teach(share, "busy", 10)
    share.wake("idle", NORMAL)
    assert share.account_of("idle") >= share.clock > 50


def test_debts_stay_when_a_queue_runs_empty() -> None:
    share = sharing("a", "b")
    teach(share, "a", 100)
    share.rest("a", NORMAL)
    share.wake("a", NORMAL)
    assert share.account_of("a") == 100
    assert granted(share.choose(1, now=0)) == {"b": 1}


def test_an_attempt_is_charged_at_its_start_and_corrected_at_its_end() -> None:
    share = sharing("a")
    teach(share, "a", 10)
    share.start(1, "a", "probe", now=0)
    assert share.account_of("a") == 20
    share.end(1, seconds=2)
    assert share.account_of("a") == 12


def test_what_runs_longer_than_estimated_is_charged_while_it_runs() -> None:
    share = sharing("a", "b")
    share.start(1, "a", "probe", now=0)
    share.choose(1, now=50)
    assert share.account_of("a") == pytest.approx(50)
    share.end(1, seconds=60)
    assert share.account_of("a") == pytest.approx(60)


def test_an_end_that_is_reported_twice_is_charged_once() -> None:
    share = sharing("a")
    share.start(1, "a", "probe", now=0)
    share.end(1, seconds=5)
    share.end(1, seconds=5)
    assert share.account_of("a") == 5


def test_tenants_that_are_gone_are_forgotten() -> None:
    share = FairShare(slots=1)
    for number in range(5000):
        share.wake(str(number), NORMAL)
        share.rest(str(number), NORMAL)
    assert len(share._accounts) < 2000


@given(
    jobs=st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 8), min_size=1),
    slots=st.integers(1, 8),
)
def test_no_slot_idles_while_something_is_due(jobs: dict[str, int], slots: int) -> None:
    simulation = Simulation(
        [Tenant(name, always(1.0), backlog) for name, backlog in jobs.items()], slots=slots
    )
    simulation.run(math.ceil(sum(jobs.values()) / slots))
    assert sum(tenant.done for tenant in simulation.tenants.values()) == sum(jobs.values())


# --- Whole queues


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("slots", [1, 4, 64])
@pytest.mark.parametrize("tenants", [2, 100])
def test_backlogged_tenants_share_time_by_weight_whatever_their_jobs_take(
    tenants: int, slots: int, workers: int
) -> None:
    crowd = [
        Tenant(f"t{n}", between(0.2, 0.5 + n % 7 / 2, n), MANY, weight=1 + n % 3, type=f"k{n % 5}")
        for n in range(tenants)
    ]
    simulation = Simulation(crowd, slots=slots, workers=workers)
    # Long enough that one job more or less is little.
    simulation.run((400 if tenants == 2 else 100) * tenants / (slots * workers))
    assert jain(tenant.used / tenant.weight for tenant in crowd) >= 0.99


def least_jain(*, workers: int, longest: float, seconds: float) -> float:
    """Return the bound of docs/architecture.md for tenants that have had so many seconds each."""
    return 1 / (1 + (workers * longest / (2 * seconds)) ** 2)


@pytest.mark.parametrize("slots", [1, 4, 64])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_however_many_workers_there_are_time_is_shared_within_the_bound(workers: int, slots: int) -> None:
    for seconds in (15, 5 * 3 * workers):
        crowd = [Tenant(f"t{n}", always(1.0 + n % 3), MANY) for n in range(300)]
        simulation = Simulation(crowd, slots=slots, workers=workers)
        simulation.run(seconds * len(crowd) / (slots * workers))
        found = jain(tenant.used for tenant in crowd)
        assert found >= least_jain(workers=workers, longest=3.0, seconds=seconds)
    assert found >= 0.99


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("workers", "seconds"), [(1, 20), (4, 12)])
def test_a_hundred_thousand_tenants_share_time_alike(workers: int, seconds: float) -> None:
    crowd = [Tenant(f"t{n}", always(1.0 + n % 3), MANY) for n in range(100_000)]
    simulation = Simulation(crowd, slots=64, workers=workers)
    simulation.run(seconds * len(crowd) / (64 * workers))
    found = jain(tenant.used for tenant in crowd)
    assert found >= least_jain(workers=workers, longest=3.0, seconds=seconds)
    assert found >= (0.99 if workers == 1 else 0.95)


@pytest.mark.parametrize(("slots", "weights"), [(2, (1, 1)), (2, (3, 1)), (4, (3, 1)), (8, (5, 2))])
def test_two_backlogged_tenants_get_what_their_weights_say_within_one_percent(
    slots: int, weights: tuple[int, int]
) -> None:
    pair = [
        Tenant("a", between(0.5, 1.5, 1), MANY, weight=weights[0]),
        Tenant("b", between(5, 15, 2), MANY, weight=weights[1]),
    ]
    Simulation(pair, slots=slots).run(8_000)
    share = pair[0].used / (pair[0].used + pair[1].used)
    assert share == pytest.approx(weights[0] / sum(weights), rel=0.01)


def longest_wait(ahead: int, slots: int, longest: float) -> float:
    """Return the bound of docs/architecture.md for so many starts that come first."""
    return math.ceil((ahead + 1) / slots) * longest


@pytest.mark.parametrize("slots", [1, 2, 16, 64])
@pytest.mark.parametrize("heavy", [1, 100])
def test_a_light_tenant_waits_within_the_bound_whatever_the_backlog(heavy: int, slots: int) -> None:
    crowd = [Tenant(f"h{n}", always(2.0), MANY) for n in range(heavy)]
    light = Tenant("light", always(0.01))
    simulation = Simulation([*crowd, light], slots=slots)
    # Those that came before it have each had their first turn.
    dice, start = random.Random(7), 10 + 2.0 * heavy / slots
    for n in range(100):
        simulation.arrive(light, start + 10 * n + dice.uniform(0, 5))
    simulation.run(start + 1100)
    assert len(light.waits) == 100
    # Below its share nobody is ahead of it: one heavy job at most until a slot is free.
    assert max(light.waits) <= longest_wait(0, slots, 2.0) + 1e-6


def test_a_light_tenant_never_waits_for_the_end_of_a_round_of_the_others() -> None:
    crowd = [Tenant(f"h{n}", between(0.2, 0.22, n), MANY) for n in range(100)]
    light = Tenant("light", always(0.05))
    simulation = Simulation([*crowd, light], slots=2)
    for n in range(100):
        simulation.arrive(light, 30 + 5 * n)
    simulation.run(540)
    assert len(light.waits) == 100
    # Taken for somebody who still waits, it waited for 2.9 s.
    assert max(light.waits) <= longest_wait(0, 2, 0.22) + 1e-6


def test_a_tenant_with_debts_waits_for_those_below_it_and_no_longer() -> None:
    crowd = [Tenant(f"h{n}", always(1.0), MANY) for n in range(10)]
    late = Tenant("late", always(5.0))
    simulation = Simulation([*crowd, late], slots=1)
    simulation.arrive(late, 100)
    simulation.arrive(late, 106)
    simulation.run(300)
    share = simulation.workers[0].share
    assert share.account_of("late") > 0
    assert late.waits[0] <= longest_wait(10, 1, 1.0)
    # It used 5 s and wants 5 more; of ten others each may start ten times until then.
    assert late.waits[1] <= longest_wait(10 * 10, 1, 1.0)


# --- Adversaries


def test_nobody_starves_behind_an_endless_stream_of_new_tenants_with_one_job_each() -> None:
    steady = Tenant("steady", always(1.0), MANY)
    simulation = Simulation([steady], slots=2)
    for n in range(2000):
        simulation.arrive(Tenant(f"new{n}", always(1.0)), n * 0.5)
    simulation.run(1000)
    # The newcomers alone would fill every slot: served first, they would leave it nothing.
    assert steady.done >= 40


def test_very_long_jobs_do_not_keep_others_waiting_for_more_than_one_of_them() -> None:
    long, short = Tenant("long", always(600.0), MANY), Tenant("short", always(0.5))
    simulation = Simulation([long, short], slots=2)
    for n in range(200):
        simulation.arrive(short, 700 + n * 30)
    simulation.run(8000)
    assert len(short.waits) == 200
    assert max(short.waits) <= 600


def test_jobs_that_always_fail_are_charged_for_every_attempt() -> None:
    failing = Tenant("failing", always(3.0), 5, retries=True)
    fine = Tenant("fine", always(1.0), MANY)
    Simulation([failing, fine], slots=4).run(2000)
    assert failing.used == pytest.approx(fine.used, rel=0.02)


def test_jobs_that_take_a_hundred_times_the_estimate_gain_nothing() -> None:
    dice = random.Random(3)
    liar = Tenant("liar", lambda: 50.0 if dice.random() < 0.1 else 0.5, MANY)
    fine = Tenant("fine", always(1.0), MANY)
    simulation = Simulation([liar, fine], slots=4)
    simulation.run(8_000)
    assert liar.used == pytest.approx(fine.used, rel=0.05)


def test_caps_hold_and_the_rest_is_shared() -> None:
    capped = Tenant("capped", always(1.0), MANY, most=1)
    others = [Tenant(f"t{n}", always(1.0), MANY) for n in range(2)]
    Simulation([capped, *others], slots=8).run(500)
    assert capped.used == pytest.approx(499, abs=2)
    assert jain(tenant.used for tenant in others) >= 0.999
    assert sum(tenant.used for tenant in (capped, *others)) == pytest.approx(8 * 500, rel=0.01)
