"""Which types of job there are and who handles them. Apps say so in their module `handlers`."""

import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache

from django.utils.module_loading import autodiscover_modules

from jobs.context import JobContext, RunningJob, Scope
from jobs.errors import DuplicateJobType, RetiredJobType, UnknownJobType
from jobs.failure_words import NO_HANDLER
from jobs.models import Lane
from jobs.scope import tenant_rows

__all__ = [
    "Handler",
    "JobContext",
    "JobType",
    "RunningJob",
    "Scope",
    "TemplateModule",
    "autodiscover",
    "get_job_type",
    "handler",
    "job_types",
    "register_template",
    "retired_types",
    "templates",
]

Handler = Callable[[JobContext], None]
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True)
class JobType:
    """One type of job. `timeout` in seconds: the worker kills what runs longer, and that attempt failed."""

    name: str
    run: Handler
    timeout: float
    lane: Lane
    #: None: ARCHIV_MAX_RETRIES.
    max_retries: int | None
    #: Opens the transactions in which a job of this type checkpoints and finishes.
    scope: Scope


@dataclass(frozen=True)
class TemplateModule:
    """A process template that handlers need, started once a worker; it gets exactly this environment."""

    name: str
    module: str
    environment: Mapping[str, str] = field(default_factory=dict)


_TYPES: dict[str, JobType] = {}
_TEMPLATES: dict[str, TemplateModule] = {}
#: Types of earlier releases. Rows of theirs may still be queued: these are the words they fail with.
_RETIRED: Mapping[str, str] = {
    name: f"Jobs of type {name} were retired: {what} come from analyze-document. Enqueue that instead."
    for name, what in (("generate-thumbnails", "thumbnails"), ("generate-ocr-text", "texts"))
}


def handler(
    type: str,
    *,
    timeout: float,
    lane: Lane = Lane.NORMAL,
    max_retries: int | None = None,
    scope: Callable[[uuid.UUID], AbstractContextManager[None]] = tenant_rows,
) -> Callable[[Handler], Handler]:
    """Register the decorated function for jobs of `type`; `timeout` in seconds an attempt.

    Raises DuplicateJobType if somebody else has the type, and ValueError for a name or time that cannot be.
    """
    if not _NAME.fullmatch(type) or len(type) > 64:
        raise ValueError(f"{type!r} is no name for a job type: write it like analyze-document.")
    if not timeout > 0:
        raise ValueError(f"The timeout of {type} must be a positive number of seconds, not {timeout}.")
    if lane == Lane.LATER:
        raise ValueError(
            f"{type} cannot live in the lane 'later': that is where jobs wait until they are due."
        )

    def register(run: Handler) -> Handler:
        known = _TYPES.get(type)
        if type in _RETIRED:
            raise DuplicateJobType(f"{type} was retired, and its name is not used again.")
        if known is not None and known.run is not run:
            raise DuplicateJobType(
                f"{type} has two handlers: {known.run.__module__}.{known.run.__qualname__} "
                f"and {run.__module__}.{run.__qualname__}."
            )
        _TYPES[type] = JobType(type, run, timeout, lane, max_retries, scope)
        return run

    return register


def register_template(name: str, module: str, *, environment: Mapping[str, str] | None = None) -> None:
    """Have each worker run `python -m module` as a template; handlers ask it by `context.template(name)`.

    `environment` is the whole environment it gets: give it no secrets that it does not need.
    """
    known = _TEMPLATES.get(name)
    template = TemplateModule(name, module, dict(environment or {}))
    if known is not None and known != template:
        raise DuplicateJobType(f"Template {name} was registered twice: {known.module} and {module}.")
    _TEMPLATES[name] = template


@cache
def autodiscover() -> None:
    """Import the module `handlers` of every installed app, once. One without is fine, a broken one raises."""
    autodiscover_modules("handlers")


def get_job_type(name: str) -> JobType:
    """Return the type; raises RetiredJobType or UnknownJobType with words for whoever enqueued it."""
    autodiscover()
    try:
        return _TYPES[name]
    except KeyError:
        pass
    if name in _RETIRED:
        raise RetiredJobType(_RETIRED[name])
    raise UnknownJobType(NO_HANDLER % {"type": repr(name), "types": ", ".join(sorted(_TYPES))})


def job_types() -> Mapping[str, JobType]:
    """Return all types by name."""
    autodiscover()
    return dict(_TYPES)


def retired_types() -> Mapping[str, str]:
    """Return the names of retired types, and what their jobs fail with."""
    return dict(_RETIRED)


def templates() -> Mapping[str, TemplateModule]:
    """Return the templates that handlers need, by name."""
    autodiscover()
    return dict(_TEMPLATES)
