"""Workflows (pure): conditions on a document that was read, and what is done with it when they hold.

Written as JSON, checked here with a message for each way to be wrong, and run here on facts: what comes out
are effects, which the analysis writes, and a dry run only shows.
"""

from documents.workflows.actions import (
    Action,
    AddNote,
    AddTags,
    CallWebhook,
    RemoveTags,
    SetLabel,
    SetRetentionClass,
    SetTitle,
)
from documents.workflows.conditions import Conditions, Facts
from documents.workflows.parsing import BadWorkflow, parse_actions, parse_conditions, references
from documents.workflows.running import ActionResult, Effects, Flow, FlowResult, run_flows

__all__ = [
    "Action",
    "ActionResult",
    "AddNote",
    "AddTags",
    "BadWorkflow",
    "CallWebhook",
    "Conditions",
    "Effects",
    "Facts",
    "Flow",
    "FlowResult",
    "RemoveTags",
    "SetLabel",
    "SetRetentionClass",
    "SetTitle",
    "parse_actions",
    "parse_conditions",
    "references",
    "run_flows",
]
