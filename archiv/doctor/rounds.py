"""All looks, in the order in which they make sense."""

from collections.abc import Callable

from django.db import Error

from archiv.doctor import database, machine, work
from archiv.doctor.finding import Finding, Look, error
from documents.errors import DocumentsError

#: Without these the others find nothing but the same trouble again.
_FIRST: tuple[Look, ...] = (database.look_at_roles, database.look_at_migrations)
_LOOKS: tuple[Look, ...] = (
    database.look_at_server,
    database.look_at_clock,
    database.look_at_horizon,
    database.look_at_indexes,
    machine.look_at_settings,
    machine.look_at_vault,
    machine.look_at_folders,
    machine.look_at_languages,
    work.look_at_workers,
    work.look_at_queue,
    work.look_at_failures,
    work.look_at_files,
    work.look_at_audit_heads,
    work.look_at_backup,
)


def examine(tell: Callable[[int, int | None], None]) -> list[Finding]:
    """Look at everything, and return what was found; `tell` hears how many looks are done."""
    findings: list[Finding] = []
    looks = [*_FIRST, *_LOOKS]
    for done, look in enumerate(looks):
        tell(done, len(looks))
        findings += _look(look)
        if look is _FIRST[-1] and any(finding.verdict == "error" for finding in findings):
            break
    tell(len(looks), len(looks))
    return findings


def _look(look: Look) -> list[Finding]:
    subject = look.__name__.removeprefix("look_at_").replace("_", " ")
    try:
        return list(look())
    except Error as problem:
        return [error(subject, f"the database does not answer as it should: {problem}", "See DATABASE_URL.")]
    except (OSError, DocumentsError) as problem:
        return [error(subject, str(problem), "Put this right first: nothing else was looked at here.")]
