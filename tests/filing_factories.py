"""Rows of filing and of workflows for tests."""

import factory
from factory.django import DjangoModelFactory

from documents.models import (
    Filing,
    FilingSettings,
    Label,
    LearnedDocument,
    MatchingRule,
    Note,
    WordCount,
    Workflow,
    WorkflowRun,
)
from tests.factories import DocumentFactory


class LabelFactory(DjangoModelFactory[Label]):
    """A tag."""

    class Meta:
        model = Label

    kind = "tag"
    name = factory.Sequence(lambda number: f"label {number}")
    key = factory.SelfAttribute("name")


class MatchingRuleFactory(DjangoModelFactory[MatchingRule]):
    """A rule that looks for the word `text`."""

    class Meta:
        model = MatchingRule

    label = factory.SubFactory(LabelFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    kind = "any"
    pattern = "text"


class FilingFactory(DjangoModelFactory[Filing]):
    """A document that a person has filed under a tag."""

    class Meta:
        model = Filing

    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    label = factory.SubFactory(LabelFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    kind = factory.SelfAttribute("label.kind")
    state = "filed"
    set_by = "person"


class FilingSettingsFactory(DjangoModelFactory[FilingSettings]):
    """Settings as they are by default."""

    class Meta:
        model = FilingSettings


class LearnedDocumentFactory(DjangoModelFactory[LearnedDocument]):
    """A document whose one word was counted."""

    class Meta:
        model = LearnedDocument

    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    kind = "tag"
    labels = factory.LazyFunction(list)
    words = factory.LazyFunction(lambda: ["text"])


class WordCountFactory(DjangoModelFactory[WordCount]):
    """A word in one document of a tag."""

    class Meta:
        model = WordCount

    label = factory.SubFactory(LabelFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    kind = "tag"
    word = "text"
    documents = 1


class WorkflowFactory(DjangoModelFactory[Workflow]):
    """A workflow that leaves a note with every document."""

    class Meta:
        model = Workflow

    name = factory.Sequence(lambda number: f"workflow {number}")
    key = factory.SelfAttribute("name")
    actions = factory.LazyFunction(lambda: [{"do": "add_note", "text": "text"}])


class WorkflowRunFactory(DjangoModelFactory[WorkflowRun]):
    """A run that did nothing."""

    class Meta:
        model = WorkflowRun

    workflow = factory.SubFactory(WorkflowFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    job_id = 1


class NoteFactory(DjangoModelFactory[Note]):
    """A note of a workflow."""

    class Meta:
        model = Note

    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    text = "text"
    written_by = "workflow:1"
