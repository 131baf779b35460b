"""The examples of the docs, run as they stand there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Api

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "api.md"


def example(language: str) -> str:
    """Return the one block of the page in this language."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    return str(block)


def run(command: list[str], acme: Api, live_server: Any, folder: Path) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "ARCHIV_URL": live_server.url,
        "ARCHIV_TOKEN": acme.secret,
        "WORK": str(folder),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_example_for_curl_works(acme: Api, live_server: Any, tmp_path: Path) -> None:
    said = run(["sh", "-ec", example("sh")], acme, live_server, tmp_path)
    assert said.startswith("404\n")
    assert '"job_id"' in said
    assert '"filename": "rechnung.txt"' in said
    assert '"source_ref": "scan-7"' in said


def test_the_example_for_python_works(acme: Api, live_server: Any, tmp_path: Path) -> None:
    acme.upload(b"Rechnung 4711")
    said = run([sys.executable, "-c", example("python")], acme, live_server, tmp_path)
    assert said == "Rechnung 4711 2024-05-12\nRechnung 4711\n"
