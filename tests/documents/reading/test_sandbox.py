"""Nothing gets out of a reader, whatever it tries; and where that cannot be had, no reader starts."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.core.management.base import CommandError

from documents import checks, readers
from documents.management.commands import sandbox_probe
from documents.reading import bubblewrap, landlock
from documents.reading.client import start_reader_template
from documents.reading.messages import Facts
from documents.reading.probing import Attempt, ProbeReport, probe_readers
from documents.reading.sandbox import Confinement
from documents.reading.template import refusal
from jobs.forkserver import TemplateGone
from tests.documents.reading.conftest import ReadBytes

UNSANDBOXED = "tests.documents.reading.unsandboxed_template"
needs_landlock = pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    """A file that everybody may read."""
    tmp_path.chmod(0o755)
    path = tmp_path / "original"
    path.write_bytes(b"of another tenant")
    path.chmod(0o444)
    return str(path)


@needs_landlock
def test_nothing_gets_out_of_a_reader_under_landlock_alone(foreign: str) -> None:
    report = probe_readers(foreign_file=foreign, database="", environment={"ARCHIV_SANDBOX": "landlock"})
    assert report.breaches == ()
    assert report.confinement.startswith("no bubblewrap, Landlock")


@pytest.mark.django_db
def test_nothing_gets_out_of_a_reader(settings: LazySettings) -> None:
    if not readers.can_be_confined("auto"):
        pytest.skip("this machine has neither bubblewrap nor Landlock")
    settings.ARCHIV_SANDBOX = "auto"
    out = StringIO()
    call_command("sandbox_probe", "--json", stdout=out)
    said = json.loads(out.getvalue())
    assert said["breaches"] == 0
    tried = {attempt["name"] for attempt in said["attempts"]}
    assert {"read another tenant's file", "fork without end", "leave a daemon behind"} < tried
    assert len(tried) > 20
    assert said["seconds_a_document"] < 0.5  # 0.03 on a quiet machine
    if bubblewrap.find_command("documents.reading.template"):
        assert said["confinement"].startswith("bubblewrap, ")


def test_what_is_not_confined_is_seen_to_get_out(foreign: str) -> None:
    from documents.reading import probing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probing, "PROBE", "tests.documents.reading.open_probe")
        report = probe_readers(foreign_file=foreign, database="")
    out = {attempt.name for attempt in report.breaches}
    assert {
        "read /etc/passwd",
        "read another tenant's file",
        "connect by TCP",
        "send by UDP",
        "write into /tmp",
        "fork without end",
        "leave a daemon behind",
        "run another program",
        "a TCP connection arrives",
        "a UDP packet arrives",
    } < out


def test_the_command_fails_if_anything_got_out(monkeypatch: pytest.MonkeyPatch) -> None:
    report = ProbeReport("nothing", (Attempt("read /etc/passwd", refused=False, detail="64 bytes read"),))
    monkeypatch.setattr(sandbox_probe, "probe_readers", lambda **_: report)
    monkeypatch.setattr(sandbox_probe, "measure_readers", lambda _: 0.03)
    out = StringIO()
    with pytest.raises(CommandError, match="1 attempts succeeded"):
        call_command("sandbox_probe", stdout=out)
    assert "SUCCEEDED read /etc/passwd 64 bytes read" in out.getvalue()
    assert "30 ms a document" in out.getvalue()


def test_without_any_sandbox_no_reader_starts() -> None:
    with pytest.raises(TemplateGone, match="exit code 1"), start_reader_template(module=UNSANDBOXED):
        pass


@pytest.mark.parametrize(
    ("mode", "inside", "version", "refused"),
    [
        ("auto", True, 0, False),
        ("auto", False, 7, False),
        ("auto", False, 0, True),
        ("landlock", False, 7, False),
        ("landlock", False, 0, True),
        ("bubblewrap", False, 7, True),
        ("open", False, 0, False),
    ],
)
def test_what_is_in_force_must_be_what_the_setting_wants(
    mode: str, inside: bool, version: int, refused: bool
) -> None:
    confinement = Confinement(
        user=65_533,
        own_user=True,
        own_network=True,
        no_new_privileges=True,
        call_filter=True,
        landlock=version,
        bubblewrap=inside,
    )
    assert bool(refusal(confinement, mode)) is refused


def test_without_any_sandbox_readers_start_only_if_a_setting_says_so() -> None:
    with start_reader_template({"ARCHIV_SANDBOX": "open"}, module=UNSANDBOXED) as started:
        assert started.process.poll() is None


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_a_bubblewrap_that_does_not_work_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert bubblewrap.find_command("documents.reading.template") is None
    assert not readers.can_be_confined("bubblewrap")


def test_the_check_refuses_a_machine_without_sandbox_unless_it_is_wished(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "can_be_confined", lambda _: False)
    for mode, expected in (
        ("auto", "documents.E001"),
        ("landlock", "documents.E001"),
        ("open", "documents.W001"),
    ):
        settings.ARCHIV_SANDBOX = mode
        assert [message.id for message in checks.readers_are_shut_off()] == [expected]
    monkeypatch.setattr(checks, "can_be_confined", lambda _: True)
    assert checks.readers_are_shut_off() == []


def test_a_language_that_is_not_loaded_yet_is_still_read(read_bytes: ReadBytes) -> None:
    """Its data are read before the reader gives up the file system."""
    from tests.documents.reading import samples

    reading = read_bytes(
        samples.saved(samples.drawn(["ARCHIVSAMPLE 2026"]), "PNG"), languages=("eng", "deu", "osd")
    )
    assert isinstance(reading.facts, Facts)
    assert reading.facts.pages == 1
