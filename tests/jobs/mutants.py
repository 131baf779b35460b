"""Bugs put in on purpose, each with the fast test that must find it.

Loaded as a plugin of pytest (`-p tests.jobs.mutants`), it changes the source of one module as it is imported;
the environment's MUTANT says which bug. The files stay as they are.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


@dataclass(frozen=True)
class Mutant:
    """One bug: what of a module's source stands there instead, and the test that fails for it."""

    module: str
    changes: tuple[tuple[str, str], ...]
    found_by: str

    def apply(self, source: str) -> str:
        """Return the source with the bug. Raises ValueError unless each text is found once."""
        for before, after in self.changes:
            if source.count(before) != 1:
                raise ValueError(f"{self.module} has {source.count(before)} times: {before}")
            source = source.replace(before, after)
        return source


_STORE = "jobs.engine.store"
_JOIN = 'return _insert(connection, f"{_INSERT_SQL} {_JOIN_SQL} RETURNING id", job)'
_DO_NOTHING = """
    sql = f"{_INSERT_SQL} ON CONFLICT DO NOTHING RETURNING id"
    made = connection.execute(sql, _parameters(job)).fetchone()
    found = "SELECT id FROM jobs_job WHERE status = 'queued' AND document_id = %s"
    return (made or connection.execute(found, [job.document_id]).fetchone())[0]
"""

MUTANTS = {
    "finish-without-the-lease": Mutant(
        f"{_STORE}.ends",
        (("WHERE id = %(id)s AND status = 'processing' AND lease = %(lease)s", "WHERE id = %(id)s"),),
        "test_ends.py::test_claim_requeue_claim_and_then_the_first_finishes_is_refused",
    ),
    "reaper-by-start-time": Mutant(
        f"{_STORE}.ends",
        (
            ('recheck="AND job.lease_expires_at <', 'recheck="AND job.started_at <'),
            ("      AND job.lease_expires_at < statement_timestamp()", "AND job.started_at < now()"),
        ),
        "test_leases.py::test_a_lease_renewed_since_it_was_seen_is_not_reaped",
    ),
    "beat-without-skip-locked": Mutant(
        f"{_STORE}.leases",
        (("FOR NO KEY UPDATE OF job SKIP LOCKED", "FOR NO KEY UPDATE OF job"),),
        "test_leases.py::test_a_heartbeat_tells_lost_leases_from_rows_that_are_being_finished",
    ),
    "requeue-of-a-running-job": Mutant(
        f"{_STORE}.operators",
        (("WHERE job.status = 'failed'\n", "WHERE job.status IN ('failed', 'processing')\n"),),
        "test_interleavings.py::test_every_order_keeps_what_must_be_true[requeue-claim]",
    ),
    "failure-text-uncleaned": Mutant(
        f"{_STORE}.ends",
        (('"error": clean(failure.error)', '"error": failure.error'),),
        "test_ends.py::test_any_text_of_an_error_is_recorded",
    ),
    "attempt-charged-on-release": Mutant(
        f"{_STORE}.ends",
        (("WHEN fate.queued AND NOT fate.released AND", "WHEN fate.queued AND"),),
        "test_ends.py::test_a_released_job_is_due_at_once_and_has_lost_no_retry",
    ),
    "join-by-do-nothing": Mutant(
        f"{_STORE}.enqueue",
        ((_JOIN, _DO_NOTHING.strip()),),
        "test_twins.py::test_a_queued_analysis_is_joined_with_the_stronger_force_and_the_newer_version",
    ),
    "bound-by-time-alone": Mutant(
        f"{_STORE}.claims",
        (
            ('("jobs_job"."next_attempt_at", "jobs_job"."id") >', '("jobs_job"."next_attempt_at") >'),
            ("interval '1 microsecond', due.behind_id)", "interval '1 microsecond')"),
        ),
        "test_claim.py::test_a_claim_begins_behind_a_row_and_not_behind_its_moment",
    ),
}


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = MUTANTS[os.environ["MUTANT"]].apply(Path(self.path).read_text())
        return compile(source, self.path, "exec")


class _Finder:
    """Finds the module that has the bug."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != MUTANTS[os.environ["MUTANT"]].module:
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(name, spec.origin)
        return spec


if "MUTANT" in os.environ:
    sys.meta_path.insert(0, _Finder())
