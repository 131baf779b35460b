"""The soak of benchmarks/chaos.py in its short form."""

import json
import subprocess
import sys

import pytest

from tests.processes.workers import PROJECT


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_minute_of_chaos_loses_nothing_and_does_nothing_twice() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.chaos", "--seed", "1", "--minutes", "1", "--json"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout, ended.stderr[-4000:]
    found = json.loads(ended.stdout)
    wrong = ("lost", "effects_twice", "effects_unfinished", "stuck", "workers_died", "errors")
    assert {name: found[name] for name in wrong if found[name]} == {}, found["stuck_jobs"]
    assert ended.returncode == 0
    assert len(found["faults"]) >= 12
    assert found["jobs"] >= 100
    assert found["attempts"] >= found["jobs"]
