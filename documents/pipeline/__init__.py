"""What is made of a file that was read: one module a step, all of them in STEPS, in their order.

A step looks at what was read and at what earlier steps found, and says how it ended. It asks neither database
nor vault, and its failure keeps no other step from running.
"""

from documents.pipeline.run import Step, run_steps
from documents.pipeline.steps import index, issued, read, text, thumbnail, title
from documents.pipeline.work import Findings, Page, Reading, StepReport, Subject, Work

STEPS: tuple[Step, ...] = (
    Step("read", read.run),
    Step("text", text.run),
    Step("issued", issued.run),
    Step("title", title.run),
    Step("thumbnail", thumbnail.run),
    Step("index", index.run),
)

__all__ = [
    "STEPS",
    "Findings",
    "Page",
    "Reading",
    "Step",
    "StepReport",
    "Subject",
    "Work",
    "run_steps",
]
