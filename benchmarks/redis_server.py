"""A Redis server for one benchmark, that keeps each write as PostgreSQL does: an append-only file, synced."""

import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path


def is_installed() -> bool:
    """Whether there is a Redis server to start."""
    return shutil.which("redis-server") is not None


class RedisServer:
    """One server in a folder of its own, on a Unix socket."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="archiv-bench-redis-")
        self.socket = Path(self._folder.name) / "redis.sock"
        options = {"port": "0", "unixsocket": self.socket, "dir": self._folder.name, "save": ""}
        options |= {"appendonly": "yes", "appendfsync": "always"}
        words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 10
        while not self._answers():
            if time.monotonic() > until:
                raise RuntimeError("redis-server does not answer")
            time.sleep(0.05)

    @property
    def address(self) -> str:
        """Its address as Celery takes it."""
        return f"redis+socket://{self.socket}"

    def _answers(self) -> bool:
        try:
            return self.ask("PING") == b"+PONG"
        except OSError:
            return False

    def ask(self, *words: str) -> bytes:
        """Send one command and return the first line of what it answers."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            connection.sendall(" ".join(words).encode() + b"\r\n")
            return connection.recv(4096).split(b"\r\n")[0]

    def close(self) -> None:
        """Stop it and remove what it wrote."""
        self.process.terminate()
        self.process.wait()
        self._folder.cleanup()
