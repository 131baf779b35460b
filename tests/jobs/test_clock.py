"""A worker whose clock is wrong: leases, pauses and due times are the database's business alone."""

import ast
from pathlib import Path

import jobs

#: Spans in words, drawn as a line, and as a filter of a list: for people, and decided by nobody else.
FOR_PEOPLE = {"display.py", "admin.py", "form_filters.py"}
WALL_CLOCKS = {"time", "now", "utcnow", "today", "time_ns", "localtime", "gmtime"}
MODULES = {"time", "datetime", "timezone", "date"}


def wall_clocks(path: Path) -> list[str]:
    """The places in a file that read the clock of the machine; `time.monotonic` is not one."""
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return [
        f"{path.name}:{call.lineno}"
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in WALL_CLOCKS
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in MODULES
    ]


def test_no_part_of_the_queue_reads_the_clock_of_its_machine() -> None:
    files = [path for path in Path(jobs.__path__[0]).rglob("*.py") if path.name not in FOR_PEOPLE]
    assert len(files) > 40
    assert [place for path in files for place in wall_clocks(path)] == []


def test_a_clock_that_is_read_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import time\nnow = time.time()\nlater = time.monotonic()\n")
    assert wall_clocks(tmp_path / "bad.py") == ["bad.py:2"]
