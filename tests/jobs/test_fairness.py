"""Whose turn it is, simulated."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from jobs.fairness import Demand, RoundRobin

NORMAL, BULK = 1, 2


def demands(*tenants: str) -> list[Demand]:
    return [Demand(tenant, (NORMAL,)) for tenant in tenants]


def test_each_tenant_gets_one_before_any_gets_a_second() -> None:
    grants = RoundRobin().choose(demands("a", "b", "c"), 4)
    assert sum(grant.jobs for grant in grants) == 4
    assert sorted(grant.jobs for grant in grants) == [1, 1, 2]


def test_the_round_goes_on_where_it_stopped() -> None:
    chooser = RoundRobin()
    served = [grant.tenant_id for _ in range(6) for grant in chooser.choose(demands("a", "b", "c"), 1)]
    assert served == ["a", "b", "c", "a", "b", "c"]


def test_one_tenant_alone_gets_all_the_room() -> None:
    (grant,) = RoundRobin().choose(demands("a"), 16)
    assert grant.jobs == 16


def test_nobody_gets_more_than_their_cap() -> None:
    grants = RoundRobin().choose([Demand("a", (NORMAL,), most=2), Demand("b", (NORMAL,))], 10)
    assert {grant.tenant_id: grant.jobs for grant in grants} == {"a": 2, "b": 8}


def test_bulk_gets_one_in_five_while_normal_has_work() -> None:
    chooser = RoundRobin()
    lanes = Counter(
        grant.lane for _ in range(100) for grant in chooser.choose([Demand("a", (NORMAL, BULK))], 1)
    )
    assert lanes == {NORMAL: 80, BULK: 20}


def test_bulk_alone_is_not_held_back() -> None:
    (grant,) = RoundRobin().choose([Demand("a", (BULK,))], 3)
    assert (grant.lane, grant.jobs) == (BULK, 3)


def test_bulk_of_every_tenant_moves_on_though_all_have_normal_work() -> None:
    chooser = RoundRobin()
    everybody = [Demand(str(number), (NORMAL, BULK)) for number in range(5)]
    bulk = Counter(
        grant.tenant_id for _ in range(50) for grant in chooser.choose(everybody, 5) if grant.lane == BULK
    )
    assert set(bulk.values()) == {10}


@given(backlogs=st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 8), min_size=1))
def test_nobody_is_served_twice_while_another_waits(backlogs: dict[str, int]) -> None:
    chooser, left = RoundRobin(), dict(backlogs)
    served_since: dict[str, Counter[str]] = {tenant: Counter() for tenant in backlogs}
    while waiting := [tenant for tenant, number in left.items() if number]:
        (grant,) = chooser.choose(demands(*waiting), 1)
        left[grant.tenant_id] -= 1
        served_since[grant.tenant_id].clear()
        for tenant in waiting:
            if tenant != grant.tenant_id:
                served_since[tenant][grant.tenant_id] += 1
                assert max(served_since[tenant].values()) == 1


@given(tenants=st.integers(1, 40), room=st.integers(1, 40))
def test_the_room_is_used_up_and_never_exceeded(tenants: int, room: int) -> None:
    grants = RoundRobin().choose(demands(*map(str, range(tenants))), room)
    assert sum(grant.jobs for grant in grants) == room


def test_a_hundred_thousand_tenants_are_each_served_once_a_round() -> None:
    chooser = RoundRobin()
    names = [f"{number:06}" for number in range(100_000)]
    served = Counter(grant.tenant_id for grant in chooser.choose(demands(*names), 100_000))
    assert set(served.values()) == {1}
