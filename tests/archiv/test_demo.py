"""The demo says yes only when all is right, keeps its password to itself, and can be run again."""

import io
import json
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from rich.console import Console

from archiv.demo.account import PASSWORD_FILE, admin_account
from archiv.demo.display import Display
from archiv.demo.outcome import Outcome, differences, text_source_of
from archiv.samples import SAMPLES, Expectation, Kind, Sample, Status, TextSource
from tenants.models import User

EXPECT = Expectation(Status.DONE, 2, date(2024, 5, 8), TextSource.OCR, "Drei Wörter hier", "Brief")
SAMPLE = Sample("A", "brief.pdf", Kind.SCAN, EXPECT)
RIGHT = Outcome(
    "done", 2, TextSource.OCR, date(2024, 5, 8), title="Brief", text="Und drei\n  wörter HIER.", seconds=1.5
)


def test_a_right_outcome_has_no_differences() -> None:
    assert list(differences(SAMPLE, RIGHT)) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"status": "failed", "reason": "no luck"}, "is failed (no luck), not done"),
        ({"status": "queued"}, "is queued, not done"),
        ({"pages": 3}, "has 3 pages, not 2"),
        ({"pages": None}, "has None pages, not 2"),
        ({"text_source": TextSource.LAYER}, "has its text from layer, not from ocr"),
        ({"issued": None}, "is dated None, not 2024-05-08"),
        ({"issued": date(2024, 8, 5)}, "is dated 2024-08-05, not 2024-05-08"),
        ({"text": "drei andere"}, "does not contain 'Drei Wörter hier'"),
        ({"title": " "}, "has no title"),
        ({"title": "Musterwerk GmbH"}, "is called 'Musterwerk GmbH', not 'Brief'"),
    ],
)
def test_each_wrong_property_is_named(wrong: dict[str, Any], words: str) -> None:
    assert list(differences(SAMPLE, replace(RIGHT, **wrong))) == [words]


def test_several_wrong_properties_are_all_named() -> None:
    wrong = replace(RIGHT, pages=1, issued=None, text="")
    assert len(list(differences(SAMPLE, wrong))) == 3


def test_a_failure_must_have_the_expected_reason() -> None:
    expect = Expectation(Status.FAILED, None, None, TextSource.NONE, "password")
    sample = replace(SAMPLE, expect=expect)
    assert list(differences(sample, Outcome("failed", reason="The file needs a Password."))) == []
    assert list(differences(sample, Outcome("failed"))) == ["failed without a reason"]
    other = list(differences(sample, Outcome("failed", reason="out of memory")))
    assert other == ["failed for another reason than 'password': out of memory"]
    assert list(differences(sample, Outcome("done"))) == ["is done, not failed"]


def test_sources_of_pages_are_summed_up() -> None:
    assert text_source_of(set()) is TextSource.NONE
    assert text_source_of({"none"}) is TextSource.NONE
    assert text_source_of({"layer", "none"}) is TextSource.LAYER
    assert text_source_of({"layer", "ocr", "none"}) is TextSource.BOTH


@pytest.mark.django_db
def test_the_admin_account_is_made_once_with_a_password_only_its_owner_can_read(tmp_path: Path) -> None:
    first = admin_account(tmp_path)
    second = admin_account(tmp_path)
    assert first.password is not None
    assert first == second
    assert User.objects.get(username="admin").check_password(first.password)
    assert User.objects.get(username="admin").is_superuser
    assert stat.S_IMODE((tmp_path / PASSWORD_FILE).stat().st_mode) == 0o600


@pytest.mark.django_db
def test_a_password_set_by_a_person_is_neither_changed_nor_claimed_to_be_known(tmp_path: Path) -> None:
    user = User.objects.create_superuser("admin", password="my own secret")
    assert admin_account(tmp_path).password is None
    (tmp_path / PASSWORD_FILE).write_text("stale\n")
    assert admin_account(tmp_path).password is None
    user.refresh_from_db()
    assert user.check_password("my own secret")


@pytest.mark.django_db
def test_an_account_lost_with_its_database_gets_the_kept_password_again(tmp_path: Path) -> None:
    kept = admin_account(tmp_path).password
    User.objects.all().delete()
    again = admin_account(tmp_path)
    assert again.password == kept
    assert again.user.check_password(kept or "")


def written(rows: list[tuple[Sample, Outcome]], *, terminal: bool) -> str:
    output = io.StringIO()
    display = Display(Console(file=output, force_terminal=terminal, width=150, color_system=None))
    with display.progress("Reading", 3) as advance:
        advance(3, "brief [1].pdf")
    display.table(rows)
    return output.getvalue()


def test_a_file_gets_plain_lines_and_a_table_without_control_characters() -> None:
    odd = replace(SAMPLE, filename="brief [bold].pdf")
    text = written([(odd, RIGHT), (SAMPLE, Outcome("failed", reason="locked [x]"))], terminal=False)
    assert "Reading: 3 of 3" in text
    assert "\x1b" not in text
    assert "brief [bold].pdf" in text  # square brackets of a name are no markup
    assert "locked [x]" in text
    assert "2024-05-08" in text


def test_a_terminal_gets_a_bar() -> None:
    assert "3/3" in written([(SAMPLE, RIGHT)], terminal=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.django_db(transaction=True)
def test_the_demo_is_right_about_every_sample_and_a_second_run_changes_nothing(
    process_environment: dict[str, str], tmp_path: Path
) -> None:
    environment = process_environment | {
        "ARCHIV_VAR_ROOT": str(tmp_path / "var"),
        "ARCHIV_VAULT_ROOT": str(tmp_path / "vault"),
    }
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), "demo", "--json"]

    def run() -> Any:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    first = run()
    files = {path: path.stat().st_ino for path in (tmp_path / "vault").rglob("*") if path.is_file()}
    assert first["ok"]
    assert len(first["samples"]) == len(SAMPLES)
    assert [row["already_there"] for row in first["samples"]].count(True) == 1
    assert all(search["hits"] for search in first["searches"])

    second = run()
    assert all(row["already_there"] for row in second["samples"])
    assert files == {path: path.stat().st_ino for path in (tmp_path / "vault").rglob("*") if path.is_file()}
    keep = ("tenant", "file", "status", "pages", "text", "issued", "title", "seconds")
    assert [[row[key] for key in keep] for row in first["samples"]] == [
        [row[key] for key in keep] for row in second["samples"]
    ]
