"""What rules look like in the API, and what trying them on says."""

import uuid
from datetime import datetime
from typing import Annotated, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StrictBool

from archiv.api.types import Text
from documents.filing.rules import LEAST_LIKENESS, MAX_PATTERN, USUAL_LIKENESS, RuleKind
from documents.models import MatchingRule

Kind = Literal["none", "any", "all", "exact", "regex", "fuzzy"]
SomeDocuments = Annotated[list[uuid.UUID], Field(max_length=50)]


class NewRule(Schema):
    """What a text must have in it. `none` switches a rule off; `likeness` in percent, of fuzzy ones."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind = "any"
    pattern: Text = Field(max_length=MAX_PATTERN)
    likeness: int = Field(default=USUAL_LIKENESS, ge=LEAST_LIKENESS, le=100)


class Rule(Schema):
    """A rule of one label. `stopped_because` says why it rests: it took too long."""

    id: uuid.UUID
    label_id: uuid.UUID
    kind: Kind
    pattern: str
    likeness: int
    stopped_at: datetime | None
    stopped_because: str


class Rules(Schema):
    """The rules of a label, oldest first."""

    rules: list[Rule]


class TrialWanted(NewRule):
    """A rule, and what it is to be tried on."""

    label_id: uuid.UUID | None = None
    texts: list[Annotated[Text, Field(max_length=100_000)]] = Field(default=[], max_length=20)
    document_ids: list[uuid.UUID] = Field(default=[], max_length=20)


class Outcome(Schema):
    """What the rule found, null if nothing. `files`: the document would get the label, if one was given."""

    found: str | None
    files: bool | None


class Trial(Schema):
    """What came of it, text by text and document by document; `stopped`: the rule took too long."""

    texts: list[Outcome]
    documents: dict[str, Outcome]
    stopped: bool


class ApplyWanted(Schema):
    """Documents, and whether what rules have filed and would file no more is taken away."""

    model_config = ConfigDict(extra="forbid")

    document_ids: list[uuid.UUID] = Field(min_length=1, max_length=50)
    take_back: StrictBool = False


class LabelChanges(Schema):
    """What is done with one label, and some of the documents with which it is done."""

    name: str
    kind: Literal["tag", "correspondent", "document_type"]
    filed: int
    suggested: int
    dropped: int
    examples: list[uuid.UUID]


class Applied(Schema):
    """How many documents were looked at and changed, label by label; rules that took too long."""

    documents: int
    changed: int
    labels: list[LabelChanges]
    stopped_rules: list[uuid.UUID]


def show_rule(row: MatchingRule) -> Rule:
    """Return a rule as the API shows it."""
    return Rule(
        id=row.pk,
        label_id=row.label_id,
        kind=RuleKind(row.kind).value,
        pattern=row.pattern,
        likeness=row.likeness,
        stopped_at=row.stopped_at,
        stopped_because=row.stopped_because,
    )
