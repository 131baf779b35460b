"""The template of readers: run as a module, it loads OCR and all libraries, confines itself, and forks.

It must see nothing that a reader must not: before anything is loaded it replaces itself by a copy with a
bare environment, for what a process was started with stays readable in its memory; in bubblewrap if possible.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from documents.reading import bubblewrap

if TYPE_CHECKING:
    from documents.reading.sandbox import Confinement
    from documents.reading.warm import Warm
    from jobs.forkserver.server import Main

MODE = "ARCHIV_SANDBOX"
"""The variable that says what readers are confined by."""

AUTO, BUBBLEWRAP, LANDLOCK, OPEN = MODES = ("auto", "bubblewrap", "landlock", "open")
"""Its values: the best there is, only this, only that, or also with neither."""

ALLOWED = (
    "PATH",
    "PYTHONPATH",
    "LANG",
    "LC_ALL",
    "ARCHIV_TESSDATA",
    "ARCHIV_OCR_LANGUAGES",
    MODE,
    bubblewrap.MARK,
)
ONE_THREAD = {"OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

Prepare = Callable[["Warm", "Confinement"], "Main"]


def bare_environment(environment: dict[str, str]) -> dict[str, str]:
    """What of an environment a reader's template may have: where its files lie, and one thread."""
    kept = {name: environment[name] for name in ALLOWED if name in environment}
    return {"LANG": "C.UTF-8", **kept, **ONE_THREAD}


def refusal(confinement: Confinement, mode: str) -> str:
    """Why no reader may be started under what is in force; empty where it may."""
    if mode == OPEN:
        return ""
    if mode == BUBBLEWRAP and not confinement.bubblewrap:
        return f"{MODE}=bubblewrap, but bubblewrap is not installed, or its self-test fails here"
    if not confinement.is_closed:
        return (
            "readers cannot be shut off from files: neither bubblewrap nor Landlock with a filter on system "
            f"calls works here. Install bubblewrap, or accept the risk with {MODE}=open"
        )
    return ""


def main(prepare: Prepare | None = None) -> None:
    """Warm up and serve what `prepare` gives, readers where nothing is given; never returns."""
    bare = bare_environment(dict(os.environ))
    mode = bare.get(MODE, AUTO)
    wrapped = [] if mode == LANDLOCK or bubblewrap.is_inside() else _wrap(bare)
    if wrapped:
        os.execve(wrapped[0], [*wrapped, sys.executable, *sys.orig_argv[1:]], bare)  # noqa: S606  no shell
    if dict(os.environ) != bare:
        os.execve(sys.executable, sys.orig_argv, bare)  # noqa: S606

    from documents.reading import reader, sandbox
    from jobs.forkserver import serve

    warm = reader.warm_up()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208  a count of names
    if threads != 1:
        raise SystemExit(f"the reader's template has {threads} threads; a fork would lose all but one")
    confinement = sandbox.confine_template()
    if why := refusal(confinement, mode):
        raise SystemExit(why)
    serve(prepare(warm, confinement) if prepare else partial(reader.run, warm))


def _wrap(bare: dict[str, str]) -> list[str]:
    """The command that puts this process into bubblewrap; nothing where it does not work."""
    spec = sys.modules["__main__"].__spec__
    folders = [Path(bare["ARCHIV_TESSDATA"])] if "ARCHIV_TESSDATA" in bare else []
    return (bubblewrap.find_command(spec.name, folders) if spec else None) or []


if __name__ == "__main__":
    main()
