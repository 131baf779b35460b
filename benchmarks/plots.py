"""Plots of benchmark reports as SVG: `python -m benchmarks.plots FLAT.json FAIRNESS.json docs/plots`."""

import json
import sys
from pathlib import Path
from typing import Any

_WIDTH, _BAR, _LEFT = 640, 26, 210
#: How long a round of that scenario lasts, see benchmarks/fairness.py.
_WINDOW_MS = 8_000.0
_STYLE = "font-family='sans-serif' font-size='13'"


def bars(title: str, unit: str, values: dict[str, float], words: dict[str, str] | None = None) -> str:
    """Return a chart of horizontal bars, one for each value, with its figure, or with words in its place."""
    most = max(values.values(), default=0.0) or 1.0
    room = _WIDTH - _LEFT - 150
    height = 40 + _BAR * len(values)
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}' role='img' {_STYLE}>",
        f"<title>{title}</title><rect width='100%' height='100%' fill='white'/>",
        f"<text x='10' y='20' font-weight='bold'>{title}</text>",
    ]
    for number, (name, value) in enumerate(values.items()):
        figure = f"{value:,.2f} {unit}"
        top, length = 34 + _BAR * number, max(1.0, room * value / most)
        lines += [
            f"<text x='{_LEFT - 8}' y='{top + 14}' text-anchor='end'>{name}</text>",
            f"<rect x='{_LEFT}' y='{top}' width='{length:.1f}' height='{_BAR - 8}' fill='#2f6f8f'/>",
            f"<text x='{_LEFT + length + 6:.1f}' y='{top + 14}'>{(words or {}).get(name, figure)}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def claim_chart(flat: dict[str, Any]) -> str:
    """Return the processor time of a claim against the backlog: the clock tells of the machine as well."""
    costs = {f"{int(size):,} queued": cost for size, cost in flat["claim_cpu_ms"].items()}
    return bars("One claim, milliseconds of processors against backlog", "ms", costs)


def wait_chart(fairness: dict[str, Any]) -> str:
    """Return the 99th percentile of the light tenant's wait beside jobs 20 times longer, with the peers'.

    The bar of a peer that started none of its jobs is as long as it had time.
    """
    found = fairness["scenarios"]["heavy_20x"]
    waits, words = {"archiv": found["light_ms"]["p99"]}, {}
    for name, peer in found.get("peers", {}).items():
        if peer["light_ms"]:
            waits[name] = peer["light_ms"]["p99"]
        else:
            waits[name] = _WINDOW_MS
            words[name] = f"more: {peer['light_started']} started"
    return bars("Light tenant's wait beside jobs 20 times longer, p99", "ms", waits, words)


def main() -> None:
    flat, fairness = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    folder = Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "claim.svg").write_text(claim_chart(flat))
    (folder / "wait.svg").write_text(wait_chart(fairness))


if __name__ == "__main__":
    main()
