"""Two sides of the queue in every order of their statements: the real code, on real sessions.

A statement that has to wait for a lock of the other side is recognised by `pg_blocking_pids`, and the other
side goes on meanwhile. Orders that differ only in statements which touch nothing in common end alike, and are
run once (sleep sets, after Godefroid).
"""

from collections.abc import Callable
from dataclasses import dataclass

from jobs.engine.store.base import Connection
from tests.jobs.stepping import Side, State, Step

#: Seconds until a statement that has not come back is suspected to wait for a lock, and for all of a run.
_SUSPECT_SECONDS, _RUN_SECONDS = 0.003, 60.0


@dataclass
class Choice:
    """One point of an order: who could go on, who did, who has before, and whose turn would tell nothing."""

    steps: dict[int, Step]
    chosen: int
    asleep: frozenset[int]
    tried: frozenset[int] = frozenset()
    switches: int = 0


@dataclass
class Explored:
    """How many orders were run to their end, and how many were left out as equal to one of those."""

    orders: int = 0
    equal: int = 0


class Stage:
    """Runs two sides in one order after the other."""

    def __init__(self, sides: tuple[Side, Side], watcher: Connection) -> None:
        self._sides = sides
        self._news = sides[0].news
        self._watcher = watcher
        self._trail: list[str] = []

    @property
    def story(self) -> str:
        """The statements of the last run in their order, for whoever has to understand a failure."""
        return "\n".join(self._trail)

    def explore(
        self,
        begin: Callable[[], tuple[Callable[[Side], object], Callable[[Side], object]]],
        check: Callable[[], None],
        *,
        switches: int | None = None,
        every: int = 1,
    ) -> Explored:
        """Run what `begin` sets up in every order that can make a difference, and `check` after each.

        `switches` bounds how often a side that could go on has to stop for the other one, at each `every`th
        statement only; if it is None, orders that differ in statements that do not meet are run once.
        """
        done, path = Explored(), list[Choice]()
        while True:
            whole = self._run(begin(), path, switches)
            if whole:
                done.orders += 1
                check()
            else:
                done.equal += 1
            while path and (len(path) % every or not self._advance(path[-1], switches)):
                path.pop()
            if not path:
                return done

    def _advance(self, choice: Choice, switches: int | None) -> bool:
        """Choose what was not tried at this point yet; False: all was."""
        choice.tried |= {choice.chosen}
        left = [one for one in choice.steps if one not in choice.tried | choice.asleep]
        if not left or (switches is not None and choice.switches >= switches):
            return False
        choice.chosen = left[0]
        return True

    def _run(
        self,
        acts: tuple[Callable[[Side], object], Callable[[Side], object]],
        path: list[Choice],
        switches: int | None,
    ) -> bool:
        """Run along `path`, and on from its end; False if the rest is equal to what was run before."""
        self._trail.clear()
        for side, act in zip(self._sides, acts, strict=True):
            side.begin(act)
        asleep: frozenset[int] = frozenset()
        depth, last, used = 0, None, 0
        while self._settle():
            ready = {
                number: side.next
                for number, side in enumerate(self._sides)
                if side.state is State.WAITING and side.next is not None
            }
            if depth == len(path):
                awake = [number for number in ready if number not in asleep]
                if not awake:
                    self._finish()
                    return False
                first = last if last in awake else awake[0]
                path.append(Choice(ready, first, asleep, switches=used))
            choice = path[depth]
            assert choice.steps.keys() == ready.keys(), (
                f"another run took another way: {choice.steps}, now {ready}\n{self.story}"
            )
            depth += 1
            step = ready[choice.chosen]
            if switches is None:
                asleep = frozenset(
                    one for one in choice.asleep | choice.tried if one in ready and not ready[one].meets(step)
                )
            used += last in ready and last != choice.chosen
            last = choice.chosen
            self._trail.append(f"{self._sides[last].name}: {' '.join(step.sql.split())[:100]}")
            self._sides[last].go_on()
        return True

    def _finish(self) -> None:
        for side in self._sides:
            side.go_on(free=True)
        with self._news:
            over = self._news.wait_for(self._is_over, _RUN_SECONDS)
            assert over, f"the sides keep each other waiting:\n{self.story}"

    def _is_over(self) -> bool:
        return all(side.state is State.DONE for side in self._sides)

    def _settle(self) -> bool:
        """Wait until each side stands at a statement, waits for a lock, or has ended; False: all have."""
        waited = 0.0
        with self._news:
            while busy := [side for side in self._sides if side.state is State.RUNNING]:
                if self._news.wait_for(
                    lambda: any(side.state is not State.RUNNING for side in busy), _SUSPECT_SECONDS
                ):
                    continue
                waited += _SUSPECT_SECONDS
                assert waited < _RUN_SECONDS, f"a statement does not come back:\n{self.story}"
                if len(busy) < len(self._sides) and all(map(self._is_blocked, busy)):
                    break
            return not self._is_over()

    def _is_blocked(self, side: Side) -> bool:
        others = [pid for other in self._sides if other is not side for pid in other.pids]
        row = self._watcher.execute(
            "SELECT EXISTS (SELECT FROM unnest(%s::int[]) AS pid WHERE pg_blocking_pids(pid) && %s::int[])",
            [list(side.pids), others],
        ).fetchone()
        return bool(row and row[0])
