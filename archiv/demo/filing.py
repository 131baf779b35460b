"""How the demo's tenants file: labels, rules and a workflow each, so that filing is seen at work."""

from collections.abc import Mapping
from typing import Any

from archiv.samples.senders import KANZLEI, STADTARCHIV
from documents.errors import LabelNameTaken
from documents.filing import LabelKind, RuleKind
from documents.services.labels import create_label
from documents.services.rules import add_rule
from documents.services.workflows import create_workflow
from tenants.access import operator_access
from tenants.models import Tenant

_TAG, _SENDER, _TYPE = LabelKind.TAG, LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE

#: Of each tenant: kind, name, and what a rule of which kind looks for.
LABELS: Mapping[str, tuple[tuple[LabelKind, str, RuleKind, str], ...]] = {
    KANZLEI: (
        (_TYPE, "Rechnung", RuleKind.ANY, 'rechnungsnummer "invoice number" jahresabrechnung'),
        (_TYPE, "Vertrag", RuleKind.ANY, 'mietvertrag "außergerichtlicher vergleich" "terms of engagement"'),
        (_SENDER, "Papierwerk", RuleKind.EXACT, "papierwerk.example"),
        (_TAG, "Mandat 57/25", RuleKind.EXACT, "57/25"),
        (_TAG, "Frist", RuleKind.ANY, "fristverlängerung zahlungserinnerung"),
    ),
    STADTARCHIV: (
        (_TYPE, "Rechnung", RuleKind.ANY, 'rechnungsnummer "invoice date" "rechnung restaurierung"'),
        (_TYPE, "Bescheid", RuleKind.ANY, "gebührenbescheid"),
        (_TAG, "Nachlass", RuleKind.ANY, "nachlass"),
        (_TAG, "Bestand", RuleKind.ANY, 'findbuch "karten und pläne" benutzungsordnung'),
    ),
}
#: A workflow of each tenant: name, conditions, actions.
WORKFLOWS: Mapping[str, tuple[str, Mapping[str, Any], list[Mapping[str, Any]]]] = {
    KANZLEI: (
        "Belege",
        {"document_type": ["Rechnung"]},
        [{"do": "add_note", "text": "An die Buchhaltung."}],
    ),
    STADTARCHIV: (
        "Anfragen",
        {"type": ["message/rfc822"]},
        [{"do": "add_note", "text": "Bitte binnen zwei Wochen beantworten."}],
    ),
}


def teach_filing(tenant: Tenant, name: str) -> int:
    """Give a demo tenant its labels, rules and workflow, unless they are there; returns how many are new."""
    access, made = operator_access(tenant.pk), 0
    for kind, label_name, rule_kind, pattern in LABELS.get(name, ()):
        try:
            label = create_label(access=access, kind=kind, name=label_name)
        except LabelNameTaken:
            continue
        add_rule(access=access, kind=kind, label_id=label.pk, rule_kind=rule_kind, pattern=pattern)
        made += 1
    if made and name in WORKFLOWS:
        title, conditions, actions = WORKFLOWS[name]
        create_workflow(access=access, name=title, conditions=conditions, actions=actions)
    return made
