"""What reports share."""

import statistics


def percentiles(values: list[float]) -> dict[str, float]:
    """Return median and 99th percentile."""
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p99": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 2),
    }
