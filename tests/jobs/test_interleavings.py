"""Every verb beside a worker, in every order of their statements: what must be true stays true.

Orders that differ only in statements which touch nothing in common are run once, and a test shows that this
leaves nothing out. The longest pairs are run with one switch here, and in all orders by the slow tests.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from pytest_django import DjangoDbBlocker

from jobs.engine import hints
from tests.jobs import handler_scenes, scenes
from tests.jobs.bench import Bench, open_bench
from tests.jobs.interleaving import Explored, Stage
from tests.jobs.invariants import Committed, check, forget_changes, noting_changes
from tests.jobs.scenes import Act, Scene, Verb
from tests.jobs.stepping import Side, do_without_disk, stepping

PAIRS = [(verb, other) for verb in scenes.VERBS for other in scenes.MEANWHILE]
LONG = [(verb, "reap, claim and finish") for verb in ("checkpoint", "requeue", "cancel")]
HANDLERS = [(verb, other) for verb in handler_scenes.VERBS for other in handler_scenes.MEANWHILE]
ALL_SWITCHES = 1000


@dataclass
class Theatre:
    """Where scenes are played: two sides, and everything of the last scene cleared away before the next."""

    bench: Bench
    sides: tuple[Side, Side]
    stage: Stage
    #: How the jobs stood at the end of each order of the last pair, their ids counted from the first.
    ends: set[tuple[object, ...]] = field(default_factory=set)

    def play(self, verb: Verb, other: Act, *, switches: int | None = None, every: int = 1) -> Explored:
        """Play a verb beside another side in every order, or in those with so many switches."""
        scene = Scene(self.bench, self.bench.tenant())
        self.ends.clear()

        def begin() -> tuple[Callable[[Side], object], Callable[[Side], object]]:
            nonlocal scene
            self.bench.clear()
            forget_changes(self.bench)
            scene = Scene(self.bench, self.bench.tenant())
            verb.begin(scene)
            return (lambda side: verb.act(scene, side)), (lambda side: other(scene, side))

        def look() -> None:
            try:
                for side in self.sides:
                    assert side.error is None, f"{side.error!r} reached a caller"
                self.ends.add(end_of(check(self.bench, scene.seen)))
                verb.check(scene)
            except AssertionError as error:
                error.add_note(self.stage.story)
                raise

        return self.stage.explore(begin, look, switches=switches, every=every)


def end_of(now: Committed) -> tuple[object, ...]:
    """Return how jobs and attempts stand, comparable between two runs."""
    first = min((change.job for change in now.changes), default=0)
    last = {change.job - first: (change.now, change.lease_now, change.retries_now) for change in now.changes}
    attempts = tuple((job - first, *rest) for job, *rest in now.attempts)
    return (tuple(sorted(last.items())), attempts, tuple(sorted(held.id - first for held in now.effects)))


@pytest.fixture(scope="module")
def theatre(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Theatre]:
    with (
        open_bench(django_db_blocker) as bench,
        noting_changes(bench),
        stepping(),
        # Hints are sent each time, not now and then: the same code sends the same statements.
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(hints, "QUIET_SECONDS", -1.0)
        do_without_disk()
        news = threading.Condition()
        bench.worker("dead")
        sides = Side(bench.worker("one"), news), Side(bench.worker("other"), news)
        for side in sides:
            # None gives up waiting because this machine is slow.
            side.worker.connection.execute("SET lock_timeout = '60s'")
            side.start()
        yield Theatre(bench, sides, Stage(sides, bench.worker("watcher").connection))
        for side in sides:
            side.stop()


@pytest.mark.parametrize(("verb", "other"), PAIRS)
def test_every_order_keeps_what_must_be_true(theatre: Theatre, verb: str, other: str) -> None:
    switches = 1 if (verb, other) in LONG else None
    explored = theatre.play(scenes.VERBS[verb], scenes.MEANWHILE[other], switches=switches)
    assert explored.orders > 1


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "other"), LONG)
def test_every_order_of_the_long_pairs_keeps_what_must_be_true(
    theatre: Theatre, verb: str, other: str
) -> None:
    assert theatre.play(scenes.VERBS[verb], scenes.MEANWHILE[other]).orders > 10


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "other"), HANDLERS)
def test_handlers_of_the_product_beside_a_worker_keep_what_must_be_true(
    theatre: Theatre, verb: str, other: str
) -> None:
    acts = handler_scenes.VERBS[verb], handler_scenes.MEANWHILE[other]
    # A purge sends 46 statements, a wipe 300: it stops for the worker at each twelfth.
    assert theatre.play(*acts, switches=1, every=1 if verb == "purge" else 12).orders > 1


@pytest.mark.parametrize(("verb", "other"), [("finish", "reap"), ("beat", "reap"), ("cancel", "claim")])
def test_no_order_that_is_left_out_ends_otherwise(theatre: Theatre, verb: str, other: str) -> None:
    acts = scenes.VERBS[verb], scenes.MEANWHILE[other]
    some, reduced = theatre.play(*acts), set(theatre.ends)
    every = theatre.play(*acts, switches=ALL_SWITCHES)
    assert every.equal == 0
    assert every.orders > some.orders or not some.equal
    assert theatre.ends == reduced
