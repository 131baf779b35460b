"""Docs cannot rot: whatever the code has, the docs name."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from jobs.registry import job_types, retired_types
from tenants.management.commands.capability_tables import with_tables

ROOT = Path(__file__).resolve().parents[2]
OURS = ("archiv", "documents", "tenants", "jobs")


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def test_every_setting_is_listed_and_nothing_else() -> None:
    listed = set(re.findall(r"^\| `([A-Z_]+)`", page("settings.md"), flags=re.MULTILINE))
    assert listed == {setting.name for setting in settings.KNOWN_SETTINGS}


def test_every_command_is_listed() -> None:
    listed = set(re.findall(r"^\| `manage\.py ([a-z_]+)", page("commands.md"), flags=re.MULTILINE))
    assert listed == {name for name, app in get_commands().items() if app in OURS}


def test_every_job_type_is_in_the_catalogue_with_its_lane_and_timeout() -> None:
    catalogue = page("jobs.md")
    sections = dict(
        re.findall(r"^## `([a-z-]+)`\n(.*?)(?=^## |\Z)", catalogue, flags=re.MULTILINE | re.DOTALL)
    )
    kinds = {name: kind for name, kind in job_types().items() if not name.startswith("probe")}
    assert set(sections) == set(kinds)
    for name, kind in kinds.items():
        for part in ("Payload", "Enqueued", "Work", "Guards"):
            assert f"**{part}**" in sections[name], f"{name} says nothing of {part}"
        assert f"lane {kind.lane.label}" in sections[name]
        assert f"{kind.timeout:g} s" in sections[name]
    for name in retired_types():
        assert f"`{name}`" in catalogue


def test_the_tables_of_capabilities_are_those_of_the_code() -> None:
    assert page("capabilities.md") == with_tables(page("capabilities.md"))


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")), ids=str)
def test_every_link_to_a_file_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("name", ["architecture.md", "faults.md"])
def test_every_test_that_a_page_names_exists(name: str) -> None:
    named = set(re.findall(r"`(test_[a-z0-9_]+)`", page(name)))
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), flags=re.MULTILINE)
    }
    assert len(named) > 30
    assert named - written == set()
