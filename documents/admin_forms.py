"""What the forms on the page of a document have in common: who may send them, and where they lead."""

import functools
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse

from documents.errors import DocumentNotFound, DocumentsError
from documents.models import Document
from jobs.display import show_error
from jobs.operator_admin import outside_scope
from tenants.errors import TenantsError
from tenants.scope import operator_scope

#: What it takes: Django's permission to change documents.
PERMISSION = "documents.change_document"

#: Calls a service for the document, outside of any scope, and returns what to tell. Raises ValidationError of
#: what was sent wrongly.
Change = Callable[[Any, HttpRequest, Document], str]


def document_form(change: Change) -> Callable[[Any, HttpRequest, uuid.UUID], HttpResponse]:
    """Make a method of an admin the view of a form: it is sent, and leads back to the page with the answer.

    What the services refuse becomes the answer; a document that is not there, or goes meanwhile, is a 404.
    """

    @outside_scope
    @functools.wraps(change)
    def view(admin: Any, request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        with operator_scope():
            document = Document.objects.filter(pk=document_id).first()
        if document is None:
            raise Http404
        try:
            admin.message_user(request, change(admin, request, document), messages.SUCCESS)
        except DocumentNotFound as error:
            raise Http404 from error
        except (DocumentsError, TenantsError) as error:
            admin.message_user(request, show_error(error), messages.ERROR)
        except ValidationError as error:
            admin.message_user(request, " ".join(error.messages), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:documents_document_change", args=[document_id]))

    return view
