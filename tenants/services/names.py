"""Names that a tenant's members give: of a capability set, of a token."""

from tenants.errors import BadName


def clean_name(name: str, *, most: int, of: str) -> str:
    """Return a name with single blanks. Raises `BadName` unless it has 1 to `most` printable characters."""
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > most or not cleaned.isprintable():
        raise BadName(f"The name of {of} has 1 to {most} printable characters.")
    return cleaned
