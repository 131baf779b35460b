"""The step `filing`: what rules and former filing say of the document."""

from documents.filing import Change, Knowledge, LabelKind, Verb, decide, labels_after, propose
from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work


def run(work: Work) -> StepReport:
    """Ask rules and counts. What a person has decided is kept when it is written."""
    knowledge, findings = work.knowledge, work.findings
    if knowledge is None or not knowledge.kinds:
        return StepReport(StepOutcome.SKIPPED, "no tags, correspondents or document types")
    proposed = propose(work.reading.text, filename=work.subject.filename, knowledge=knowledge)
    findings.proposals, findings.stopped = proposed.proposals, proposed.stopped
    changes = decide(knowledge.filed, proposed.proposals, apply_above=knowledge.apply_above)
    _note_labels(work, knowledge, changes)
    notes = [f"rule {each.rule.id} stopped after {each.seconds:.2f} s" for each in proposed.stopped]
    said = [_say(change, knowledge) for change in changes if change.verb is not Verb.DROP]
    if not said and not notes:
        return StepReport(StepOutcome.NOTHING)
    return StepReport(StepOutcome.DONE, "; ".join((*said, *notes)))


def _note_labels(work: Work, knowledge: Knowledge, changes: tuple[Change, ...]) -> None:
    labels = labels_after(knowledge.filed, changes)
    names = {kind: tuple(knowledge.names[each] for each in labels[kind]) for kind in LabelKind}
    work.findings.tags = names[LabelKind.TAG]
    work.findings.correspondent = "".join(names[LabelKind.CORRESPONDENT][:1])
    work.findings.document_type = "".join(names[LabelKind.DOCUMENT_TYPE][:1])


def _say(change: Change, knowledge: Knowledge) -> str:
    assert change.proposal is not None
    verb = "" if change.verb is Verb.FILE else "suggested "
    return f"{verb}{change.kind.replace('_', ' ')} {knowledge.names[change.label]!r} by {change.proposal.by}"
