"""What commands have in common that a worker starts: they end when the worker does."""

import os
import signal
import sys
import threading
import time
from typing import NoReturn

from django.core.management.base import CommandParser

_GOODBYE_SECONDS = 0.8


def add_errand_option(parser: CommandParser) -> None:
    """Declare the option by which a worker ties such a command to itself."""
    parser.add_argument(
        "--until-input-ends", action="store_true", help="stop when standard input ends: for workers"
    )


def tie_to_worker(*, until_input_ends: bool) -> None:
    """Turn SIGTERM into SystemExit, and raise it at the end of standard input, if so wished."""
    signal.signal(signal.SIGTERM, _stop)
    if until_input_ends:
        threading.Thread(target=_stop_at_end_of_input, daemon=True).start()


def _stop(number: int, _frame: object) -> NoReturn:
    """Leave whatever is being done; it is given back on the way."""
    raise SystemExit(128 + number)


def _stop_at_end_of_input() -> None:
    while os.read(sys.stdin.fileno(), 4096):  # not the buffer: its lock, held at the exit, is a fatal error
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GOODBYE_SECONDS)  # within a statement nothing is heard of a signal
    os._exit(1)
