"""The files for operators name only what exists."""

import json
import re
import subprocess
from pathlib import Path
from shutil import which

import pytest
from django.conf import settings
from django.core.management import get_commands
from django.test import Client

from jobs.engine.counters import REGISTRY
from jobs.metrics import QueueCollector

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
_METRIC = re.compile(r"\b(?:archiv|django)_[a-z0-9_]+")
_COMMAND = re.compile(r"manage\.py ([a-z_]+)")


@pytest.fixture
def metrics(db: None) -> set[str]:
    """The names of all samples that archiv exports."""
    web = Client().get("/metrics").content.decode()
    families = [*REGISTRY.collect(), *QueueCollector().describe()]
    ends = ("", "_total", "_bucket", "_sum", "_count")
    return {family.name + end for family in families for end in ends} | set(_METRIC.findall(web))


def expressions(text: str) -> set[str]:
    return set(_METRIC.findall(text))


def test_alerts_ask_for_metrics_that_exist(metrics: set[str]) -> None:
    asked = expressions((DEPLOY / "prometheus" / "alerts.yml").read_text())
    assert len(asked) > 5
    assert asked - metrics == set()


def test_the_dashboard_asks_for_metrics_that_exist(metrics: set[str]) -> None:
    board = json.loads((DEPLOY / "grafana" / "archiv.json").read_text())
    asked = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in expressions(target["expr"])
    }
    assert len(asked) > 8
    assert asked - metrics == set()


def test_for_each_alert_the_docs_say_what_to_do() -> None:
    alerts = re.findall(r"- alert: (\w+)", (DEPLOY / "prometheus" / "alerts.yml").read_text())
    page = (DEPLOY.parent / "docs" / "operations.md").read_text()
    assert len(alerts) > 5
    assert [name for name in alerts if f"### {name}\n" not in page] == []


@pytest.mark.parametrize("path", sorted(p for p in DEPLOY.rglob("*") if p.is_file()), ids=lambda p: p.name)
def test_every_command_and_setting_that_is_named_exists(path: Path) -> None:
    text = path.read_text()
    assert set(_COMMAND.findall(text)) - set(get_commands()) == set()
    known = {setting.name for setting in settings.KNOWN_SETTINGS} | {"ARCHIV_OWNER_PASSWORD", "ARCHIV_HOST"}
    assert set(re.findall(r"\bARCHIV_[A-Z_]+", text)) - known == set()


@pytest.mark.skipif(which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_units_are_understood_by_systemd() -> None:
    units = [str(path) for path in (DEPLOY / "systemd").iterdir()]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "is not executable" not in line]
    assert [line for line in said if "archiv" in line] == []


@pytest.mark.skipif(which("promtool") is None, reason="needs promtool")
def test_the_alert_rules_are_understood_by_prometheus() -> None:
    rules = str(DEPLOY / "prometheus" / "alerts.yml")
    done = subprocess.run(["promtool", "check", "rules", rules], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
