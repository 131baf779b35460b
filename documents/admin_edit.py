"""What an operator corrects on the page of a document: its title, date and retention class."""

from datetime import date, datetime
from typing import Any

from django import forms
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from documents.admin_actions import DocumentActions
from documents.admin_forms import PERMISSION, document_form
from documents.models import Document, RetentionClass
from documents.services.edit import UNCHANGED, Unchanged, edit_document
from documents.services.given import MAX_TITLE
from tenants.access import operator_access
from tenants.scope import operator_scope


class EditForm(forms.Form):
    """The facts as a person knows them. What is left as it was stays to the analysis."""

    title = forms.CharField(label=_("title"), max_length=MAX_TITLE)
    issued_at = forms.DateField(
        label=_("issued date"),
        required=False,
        localize=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    retention_class = forms.ChoiceField(label=_("retention class"), required=False)
    expected = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, classes: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["retention_class"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "–"), *((name, name) for name in classes)]


class DocumentEditing(DocumentActions):
    """Adds the form, and the address that it is sent to."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the form, before Django's own."""
        view = self.admin_site.admin_view(self.edit_view)
        return [
            path("<uuid:document_id>/edit/", view, name="documents_document_edit"),
            *super().get_urls(),
        ]

    def edit_form(self, request: HttpRequest, document: Document) -> EditForm | None:
        """Return the form for this document; None where nothing can be changed, or not by this person."""
        if not request.user.has_perm(PERMISSION) or document.trashed_at or document.purging_at:
            return None
        return EditForm(initial=_facts(document), classes=_classes_of(document))

    @document_form
    def edit_view(self, request: HttpRequest, document: Document) -> str:
        """Change what differs from what the form showed."""
        with operator_scope():
            form = EditForm(request.POST, initial=_facts(document), classes=_classes_of(document))
        if not form.is_valid():
            raise forms.ValidationError([str(text) for texts in form.errors.values() for text in texts])
        given = form.cleaned_data
        try:
            expected = datetime.fromisoformat(given["expected"])
        except ValueError as error:
            raise forms.ValidationError(gettext("The form is out of date: open the page again.")) from error
        changed = set(form.changed_data) - {"expected"}
        issued: date | Unchanged | None = given["issued_at"] if "issued_at" in changed else UNCHANGED
        edit_document(
            access=operator_access(document.tenant_id),
            document_id=document.pk,
            title=given["title"] if "title" in changed else None,
            issued_at=issued,
            retention_class=given["retention_class"] or None if "retention_class" in changed else None,
            expected=expected,
        )
        return gettext("Saved.") if changed else gettext("Nothing was changed.")


def _facts(document: Document) -> dict[str, object]:
    return {
        "title": document.title,
        "issued_at": document.issued_at,
        "retention_class": document.retention_class.name if document.retention_class else "",
        "expected": document.updated_at.isoformat(),
    }


def _classes_of(document: Document) -> list[str]:
    rows = RetentionClass.objects.filter(tenant_id=document.tenant_id).order_by("name")
    return list(rows.values_list("name", flat=True)[:100])
