"""Placeholder until the next commit."""
from typing import Any
def run(*, full: bool) -> dict[str, Any]:
    raise SystemExit("not yet")
