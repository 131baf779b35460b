"""What is made of a file that was read: one module a step, all of them in STEPS, in their order.

A step looks at what was read and at what earlier steps found, and says how it ended. It asks neither database
nor vault, and its failure keeps no other step from running.
"""

from documents.pipeline.run import Step, run_steps
from documents.pipeline.steps import filing, index, issued, read, text, thumbnail, title, workflows
from documents.pipeline.work import Findings, Page, Reading, StepReport, Subject, Work

#: The step that brings the search up to date; it is run by every analysis.
INDEX = "index"
#: The step that asks rules and former filing.
FILING = "filing"
#: The step that finds a title, and the parts for one by a template.
TITLE = "title"
#: The step that runs the workflows.
WORKFLOWS = "workflows"

STEPS: tuple[Step, ...] = (
    Step("read", read.run),
    Step("text", text.run),
    Step("issued", issued.run, only="dates"),
    Step(FILING, filing.run, only="taxonomy"),
    Step(TITLE, title.run, only="titles"),
    Step(WORKFLOWS, workflows.run, only="workflows"),
    Step("thumbnail", thumbnail.run),
    Step(INDEX, index.run),
)

#: What an analysis can be kept to, where the file was read before: `reanalyze --only`.
PARTS: tuple[str, ...] = tuple(dict.fromkeys(step.only for step in STEPS if step.only))

__all__ = [
    "FILING",
    "INDEX",
    "PARTS",
    "STEPS",
    "TITLE",
    "WORKFLOWS",
    "Findings",
    "Page",
    "Reading",
    "Step",
    "StepReport",
    "Subject",
    "Work",
    "run_steps",
]
