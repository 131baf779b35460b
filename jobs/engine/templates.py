"""The process templates of one worker: that of its children, and those that handlers asked for."""

import os
import socket
import time
from collections.abc import Mapping
from selectors import EVENT_READ, BaseSelector

from jobs.engine import events
from jobs.forkserver import ForkServerError, Template, start_template
from jobs.registry import TemplateModule

#: The template that children are forked from.
CHILD = "child"
# One thread each: with more, OCR of one page takes every core, and a fork of a process with threads is
# unsafe.
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_BARE = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZ", "COVERAGE_PROCESS_START")
_RESTART_PAUSE = 1.0
_WARM_SECONDS = 120.0


class Templates:
    """Starts the templates, watches them, and starts anew what dies.

    `generation` grows whenever the sockets for children change: a child of an earlier one knows a dead
    template.
    """

    def __init__(self, modules: Mapping[str, TemplateModule], *, worker: str, selector: BaseSelector) -> None:
        self._modules = dict(modules)
        self._worker = worker
        self._selector = selector
        self._running: dict[str, Template] = {}
        self._ready: set[str] = set()
        self._restart_at: dict[str, float] = {}
        self.generation = 0
        # Whoever holds the read end sees its end when this process is gone, however it went.
        self._life_read, self._life_write = os.pipe2(os.O_CLOEXEC)

    def start(self) -> None:
        """Start all and wait until they are warm; raises ForkServerError if one cannot start."""
        names = [CHILD, *self._modules]
        for name in names:
            self._start(name)
        until = time.monotonic() + _WARM_SECONDS
        for name in names:
            self._running[name].wait_ready(max(0.1, until - time.monotonic()))
            self._ready.add(name)
            self._watch(name)

    def _start(self, name: str) -> None:
        environment = dict(os.environ) | _ONE_THREAD
        module = "jobs.engine.child_template"
        if name != CHILD:
            bare = {key: os.environ[key] for key in _BARE if key in os.environ}
            environment = bare | _ONE_THREAD | dict(self._modules[name].environment)
            module = self._modules[name].module
        self._running[name] = start_template(module, env=environment, life=self._life_read)

    def _watch(self, name: str) -> None:
        self._selector.register(self._running[name].requests, EVENT_READ, lambda: self._notice(name))

    def is_ready(self, name: str) -> bool:
        """Whether the template can be asked now."""
        return name in self._ready

    def requests(self, name: str) -> socket.socket:
        """The socket on which a template that is ready is asked."""
        return self._running[name].requests

    def sockets(self) -> dict[str, socket.socket]:
        """The sockets that children get: of all templates but their own that are ready."""
        return {name: self._running[name].requests for name in self._modules if name in self._ready}

    def _notice(self, name: str) -> None:
        """A template that was starting is ready, or one has died."""
        template = self._running[name]
        try:
            template.wait_ready(0)
        except ForkServerError:
            code = template.process.poll()
            self._ready.discard(name)
            self._selector.unregister(template.requests)
            template.close()
            self.generation += name != CHILD
            self._restart_at[name] = time.monotonic() + _RESTART_PAUSE
            events.template_ended(self._worker, name=name, how=f"exit code {code}")
        else:
            self._ready.add(name)
            self.generation += name != CHILD

    def kill(self, name: str) -> None:
        """Kill a template that answers no more, and with it all that it forked: it is started anew."""
        self._running[name].process.kill()

    @property
    def restart_at(self) -> float | None:
        """When the next dead template is started anew (monotonic seconds)."""
        return min(self._restart_at.values(), default=None)

    def restart_dead(self) -> None:
        """Start anew what has died, a moment later; it reports itself when it is warm."""
        now = time.monotonic()
        for name in [name for name, moment in self._restart_at.items() if moment <= now]:
            del self._restart_at[name]
            self._start(name)
            self._watch(name)

    def close(self) -> None:
        """End all of them and whatever was forked from them."""
        os.close(self._life_write)
        for template in self._running.values():
            template.close()
        os.close(self._life_read)
