"""The environment of the peers: made on first use."""

import subprocess
import sys
import venv

from benchmarks.systems import PEER_PYTHON, ROOT


def ensure_peers() -> None:
    """Make .venv-peers, unless it is there."""
    if not PEER_PYTHON.exists():
        install_peers()


def install_peers() -> None:
    """Make .venv-peers, or bring it up to date."""
    print("Making .venv-peers", file=sys.stderr)
    if not PEER_PYTHON.exists():
        venv.create(ROOT / ".venv-peers", with_pip=True)
    requirements = ROOT / "benchmarks" / "requirements-peers.txt"
    subprocess.run([PEER_PYTHON, "-m", "pip", "install", "-q", "-r", requirements], check=True)
