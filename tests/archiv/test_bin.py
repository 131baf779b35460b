"""The commands in bin/: portable, quick when nothing is to do, helpful when asked wrongly."""

import re
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from tests.archiv.servers import PROJECT

COMMANDS = [*sorted((PROJECT / "bin").iterdir()), PROJECT / ".ci" / "run"]
in_venv = pytest.mark.skipif(
    Path(sys.prefix) != PROJECT / ".venv", reason="these tests do not run in the .venv that bin/setup makes"
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda path: path.name)
def test_each_is_a_posix_script_that_stops_at_the_first_error(command: Path) -> None:
    lines = command.read_text().splitlines()
    assert lines[0] == "#!/bin/sh"
    assert "set -eu" in lines
    assert command.stat().st_mode & 0o111 == 0o111
    subprocess.run(["sh", "-n", str(command)], check=True)


@in_venv
def test_setup_is_quick_when_nothing_changed_from_any_folder(tmp_path: Path) -> None:
    subprocess.run([PROJECT / "bin" / "setup", "dev"], check=True)
    begin = monotonic()
    done = subprocess.run(
        [PROJECT / "bin" / "setup"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert monotonic() - begin < 10
    assert (done.stdout, done.stderr) == ("", "")


def test_setup_refuses_what_it_does_not_know() -> None:
    done = subprocess.run([PROJECT / "bin" / "setup", "prod"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "unknown argument 'prod'" in done.stderr


@pytest.mark.parametrize("name", ["test", "serve"])
def test_help_tells_the_usage_and_does_nothing(name: str) -> None:
    done = subprocess.run([PROJECT / "bin" / name, "--help"], check=True, capture_output=True, text=True)
    assert f"bin/{name}" in done.stdout
    assert "set -eu" not in done.stdout


def test_every_package_is_pinned_and_tests_use_the_versions_of_the_product() -> None:
    pins = [read_pins("requirements.txt"), read_pins("requirements-dev.txt")]
    assert pins[0].items() <= pins[1].items()


def test_every_package_has_hashes_that_the_installer_checks() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (PROJECT / name).read_text()
        packages = re.split(r"^(?=[a-zA-Z])", text, flags=re.MULTILINE)[1:]
        assert len(packages) > 40
        assert [
            package for package in packages if not re.search(r"--hash=sha256:[0-9a-f]{64}", package)
        ] == []


def read_pins(name: str) -> dict[str, str]:
    pins = re.findall(r"^([a-zA-Z][^=\s]*)==([^\s;\\]+)", (PROJECT / name).read_text(), flags=re.MULTILINE)
    assert len(pins) > 40
    return dict(pins)
