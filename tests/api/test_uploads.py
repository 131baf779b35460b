"""Uploads to a real web server: bounded memory, and none lost where many come at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_large_file_needs_little_memory_and_many_at_once_lose_none() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/uploads.py", "--megabytes", "300", "--clients", "20", "--seconds", "5"],
        cwd=PROJECT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    figures = json.loads(done.stdout)
    assert done.returncode == 0, figures
    assert figures["wrong"] == []
    assert figures["documents_missing"] == 0
    assert figures["peak_large_mb"] - figures["peak_before_mb"] < 30
