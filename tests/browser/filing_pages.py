"""An archive in which something is filed, and the pages about it."""

from django.db.models.functions import Now

from documents.filing import LabelKind, RuleKind
from documents.models import Filing, FilingSettings, Label, MatchingRule, Workflow, WorkflowRun
from documents.services.filing import file_documents
from documents.services.labels import create_label
from documents.services.rules import add_rule
from documents.services.workflows import create_workflow
from tenants.access import operator_access
from tenants.scope import tenant_scope
from tests.browser.conftest import Archive

#: What the tenant has tags for.
TAGS = ("Fahrtkosten", "Reise", "Reisekosten und Auslagen der auswärtigen Mitarbeiterinnen")
#: A pattern that is too long for a narrow window.
LONG_PATTERN = r"(?:Rechnungs|Kunden|Vertrags)(?:nummer|-Nr\.?):?\s*[A-Z]{2}[0-9]{4,}(?:/[0-9]{2})?"


def fill_filing(archive: Archive) -> list[str]:
    """File, suggest, stop a rule, run a workflow; returns the addresses of all pages about these."""
    tenant_id, paper = archive.tenant.pk, archive.document.pk
    access = operator_access(tenant_id)
    tags = [create_label(access=access, kind=LabelKind.TAG, name=name) for name in TAGS]
    sender = create_label(access=access, kind=LabelKind.CORRESPONDENT, name="Stadtwerke Beispielstadt GmbH")
    kind = create_label(access=access, kind=LabelKind.DOCUMENT_TYPE, name="Rechnung")
    rules = [
        add_rule(access=access, kind=LabelKind.TAG, label_id=tags[0].pk, rule_kind=rule_kind, pattern=pattern)
        for rule_kind, pattern in ((RuleKind.ANY, "fahrtkosten"), (RuleKind.REGEX, LONG_PATTERN))
    ]
    file_documents(access=access, document_ids=[paper], add=[tags[1].pk])
    flow = create_workflow(
        access=access,
        name="Reisekosten prüfen",
        conditions={"text": {"pattern": "fahrtkosten"}},
        actions=[
            {"do": "set_document_type", "document_type": "Rechnung"},
            {"do": "set_title", "template": "{issued_date} {correspondent} {type} {number}"},
            {"do": "add_note", "text": "bitte prüfen"},
            {"do": "call_webhook", "url": "https://hook.example/eine/sehr/lange/adresse/fuer/reisekosten"},
        ],
    )
    with tenant_scope(tenant_id):
        MatchingRule.objects.filter(pk=rules[1].pk).update(
            stopped_at=Now(), stopped_because="stopped after 1.20 s of processor time on one document"
        )
        for label, set_by, state, words in (
            (tags[0], "rule", "filed", ["fahrtkosten"]),
            (kind, "workflow", "filed", []),
            (sender, "suggestion", "suggested", ["stadtwerke", "@stadtwerke-beispielstadt.example"]),
            (tags[2], "person", "refused", []),
        ):
            Filing.objects.create(
                tenant_id=tenant_id, document_id=paper, label=label, kind=label.kind, state=state,
                set_by=set_by, because=words, confidence=0.87 if set_by == "suggestion" else None,
                rule_id=rules[0].pk if set_by == "rule" else None,
            )  # fmt: skip
        run = WorkflowRun.objects.create(
            tenant_id=tenant_id,
            document_id=paper,
            workflow_id=flow.pk,
            job_id=archive.failed.pk,
            results=[
                {"do": "set_document_type", "what": str(kind.pk), "outcome": "done", "message": ""},
                {
                    "do": "set_title",
                    "what": "{issued_date}",
                    "outcome": "left",
                    "message": "a person has set the title",
                },
                {
                    "do": "call_webhook",
                    "what": "https://hook.example/",
                    "outcome": "failed",
                    "message": "503",
                },
            ],
        )
        settings = FilingSettings.objects.get(tenant_id=tenant_id)
    return _addresses(archive, tags, rules, flow, run, settings, (sender, kind))


def _addresses(
    archive: Archive,
    tags: list[Label],
    rules: list[MatchingRule],
    flow: Workflow,
    run: WorkflowRun,
    settings: FilingSettings,
    singles: tuple[Label, Label],
) -> list[str]:
    base = "/admin/documents"
    merged = "&".join(f"id={tag.pk}" for tag in tags)
    return [
        f"{base}/tag/",
        f"{base}/tag/add/",
        f"{base}/tag/{tags[0].pk}/change/",
        f"{base}/tag/merge/?tenant={archive.tenant.pk}&{merged}",
        f"{base}/correspondent/",
        f"{base}/correspondent/{singles[0].pk}/change/",
        f"{base}/documenttype/",
        f"{base}/documenttype/{singles[1].pk}/change/",
        f"{base}/matchingrule/",
        f"{base}/matchingrule/add/?label={tags[0].pk}",
        f"{base}/matchingrule/{rules[0].pk}/change/",
        f"{base}/matchingrule/{rules[1].pk}/change/",
        f"{base}/filingsettings/",
        f"{base}/filingsettings/{settings.pk}/change/",
        f"{base}/workflow/",
        f"{base}/workflow/add/",
        f"{base}/workflow/{flow.pk}/change/",
        f"{base}/workflowrun/",
        f"{base}/workflowrun/{run.pk}/change/",
        f"{base}/document/{archive.document.pk}/change/?workflows=try",
    ]
