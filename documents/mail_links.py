"""Which documents came with a mail, and with which mails a document came. Everything here needs a scope."""

from collections.abc import Sequence

from documents.models import Document, MailAttachment


def find_attachments(mail: Document) -> Sequence[MailAttachment]:
    """Return what came with a mail, in its order; without a document what was purged since."""
    rows = MailAttachment.objects.filter(tenant_id=mail.tenant_id, mail_id=mail.pk)
    return list(rows.select_related("document").order_by("number"))


def find_mails(document: Document) -> Sequence[Document]:
    """Return the mails that a document came with, oldest first: the same file may come more than once."""
    rows = MailAttachment.objects.filter(tenant_id=document.tenant_id, document_id=document.pk)
    mails = {row.mail_id: row.mail for row in rows.select_related("mail").order_by("pk")}
    return list(mails.values())
