"""Plots of benchmark reports as SVG: `python -m benchmarks.plots FLAT.json FAIRNESS.json docs/plots`."""

import json
import sys
from pathlib import Path
from typing import Any

_WIDTH, _BAR, _LEFT = 640, 26, 210
_STYLE = "font-family='sans-serif' font-size='13'"


def bars(title: str, unit: str, values: dict[str, float]) -> str:
    """Return a chart of horizontal bars, one for each value, with its figure."""
    most = max(values.values(), default=0.0) or 1.0
    room = _WIDTH - _LEFT - 110
    height = 40 + _BAR * len(values)
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}' role='img' {_STYLE}>",
        f"<title>{title}</title><rect width='100%' height='100%' fill='white'/>",
        f"<text x='10' y='20' font-weight='bold'>{title}</text>",
    ]
    for number, (name, value) in enumerate(values.items()):
        top, length = 34 + _BAR * number, max(1.0, room * value / most)
        lines += [
            f"<text x='{_LEFT - 8}' y='{top + 14}' text-anchor='end'>{name}</text>",
            f"<rect x='{_LEFT}' y='{top}' width='{length:.1f}' height='{_BAR - 8}' fill='#2f6f8f'/>",
            f"<text x='{_LEFT + length + 6:.1f}' y='{top + 14}'>{value:,.2f} {unit}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def claim_chart(flat: dict[str, Any]) -> str:
    """Return the processor time of a claim against the backlog: the clock tells of the machine as well."""
    costs = {f"{int(size):,} queued": cost for size, cost in flat["claim_cpu_ms"].items()}
    return bars("One claim, milliseconds of processors against backlog", "ms", costs)


def wait_chart(fairness: dict[str, Any]) -> str:
    """Return the 99th percentile of the light tenant's wait beside jobs 20 times longer, with the peers'.

    A peer that started none of its jobs is left out of the bars, and named so in the page.
    """
    found = fairness["scenarios"]["heavy_20x"]
    waits = {"archiv": found["light_ms"]["p99"]}
    for name, peer in found.get("peers", {}).items():
        if peer.get("light_ms"):
            waits[name] = peer["light_ms"]["p99"]
    return bars("Light tenant's wait beside jobs 20 times longer, p99", "ms", waits)


def main() -> None:
    flat, fairness = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    folder = Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "claim.svg").write_text(claim_chart(flat))
    (folder / "wait.svg").write_text(wait_chart(fairness))


if __name__ == "__main__":
    main()
