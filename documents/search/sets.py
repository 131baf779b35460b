"""The documents that conditions name by where they are filed or what they have, as SQL for whoever searches.

Read with the rights of the caller, and so under the policies of the tenant.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from documents.filing import FilingState, LabelKind
from documents.search.conditions import Among
from documents.search.fields import Field, Property

#: The kind of label that each field names.
KIND_OF = {
    Field.TAG: LabelKind.TAG,
    Field.FROM: LabelKind.CORRESPONDENT,
    Field.TYPE: LabelKind.DOCUMENT_TYPE,
}
_NOBODY = "SELECT NULL::uuid, NULL::integer WHERE false"


def compile_sets(tenant_id: uuid.UUID, sets: Mapping[int, Among]) -> tuple[str, dict[str, Any]]:
    """Return a query for pairs of document and number of its set, with its parameters."""
    parameters: dict[str, Any] = {"tenant": tenant_id}
    parts = [_compile(number, among, parameters) for number, among in sets.items()]
    return " UNION ALL ".join(parts) or _NOBODY, parameters


def _compile(number: int, among: Among, parameters: dict[str, Any]) -> str:
    name = f"set{number}"
    if among.having is Property.HOLD:
        table, column, where = "documents_document", "id", "legal_hold"
    elif among.having is Property.ATTACHMENT:
        table, column, where = "documents_mailattachment", "mail_id", "document_id IS NOT NULL"
    elif among.having is not None:
        kind = KIND_OF[Field(among.having)]
        parameters[name] = kind.value
        table, column = "documents_filing", "document_id"
        where = f"kind = %({name})s AND state = '{FilingState.FILED.value}'"
    elif among.documents:
        parameters[name] = list(among.documents)
        return f"SELECT unnest(%({name})s::uuid[]), {number}"
    else:
        parameters[name] = list(among.labels)
        table, column = "documents_filing", "document_id"
        where = f"label_id = ANY (%({name})s::uuid[]) AND state = '{FilingState.FILED.value}'"
    return f"SELECT DISTINCT {column}, {number} FROM {table} WHERE tenant_id = %(tenant)s AND {where}"
