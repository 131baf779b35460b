"""How archiv logs: one line of JSON an event, or coloured text where a person watches."""

import sys
from typing import Any

import structlog

from jobs.running import name_running_job


def logging_settings(level: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything to stderr, by structlog, in the form its reader needs."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        name_running_job,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    watched = sys.stderr.isatty()
    # Tracebacks as plain text: structlog's richer ones show local variables, which hold tenants' texts.
    last: list[Any] = (
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if watched
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"event": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "event"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django's own handler would write each of its lines twice.
            "django": {"handlers": [], "level": level, "propagate": True},
            # It says at each start that its logging works.
            "pikepdf": {"level": "WARNING"},
        },
    }
