"""The tables of `docs/capabilities.md`, made from the code."""

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
    lines = ["| service | needs |", "| --- | --- |"]
    lines += [f"| `{name}` | `{needed}` |" for name, needed in sorted(SERVICE_CAPABILITIES.items())]
    return "\n".join(lines) + "\n"
