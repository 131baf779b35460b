"""Rules that file documents under a label by themselves, and trying them on."""

import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from archiv.api.callers import access_of
from archiv.api.headers import IF_MATCH_TAKEN
from archiv.api.routes import Routes
from archiv.api.rule_schemas import (
    Applied,
    ApplyWanted,
    LabelChanges,
    NewRule,
    Outcome,
    Rule,
    Rules,
    Trial,
    TrialWanted,
    show_rule,
)
from archiv.api.types import content_etag, expect_content
from documents.filing import LabelKind, RuleKind
from documents.services.apply_rules import ApplyReport, apply_rules, preview_rules
from documents.services.label_listing import list_rules, read_rule
from documents.services.labels import CAPABILITY_OF
from documents.services.rule_trial import try_rule
from documents.services.rules import add_rule, change_rule, remove_rule

routes = Routes("rules")


def _add_routes(kind: LabelKind) -> None:
    """Make the routes for the rules of one kind of label, whose capabilities they need."""
    name = CAPABILITY_OF[kind]
    one = kind.value
    path = f"/{name.replace('_', '-')}/{{uuid:label_id}}/rules"

    def list_all(request: HttpRequest, label_id: uuid.UUID) -> Rules:
        rows = list_rules(access=access_of(request), kind=kind, label_id=label_id)
        return Rules(rules=[show_rule(row) for row in rows])

    def add(request: HttpRequest, response: HttpResponse, label_id: uuid.UUID, wanted: NewRule) -> Rule:
        made = add_rule(access=access_of(request), kind=kind, label_id=label_id, **_given(wanted))
        return _tagged(response, show_rule(made))

    def get_one(
        request: HttpRequest, response: HttpResponse, label_id: uuid.UUID, rule_id: uuid.UUID
    ) -> Rule:
        row = read_rule(access=access_of(request), kind=kind, label_id=label_id, rule_id=rule_id)
        return _tagged(response, show_rule(row))

    def change(
        request: HttpRequest,
        response: HttpResponse,
        label_id: uuid.UUID,
        rule_id: uuid.UUID,
        wanted: NewRule,
    ) -> Rule:
        access = access_of(request)
        access.require(f"{name}:read")
        read_rule(access=access, kind=kind, label_id=label_id, rule_id=rule_id)
        row = change_rule(
            access=access,
            kind=kind,
            rule_id=rule_id,
            check=expect_content(request, show_rule),
            **_given(wanted),
        )
        return _tagged(response, show_rule(row))

    def remove(request: HttpRequest, label_id: uuid.UUID, rule_id: uuid.UUID) -> None:
        access = access_of(request)
        access.require(f"{name}:read")
        read_rule(access=access, kind=kind, label_id=label_id, rule_id=rule_id)
        remove_rule(access=access, kind=kind, rule_id=rule_id)

    words = one.replace("_", " ")
    each = f"{path}/{{uuid:rule_id}}"
    views: tuple[tuple[Callable[..., Any], str, str, str, str, Any, str], ...] = (
        (list_all, "GET", path, "read", f"list_{one}_rules", Rules, f"List the rules of a {words}."),
        (add, "POST", path, "edit", f"add_{one}_rule", {201: Rule}, f"Give a {words} a rule."),
        (get_one, "GET", each, "read", f"get_{one}_rule", Rule, f"Return one rule of a {words}."),
        (
            change, "PUT", each, "edit", f"change_{one}_rule", Rule,
            f"Define a rule of a {words} anew; one that was stopped works again. Takes If-Match.",
        ),
        (
            remove, "DELETE", each, "edit", f"remove_{one}_rule", {204: None},
            f"Remove a rule of a {words}; what it has filed stays.",
        ),
    )  # fmt: skip
    for view, method, address, verb, route, answer, text in views:
        view.__name__, view.__doc__ = route, text
        headers = [IF_MATCH_TAKEN] if method == "PUT" else []
        routes.add(method, address, capability=f"{name}:{verb}", response=answer, headers=headers)(view)


for _kind in LabelKind:
    _add_routes(_kind)


@routes.add("POST", "/rules/try", capability="documents:read", response=Trial)
def try_on(request: HttpRequest, wanted: TrialWanted) -> Trial:
    """Say what a rule would find in texts and in documents, before it is made; nothing is changed.

    With `label_id` it says too which of the documents would get the label.
    """
    trial = try_rule(
        access=access_of(request),
        rule_kind=RuleKind(wanted.kind),
        pattern=wanted.pattern,
        likeness=wanted.likeness,
        label_id=wanted.label_id,
        texts=wanted.texts,
        document_ids=list(dict.fromkeys(wanted.document_ids)),
    )
    return Trial(
        texts=[Outcome(found=one.found, files=None) for one in trial.texts],
        documents={
            str(key): Outcome(found=one.found, files=one.files if wanted.label_id else None)
            for key, one in trial.documents.items()
        },
        stopped=trial.stopped,
    )


@routes.add("POST", "/rules/preview", capability="documents:read", response=Applied)
def preview(request: HttpRequest, wanted: ApplyWanted) -> Applied:
    """Say what all rules together would do to documents now, and change nothing."""
    report = preview_rules(
        access=access_of(request), document_ids=wanted.document_ids, take_back=wanted.take_back
    )
    return _show_report(report)


@routes.add("POST", "/rules/apply", capability="documents:edit", response=Applied)
def apply(request: HttpRequest, wanted: ApplyWanted) -> Applied:
    """File documents by the rules as they are now. What people have decided stays."""
    report = apply_rules(
        access=access_of(request), document_ids=wanted.document_ids, take_back=wanted.take_back
    )
    return _show_report(report)


def _given(wanted: NewRule) -> dict[str, Any]:
    return {
        "rule_kind": RuleKind(wanted.kind),
        "pattern": wanted.pattern,
        "likeness": wanted.likeness,
    }


def _tagged(response: HttpResponse, shown: Rule) -> Rule:
    response.headers["ETag"] = content_etag(shown)
    return shown


def _show_report(report: ApplyReport) -> Applied:
    labels = [
        LabelChanges(
            name=one.name,
            kind=LabelKind(one.kind).value,
            filed=one.filed,
            suggested=one.suggested,
            dropped=one.dropped,
            examples=list(one.examples),
        )
        for one in report.labels
    ]
    return Applied(
        documents=report.documents,
        changed=report.changed,
        labels=labels,
        stopped_rules=[one.rule.id for one in report.stopped],
    )
