"""A small fork server: warm processes on request, that die with whoever asked for them.

A *template* is a fresh single-threaded process that warms up and then forks on request. Every
forked process hangs on a *leash*, a socket held by whoever asked: over it come the process id and
at last the exit; when it closes, the process is killed with all its group. Nothing here knows
Django or a database, so templates without either can use it.

In the asking process: `start_template`, `fork`. In the template's module: `serve`.
"""

from jobs.forkserver.client import Forked, Template, fork, start_template
from jobs.forkserver.messages import (
    MAX_DESCRIPTORS,
    MAX_PAYLOAD,
    Exit,
    ForkRefused,
    ForkServerError,
    TemplateGone,
    TemplateNotReady,
)
from jobs.forkserver.processes import die_with_parent
from jobs.forkserver.server import serve

__all__ = [
    "MAX_DESCRIPTORS",
    "MAX_PAYLOAD",
    "Exit",
    "ForkRefused",
    "ForkServerError",
    "Forked",
    "Template",
    "TemplateGone",
    "TemplateNotReady",
    "die_with_parent",
    "fork",
    "serve",
    "start_template",
]
