"""The tables of `docs/capabilities.md`, made from the code."""

import importlib
import importlib.util
import pkgutil

from django.apps import apps

from tenants.access import SERVICE_CAPABILITIES
from tenants.capabilities import CAPABILITIES, SYSTEM_SETS


def sets_table() -> str:
    """Return a Markdown table: what each set that comes with a tenant may do."""
    lines = [f"| capability | {' | '.join(SYSTEM_SETS)} |", f"| --- |{' :-: |' * len(SYSTEM_SETS)}"]
    for capability in CAPABILITIES:
        marks = ("✓" if capability in held else "" for held in SYSTEM_SETS.values())
        lines.append(f"| `{capability}` | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


def services_table() -> str:
    """Return a Markdown table: which capability each service asks for."""
    _import_services()
    lines = ["| service | needs |", "| --- | --- |"]
    lines += [f"| `{name}` | `{needed}` |" for name, needed in sorted(SERVICE_CAPABILITIES.items())]
    return "\n".join(lines) + "\n"


def _import_services() -> None:
    """Import every module of services of every app, so that the table does not depend on who was first."""
    for config in apps.get_app_configs():
        name = f"{config.name}.services"
        if importlib.util.find_spec(name) is not None:
            package = importlib.import_module(name)
            for module in pkgutil.iter_modules(getattr(package, "__path__", ()), f"{name}."):
                importlib.import_module(module.name)
