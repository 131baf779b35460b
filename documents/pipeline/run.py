"""Running the steps, each recorded and on its own."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog

from documents.filenames import clean_text
from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work

log = structlog.get_logger("archiv.documents")
#: Characters of a step's message.
MAX_MESSAGE = 1000


@dataclass(frozen=True)
class Step:
    """One step of the pipeline.

    `only` is the name under which the step can be run by itself on what was read before, without reading the
    file again; several steps may share one. Empty: it is run with a whole analysis only.
    """

    name: str
    run: Callable[[Work], StepReport]
    only: str = ""


@dataclass(frozen=True)
class Recorded:
    """How one step ended, and how long it took in seconds."""

    name: str
    outcome: StepOutcome
    message: str
    seconds: float


def run_steps(steps: Iterable[Step], work: Work) -> list[Recorded]:
    """Run all steps, whatever becomes of each, and return how they ended. Fills `work.findings`."""
    return [_run(step, work) for step in steps]


def _run(step: Step, work: Work) -> Recorded:
    started = time.monotonic()
    try:
        report = step.run(work)
    except Exception as error:  # a step that fails must not keep the others from the document
        log.exception("pipeline.step_failed", step=step.name, version=str(work.subject.version_id))
        report = StepReport(StepOutcome.FAILED, f"{type(error).__name__}: {error}")
    seconds = report.seconds + time.monotonic() - started
    return Recorded(step.name, report.outcome, clean_text(report.message, most=MAX_MESSAGE), seconds)
