"""What the measured job of every peer does: the same as archiv's `bench-note`."""

import os
import sys
import time


def note(who: str, sent: float, seconds: float) -> None:
    """Append who was enqueued when and began when."""
    with open(os.environ["BENCH_NOTES"], "a") as notes:
        notes.write(f"{who} {sent} {time.time()} {seconds}\n")


def numbers() -> tuple[int, float]:
    """The arguments of `load` and `trickle`."""
    return int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
