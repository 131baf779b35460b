"""What commands about jobs answer."""

import json
from collections.abc import Mapping


def show_changes(verb: str, number: int, skipped: Mapping[str, int], *, as_json: bool) -> list[str]:
    """Return how many jobs were changed and how many left alone, by reason: one JSON object, or lines."""
    if as_json:
        return [json.dumps({verb: number, "skipped": dict(skipped)})]
    left = [f"Left alone, {reason}: {count}" for reason, count in sorted(skipped.items())]
    return [f"{verb.capitalize()}: {number}", *left]
