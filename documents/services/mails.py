"""Reading what hangs together by mail, for whoever holds a capability."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from documents.mail_links import find_attachments, find_mails
from documents.models import Document, MailAttachment
from documents.services.listing import get_document
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@dataclass(frozen=True)
class MailLinks:
    """What came with a document, and the mails that it came with itself."""

    attachments: Sequence[MailAttachment]
    mails: Sequence[Document]


@requires("documents:read")
def list_mail_links(*, access: Access, document_id: uuid.UUID) -> MailLinks:
    """Return what a document is linked with by mail. Raises `DocumentNotFound`."""
    document = get_document(access=access, document_id=document_id).document
    with tenant_scope(access.tenant_id):
        return MailLinks(find_attachments(document), find_mails(document))
