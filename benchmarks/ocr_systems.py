"""What reads the papers: archiv's worker is measured by its caller, these are programs of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.server import family
from benchmarks.systems import ROOT

_LANGUAGES = "deu+eng"
_PEERS = ROOT / ".venv-peers" / "bin"
_LOOK_S = 0.02
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}


@dataclass(frozen=True)
class Run:
    """What one system made of one page: text, processor seconds, and the largest of its processes in MB."""

    text: str
    cpu_s: float
    peak_mb: float


System = Callable[[Path, Path], Run]


def largest(pid: int) -> float:
    """The most memory that any process of a family has had so far, in MB."""
    peak = 0.0
    for one in family(pid):
        with suppress(OSError, IndexError, ValueError):
            state = Path(f"/proc/{one}/status").read_text()
            peak = max(peak, int(state.partition("VmHWM:")[2].split()[0]) / 1024)
    return peak


def run_program(command: Sequence[str], text: Path) -> Run:
    """Run a program that leaves its text in a file; its processes are counted with it."""
    peak = 0.0
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, env=os.environ | _ONE_THREAD, stdout=subprocess.DEVNULL, stderr=errors
        )
        # By looking on: the kernel's figure counts what the process was forked from as well.
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        while not ended:
            peak = max(peak, largest(process.pid))
            time.sleep(_LOOK_S)
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read()
    # 10: read, but no valid PDF/A came out; the text is there.
    if process.returncode not in (0, 10):
        raise RuntimeError(f"{command[0]} failed: {said.decode(errors='replace')[-500:]}")
    return Run(text.read_text(errors="replace"), used.ru_utime + used.ru_stime, peak)


def _tesseract(pdf: Path, folder: Path) -> Run:
    image = pdf.with_suffix(".jpg")
    return run_program(["tesseract", str(image), str(folder / "bare"), "-l", _LANGUAGES], folder / "bare.txt")


def _ocrmypdf(*options: str) -> System:
    def read(pdf: Path, folder: Path) -> Run:
        text = folder / "sidecar.txt"
        command = [str(_PEERS / "ocrmypdf"), "-q", "-l", _LANGUAGES, "--jobs", "1", "--sidecar", str(text)]
        return run_program([*command, *options, str(pdf), str(folder / "out.pdf")], text)

    return read


def find_peers() -> dict[str, System]:
    """The systems that can be run here; says aloud what is missing, and makes .venv-peers on first use."""
    found: dict[str, System] = {}
    if shutil.which("tesseract") is None:
        print("SKIPPED tesseract and OCRmyPDF: install tesseract-ocr and tesseract-ocr-deu", file=sys.stderr)
        return found
    found["tesseract"] = _tesseract
    if not (_PEERS / "ocrmypdf").exists():
        from benchmarks.peering import install_peers

        install_peers()
    pdfa = shutil.which("gs") is not None
    clean = shutil.which("unpaper") is not None
    for name, there in (("ghostscript", pdfa), ("unpaper", clean)):
        if not there:
            print(f"OCRmyPDF runs without {name}, which makes it cheaper than paperless-ngx", file=sys.stderr)
    # paperless-ngx says --skip-text besides: nothing to do on scans, and Debian's Ghostscript forbids it.
    paperless = ["--deskew", "--rotate-pages", "--rotate-pages-threshold", "12"]
    paperless += ["--clean"] if clean else []
    paperless += ["--output-type", "pdfa" if pdfa else "auto"]
    found["ocrmypdf_paperless"] = _ocrmypdf(*paperless)
    found["ocrmypdf"] = _ocrmypdf("--output-type", "pdf")
    return found
