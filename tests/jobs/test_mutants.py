"""Tests that cannot fail prove nothing: for each bug that matters most one is named, and fails for it."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.jobs.mutants import MUTANTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", MUTANTS)
def test_each_bug_can_be_put_in_and_its_test_is_there(name: str) -> None:
    mutant = MUTANTS[name]
    spec = find_spec(mutant.module)
    assert spec is not None
    assert spec.origin is not None
    compile(mutant.apply(Path(spec.origin).read_text()), mutant.module, "exec")
    file, _, test = mutant.found_by.partition("::")
    assert f"def {test.partition('[')[0]}(" in (ROOT / "tests" / "jobs" / file).read_text()


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", MUTANTS)
def test_each_bug_that_is_put_in_is_found_by_a_fast_test(
    process_environment: dict[str, str], name: str
) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.jobs.mutants", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, "-m", "not slow", f"tests/jobs/{MUTANTS[name].found_by}"],
        cwd=ROOT,
        env=process_environment | {"MUTANT": name, "TEST_DATABASE_IS_THERE": "1"},
        capture_output=True,
        text=True,
        timeout=390,
    )
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout + run.stderr
    assert "1 failed" in run.stdout
