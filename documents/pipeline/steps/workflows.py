"""The step `workflows`: what the tenant wants done with a document once it has been read."""

import uuid

from documents.filing import LabelKind, decide, labels_after
from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work
from documents.workflows import Effects, Facts, run_flows


def run(work: Work) -> StepReport:
    """Run the workflows in their order. What they want is written with the document."""
    given, findings, reading = work.flows, work.findings, work.reading
    if reading.failure:
        return StepReport(StepOutcome.FAILED, "wait until the file can be read")
    if given is None:
        return StepReport(StepOutcome.NOTHING, "run once, after the first reading")
    if not given.flows:
        return StepReport(StepOutcome.NOTHING)
    facts = Facts(
        source=given.source,
        filename=work.subject.filename,
        media_type=reading.media_type or work.subject.media_type,
        text=reading.text,
        issued=findings.issued or given.issued,
        labels=_labels(work),
    )
    findings.effects, findings.flow_results = run_flows(given.flows, facts)
    _name_labels(work, findings.effects)
    said = [
        f"{result.flow.name!r} not run: {result.unmet}" if result.unmet else f"{result.flow.name!r} run"
        for result in findings.flow_results
    ]
    ran = any(not result.unmet for result in findings.flow_results)
    return StepReport(StepOutcome.DONE if ran else StepOutcome.NOTHING, "; ".join(said))


def _name_labels(work: Work, effects: Effects) -> None:
    """Let a title by a template have the correspondent and the type that workflows give."""
    names = work.knowledge.names if work.knowledge is not None else {}
    for label, kind in effects.added.items():
        if kind is LabelKind.CORRESPONDENT:
            work.findings.correspondent = names.get(label, "")
        elif kind is LabelKind.DOCUMENT_TYPE:
            work.findings.document_type = names.get(label, "")


def _labels(work: Work) -> dict[LabelKind, frozenset[uuid.UUID]]:
    knowledge = work.knowledge
    if knowledge is None:
        return {}
    changes = decide(knowledge.filed, work.findings.proposals, apply_above=knowledge.apply_above)
    return {kind: frozenset(labels) for kind, labels in labels_after(knowledge.filed, changes).items()}
