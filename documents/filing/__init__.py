"""How documents are filed (pure): what rules say, what former filing suggests, and what is done with both.

Texts go in, proposals come out; a proposal becomes a change unless a person has decided otherwise.
"""

from documents.filing.deciding import (
    Change,
    Filed,
    FilingState,
    LabelKind,
    Proposal,
    SetBy,
    Verb,
    decide,
)
from documents.filing.matcher import Hit, Matcher, Matches, Stopped
from documents.filing.proposing import Knowledge, Proposed, labels_after, propose
from documents.filing.rules import BadPattern, Rule, RuleKind, check_rule

__all__ = [
    "BadPattern",
    "Change",
    "Filed",
    "FilingState",
    "Hit",
    "Knowledge",
    "LabelKind",
    "Matcher",
    "Matches",
    "Proposal",
    "Proposed",
    "Rule",
    "RuleKind",
    "SetBy",
    "Stopped",
    "Verb",
    "check_rule",
    "decide",
    "labels_after",
    "propose",
]
