"""Why a document is dated and filed as it is, and taking another of the dates that were found."""

import uuid
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from django.http import HttpRequest, HttpResponse
from ninja import Schema
from pydantic import ConfigDict

from archiv.api.callers import access_of
from archiv.api.document_schemas import Document
from archiv.api.documents import get
from archiv.api.headers import IF_MATCH_NEEDED
from archiv.api.routes import Routes
from archiv.api.types import Day, expect
from documents.explaining import IssuedCandidate, explain_document
from documents.filing import FilingState, LabelKind, SetBy
from documents.models import FileFacts, Filing, WorkflowRun
from documents.models.facts import STATED
from documents.services.candidates import take_candidate
from documents.services.listing import get_document
from tenants.scope import tenant_scope

routes = Routes("why")


class DateReason(Schema):
    """One reason for or against a date: a stable code, the words or figure behind it, its points."""

    code: str
    detail: str
    points: int


class DateCandidate(Schema):
    """A date that was found; `page` counts from 1, 0 is no page of the text. The best come first."""

    date: date
    score: int
    source: str
    page: int
    label: str
    written: str
    chosen: bool
    reasons: list[DateReason]


class FiredRule(Schema):
    """The rule that filed a document."""

    id: uuid.UUID
    kind: str
    pattern: str


class FiledBecause(Schema):
    """Where a document stands to a label, who said so, and the words that spoke for it.

    `confidence` is that of a suggestion, 0 to 1; `rule` is null where no rule did it, or where it has gone.
    """

    label_id: uuid.UUID
    kind: Literal["tag", "correspondent", "document_type"]
    name: str
    state: Literal["filed", "suggested", "refused", "removed"]
    set_by: Literal["person", "workflow", "rule", "suggestion"]
    because: list[str]
    confidence: float | None
    rule: FiredRule | None


class StatedFacts(Schema):
    """What the file states of itself, such as the XML of an electronic invoice; empty or null: not stated.

    Amounts have two decimals, in `currency`. `type_code` is of UNTDID 1001, `profile` the guideline followed.
    """

    syntax: Literal["mail", "cii", "ubl"]
    issued: date | None
    subject: str
    author: str
    number: str
    type_code: str
    profile: str
    due: date | None
    seller: str
    buyer: str
    net: Decimal | None
    tax: Decimal | None
    gross: Decimal | None
    currency: str


class ActionTaken(Schema):
    """What came of one action of a workflow."""

    do: str
    outcome: Literal["done", "left", "queued", "delivered", "failed"]
    message: str


class RunOfWorkflow(Schema):
    """A workflow that was run on the document, and its actions in their order."""

    workflow_id: uuid.UUID
    name: str
    at: datetime
    actions: list[ActionTaken]


class Why(Schema):
    """The issued date, its source, what is doubtful about it (empty: nothing), all filings, and more.

    `stated` are facts of the file itself (null: it states none), which beat any guess. A title that a person
    or a workflow has set is not that of the paper's own words.
    """

    title_set_by: Literal["person", "workflow", "content"]
    issued_at: date | None
    issued_source: str
    issued_doubt: str
    candidates: list[DateCandidate]
    filings: list[FiledBecause]
    workflow_runs: list[RunOfWorkflow]
    stated: StatedFacts | None


class TakenDate(Schema):
    """One of the candidates."""

    model_config = ConfigDict(extra="forbid")

    issued_at: Day


@routes.add("GET", "/documents/{uuid:document_id}/why", capability="documents:read", response=Why)
def explain(request: HttpRequest, document_id: uuid.UUID) -> Why:
    """Say why a document is dated and filed as it is: candidates, rules, suggestions, workflows."""
    access = access_of(request)
    view = get_document(access=access, document_id=document_id)
    with tenant_scope(access.tenant_id):
        why = explain_document(access.tenant_id, view.document, view.version.pk if view.version else None)
    return Why(
        title_set_by=why.title_set_by,
        issued_at=why.issued_at,
        issued_source=why.source.value,
        issued_doubt=why.doubt.value,
        candidates=[_show_candidate(candidate) for candidate in why.candidates],
        filings=[_show_filing(filing) for filing in why.filings],
        workflow_runs=[_show_run(run) for run in why.runs],
        stated=_show_facts(why.facts) if why.facts is not None else None,
    )


@routes.add(
    "POST",
    "/documents/{uuid:document_id}/take-date",
    capability="documents:edit",
    response=Document,
    headers=[IF_MATCH_NEEDED],
)
def take_date(
    request: HttpRequest, response: HttpResponse, document_id: uuid.UUID, wanted: TakenDate
) -> Document:
    """Take one of the candidates as the issued date, or confirm the one taken. Needs If-Match.

    No analysis touches it again. Another date than these is set by PATCH.
    """
    access = access_of(request)
    access.require("documents:read")  # the answer shows it
    before = get_document(access=access, document_id=document_id)
    take_candidate(
        access=access,
        document_id=document_id,
        issued_at=wanted.issued_at,
        expected=expect(request, before.document.updated_at),
    )
    return get(request, response, document_id)


def _show_candidate(candidate: IssuedCandidate) -> DateCandidate:
    return DateCandidate(
        date=candidate.date,
        score=candidate.score,
        source=candidate.source.value,
        page=candidate.page,
        label=candidate.label,
        written=candidate.written,
        chosen=candidate.is_chosen,
        reasons=[
            DateReason(code=reason.code, detail=reason.detail, points=reason.points)
            for reason in candidate.reasons
        ],
    )


def _show_filing(filing: Filing) -> FiledBecause:
    rule = filing.rule
    return FiledBecause(
        label_id=filing.label_id,
        kind=LabelKind(filing.kind).value,
        name=filing.label.name,
        state=FilingState(filing.state).value,
        set_by=SetBy(filing.set_by).value,
        because=filing.because,
        confidence=filing.confidence,
        rule=FiredRule(id=rule.pk, kind=rule.kind, pattern=rule.pattern) if rule is not None else None,
    )


def _show_run(run: WorkflowRun) -> RunOfWorkflow:
    """Leave out what the actions are about: addresses of webhooks are for those who may see workflows."""
    actions = [
        ActionTaken(do=each["do"], outcome=each["outcome"], message=each["message"]) for each in run.results
    ]
    return RunOfWorkflow(
        workflow_id=run.workflow_id, name=run.workflow.name, at=run.created_at, actions=actions
    )


def _show_facts(facts: FileFacts) -> StatedFacts:
    return StatedFacts.model_validate({name: getattr(facts, name) for name in STATED})
