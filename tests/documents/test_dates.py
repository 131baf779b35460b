"""Every row of the tables in `cases/` names a text, its date of issue, and the settings it is read with.

In the tables \\n, \\t and \\f stand for the ends of lines, tabs and pages.
"""

import csv
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from documents.dates import find_issued_date

CASES = Path(__file__).parent / "cases"
TODAY = date(2026, 11, 29)


def settings_of(written: str) -> dict[str, Any]:
    """Turn "order=DMY;languages=de,en;ocr=1" into arguments."""
    settings: dict[str, Any] = {}
    for part in filter(None, (written or "").split(";")):
        name, _, value = part.partition("=")
        if name == "languages":
            settings[name] = tuple(value.split(","))
        elif name == "ignore":
            settings[name] = {date.fromisoformat(day) for day in value.split(",")}
        elif name == "ocr":
            settings["pages_by_ocr"] = {int(page) for page in value.split(",")}
        elif name != "note":
            settings[name] = None if value == "none" else value
    return settings


def cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("dates*.tsv")):
        with path.open(encoding="utf-8") as lines:
            for number, row in enumerate(
                csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=2
            ):
                yield pytest.param(row["text"], row["expected"], row["settings"], id=f"{path.stem}:{number}")


@pytest.mark.parametrize(("text", "expected", "settings"), list(cases()))
def test_the_date_of_issue_is_found(text: str, expected: str, settings: str) -> None:
    text = text.replace("\\n", "\n").replace("\\f", "\f").replace("\\t", "\t")
    finding = find_issued_date(text, today=TODAY, **settings_of(settings))
    assert str(finding.date or "NONE") == expected, finding.candidates
