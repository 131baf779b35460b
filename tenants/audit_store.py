"""Reading audit trails for verification, and the signed heads kept outside the database."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from django.conf import settings
from django.db import connections

from tenants.audit_chain import Finding, Head, Link, check_chains, derive_key, read_heads, sign_heads
from tenants.models import AuditHead
from tenants.scope import operator_scope

#: Rows fetched at a time: bounded memory, few round trips.
BATCH = 20_000

# Ordered by the columns, not by the texts of the same names: as text, 10 comes before 2.
_LINKS_SQL = """
SELECT tenant_id::text, sequence::text, (extract(epoch FROM at) * 1000000)::bigint::text,
       action, actor, origin, object_type, object_id, details, previous_hash, hash
FROM tenants_auditevent AS event ORDER BY event.tenant_id, event.sequence
"""


def read_links() -> Iterator[Link]:
    """Yield every event of every chain, by tenant and number, in bounded memory. Opens its own scope."""
    with operator_scope(), connections["default"].chunked_cursor() as cursor:
        cursor.execute(_LINKS_SQL)
        while rows := cursor.fetchmany(BATCH):
            yield from map(Link._make, rows)


def verify_chains(heads_folder: Path) -> Iterator[Finding]:
    """Yield the first finding of each chain; the newest signed heads in the folder must still be there.

    Raises `UntrustedHeads` when that file is damaged or was signed by somebody else.
    """
    yield from check_chains(read_links(), newest_heads(heads_folder))


def newest_heads(folder: Path) -> dict[str, Head]:
    """Return the heads signed last, or none. Raises `UntrustedHeads`."""
    files = sorted(folder.glob("????-??-??.json")) if folder.is_dir() else []
    if not files:
        return {}
    return read_heads([derive_key(secret) for secret in _secrets()], files[-1].read_text())


def write_heads(folder: Path, day: date) -> Path:
    """Sign the end of every chain and write it to `<folder>/<day>.json`, replacing an earlier one of the day.

    It says something only where the database's owner cannot write: another disk, another machine.
    """
    with operator_scope():
        heads = {
            str(head.tenant_id): Head(head.sequence, head.hash)
            for head in AuditHead.objects.order_by("tenant_id")
        }
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{day.isoformat()}.json"
    draft = target.with_suffix(".draft")
    draft.write_text(sign_heads(derive_key(settings.SECRET_KEY), day.isoformat(), heads))
    draft.replace(target)
    return target


def _secrets() -> Sequence[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
