"""Bubblewrap: the template and all its readers see Python, this code, and no other file of the machine.

They have processes, network and host name of their own as well. Only what can be proved to work here is used:
many containers forbid it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

MARK = "ARCHIV_IN_BUBBLEWRAP"
"""Set in the environment inside, so that a template knows that it need not go in again."""

_PROJECT = Path(__file__).resolve().parents[2]
_PACKAGES = ("documents", "jobs")
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/ld.so.conf")
_TEST_SECONDS = 10


def is_inside() -> bool:
    """Whether this process runs in bubblewrap: its mark is there, and the first process is bubblewrap's."""
    if MARK not in os.environ:
        return False
    try:
        return Path("/proc/1/comm").read_text().strip() == "bwrap"
    except OSError:
        return False


def find_command(module: str, folders: Iterable[Path] = ()) -> list[str] | None:
    """What to put before a command line that runs `module` of this project; None where it does not work.

    Inside, only Python, the packages of readers, that of `module`, and `folders` can be seen.
    """
    program = shutil.which("bwrap")
    if program is None:
        return None
    command = [program, *_arguments({*_PACKAGES, module.partition(".")[0]}, folders)]
    return command if _works(command) else None


def _arguments(packages: Iterable[str], folders: Iterable[Path]) -> list[str]:
    arguments = [
        "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/",  # noqa: S108
    ]  # fmt: skip
    if os.geteuid() == 0:
        # Just enough to read the code wherever it lies, and to become nobody; both are given up by that.
        for right in ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"):
            arguments += ["--cap-add", right]
    for name in _SYSTEM:
        with suppress(OSError):
            arguments += ["--symlink", str(Path(name).readlink()), name]
            continue
        arguments += ["--ro-bind-try", name, name]
    for place in _places(packages, folders):
        arguments += ["--ro-bind", place, place]
    return [*arguments, "--setenv", MARK, "1", "--"]


def _places(packages: Iterable[str], folders: Iterable[Path]) -> list[str]:
    """The folders that must be seen, by the paths they are called and by those they have."""
    code = [Path(entry) for entry in sys.path if entry and Path(entry) != _PROJECT]
    wanted = [Path(sys.prefix), Path(sys.base_prefix), *code, *folders]
    wanted += [_PROJECT / package for package in packages]
    places = {str(each) for path in wanted if path.exists() for each in (path, path.resolve())}
    # Parents first, so that what is mounted later hides nothing; /usr is there already.
    return sorted(place for place in places if not place.startswith("/usr/") and place != "/usr")


def _works(command: Sequence[str]) -> bool:
    """The self-test: Python starts inside, as the only process but the first, and cannot see this project."""
    secret = str(_PROJECT / "manage.py")
    look = (
        "import os, sys; sys.exit(os.path.exists(sys.argv[1]) or os.path.exists('/etc/passwd')"
        " or len([name for name in os.listdir('/proc') if name.isdigit()]) != 2)"
    )
    try:
        ended = subprocess.run(
            [*command, sys.executable, "-I", "-S", "-c", look, secret],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TEST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return ended.returncode == 0
