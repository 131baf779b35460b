"""What the measured job of every peer does: the same as archiv's `bench-note`."""

import os
import sys
import time


def note(who: str, sent: float, seconds: float) -> None:
    """Append who was enqueued when and began when."""
    with open(os.environ["BENCH_NOTES"], "a") as notes:
        notes.write(f"{who} {sent} {time.time()} {seconds}\n")


def numbers() -> tuple[int, float, float]:
    """The arguments of `load` and `trickle`: how many, pause and length in seconds."""
    number, pause, seconds = [*sys.argv[2:], "0", "0"][:3]
    return int(number), float(pause), float(seconds)


def backlog() -> tuple[str, float, int]:
    """The arguments of `backlog`: whose, of how many seconds, how many."""
    who, seconds, number = sys.argv[2:5]
    return who, float(seconds), int(number)
