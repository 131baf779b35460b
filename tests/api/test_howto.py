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

PROJECT = Path(__file__).resolve().parents[2]
#: What the examples of each page say.
SAID: dict[str, dict[str, list[str]]] = {
    "api": {
        "sh": [
            "404\n",
            '"job_id"',
            '"exact": true',
            '"query": "tag:Eingang"',
            '"filename": "rechnung.txt"',
            '"source_ref": "scan-7"',
        ],
        "python": ["Rechnung 4711 2024-05-12 Eingang\nRechnung 4711\n"],
    },
    "scanner": {"sh": ["scan-0001.txt 201\n"], "python": ["scan-0002.txt stored Eingang\n"]},
    "mail-gateway": {
        "sh": ["delivered 201\ndelivered 409\n"],
        "python": ["Angebot: document mail:4712@example.org\nAngebot: delivered before\n"],
    },
    "client-portal": {"sh": ["Mein Bescheid\n"], "python": ["Kündigung True\n['Kündigung']\n"]},
}


def example(page: str, language: str) -> str:
    """Return the one block of the page in this language."""
    text = (PROJECT / "docs" / "howto" / f"{page}.md").read_text()
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return str(block)


def run(command: list[str], acme: Api, live_server: Any, folder: Path) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PROJECT),
        "ARCHIV_URL": live_server.url,
        "ARCHIV_TOKEN": acme.secret,
        "WORK": str(folder),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_example_for_curl_works(acme: Api, live_server: Any, tmp_path: Path) -> None:
    acme("POST", "/tags", {"name": "Eingang"})
    for page, languages in SAID.items():
        said = run(["sh", "-ec", example(page, "sh")], acme, live_server, tmp_path)
        assert all(words in said for words in languages["sh"]), (page, said)


def test_the_example_for_python_works(acme: Api, live_server: Any, tmp_path: Path) -> None:
    acme.upload(b"Rechnung 4711")
    acme("POST", "/tags", {"name": "Eingang"})
    for page, languages in SAID.items():
        said = run([sys.executable, "-c", example(page, "python")], acme, live_server, tmp_path)
        assert all(words in said for words in languages["python"]), (page, said)
