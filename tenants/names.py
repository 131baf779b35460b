"""The grammar of a tenant's name (pure).

A signed wipe order contains the name, so that nothing in it may be read as another field.
"""

import unicodedata

MAX_LENGTH = 255

_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})


class InvalidTenantName(ValueError):
    """The name of the tenant breaks the grammar; the message says how."""


def clean_tenant_name(name: str) -> str:
    """Return `name` in NFC and without blanks around it.

    Raises `InvalidTenantName` when it is empty, longer than 255 characters, or has `|`, a control character,
    a lone surrogate or a line separator in it.
    """
    cleaned = unicodedata.normalize("NFC", name).strip()
    if not cleaned:
        raise InvalidTenantName("The name of a tenant must not be empty.")
    if len(cleaned) > MAX_LENGTH:
        raise InvalidTenantName(
            f"The name of a tenant has at most {MAX_LENGTH} characters, this one has {len(cleaned)}."
        )
    if "|" in cleaned:
        raise InvalidTenantName(
            "The name of a tenant must not contain '|': it separates the fields of a wipe order."
        )
    for character in cleaned:
        if unicodedata.category(character) in _FORBIDDEN_CATEGORIES:
            raise InvalidTenantName(
                f"The name of a tenant must not contain control characters or line separators"
                f" (U+{ord(character):04X})."
            )
    return cleaned


#: The same grammar for a CHECK in PostgreSQL (regular expression of what must not occur).
FORBIDDEN_SQL = (
    r"[|\u0001-\u001F\u007F-\u009F\u2028\u2029]"
    r"|^[\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]"
    r"|[\u0009-\u000D\u0020\u0085\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$"
)


def is_clean_tenant_name(name: str) -> bool:
    """Tell whether `name` is already in the only form that is stored."""
    try:
        return clean_tenant_name(name) == name
    except InvalidTenantName:
        return False
