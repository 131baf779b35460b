"""Why a document is dated and filed as it is, on its page; a click takes another date."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib.admin.utils import label_for_field
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils import formats
from django.utils.translation import gettext

from documents.admin_edit import DocumentEditing
from documents.admin_forms import PERMISSION, document_form
from documents.explaining import IssuedCandidate, explain_document
from documents.models import Document, DocumentVersion, FileFacts
from documents.reason_words import REASON_WORDS
from documents.services.candidates import take_candidate
from tenants.access import operator_access


@dataclass(frozen=True)
class ShownCandidate:
    """A candidate as the page shows it."""

    candidate: IssuedCandidate
    source: str
    reasons: tuple[tuple[str, str, str], ...]


class DocumentWhy(DocumentEditing):
    """Adds what explains a document, and the address for taking a date."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the buttons, before Django's own."""
        view = self.admin_site.admin_view(self.take_date_view)
        return [
            path("<uuid:document_id>/take-date/", view, name="documents_document_take_date"),
            *super().get_urls(),
        ]

    def why_context(
        self, request: HttpRequest, document: Document, version: DocumentVersion | None
    ) -> dict[str, Any]:
        """Return the explanation in words, and whether this person may take a date."""
        why = explain_document(document.tenant_id, document, version.pk if version else None)
        changeable = document.trashed_at is None and document.purging_at is None
        return {
            "why": why,
            "why_source": why.source.label,
            "why_doubt": why.doubt.label if why.doubt else "",
            "candidates": [_shown(candidate) for candidate in why.candidates],
            "facts": show_facts(why.facts) if why.facts is not None else (),
            "may_take_date": changeable and request.user.has_perm(PERMISSION),
        }

    @document_form
    def take_date_view(self, request: HttpRequest, document: Document) -> str:
        """Take the date of the button."""
        try:
            day = date.fromisoformat(request.POST.get("issued_at", ""))
        except ValueError as error:
            raise ValidationError(gettext("That is no date.")) from error
        access = operator_access(document.tenant_id)
        take_candidate(access=access, document_id=document.pk, issued_at=day)
        return gettext("The date is set and stays.")


def show_facts(facts: FileFacts) -> list[tuple[str, str]]:
    """Return what a file states of itself, in words: names of fields and their values."""
    shown: list[tuple[str, str]] = []
    for name in ("number", "issued", "due", "seller", "buyer", "subject", "author"):
        value = getattr(facts, name)
        if value:
            shown.append((_name(name), formats.date_format(value) if isinstance(value, date) else value))
    for name in ("net", "tax", "gross"):
        value = getattr(facts, name)
        if value is not None:
            amount = formats.number_format(value, 2, use_l10n=True, force_grouping=True)
            shown.append((_name(name), f"{amount} {facts.currency}".strip()))
    shown.append((_name("syntax"), facts.get_syntax_display()))
    if facts.profile:
        shown.append((_name("profile"), facts.profile))
    return shown


def _name(field: str) -> str:
    return str(label_for_field(field, FileFacts))


def _shown(candidate: IssuedCandidate) -> ShownCandidate:
    return ShownCandidate(
        candidate,
        str(candidate.source.label),
        tuple(
            (
                str(REASON_WORDS.get(reason.code, reason.code)),
                # The label stands beside the date already.
                "" if reason.code.startswith("kind.") else reason.detail,
                f"{reason.points:+d}",
            )
            for reason in candidate.reasons
        ),
    )
