"""What a member may do (pure): the capabilities and the sets that come with every tenant.

The table in `docs/capabilities.md` is generated from here.
"""

from collections.abc import Iterable

from tenants.errors import UnknownCapability

_TAXONOMY = ("tags", "correspondents", "document_types", "workflows")
_KINDS = ("documents", *_TAXONOMY)

#: Every capability, in the order in which people read them.
CAPABILITIES: tuple[str, ...] = (
    *(f"{kind}:{verb}" for kind in _KINDS for verb in ("read", "edit", "write")),
    "documents:upload",
    "profile:read",
    "profile:write",
    "webdav:read",
    "capability_sets:read",
    "capability_sets:write",
    "tenants:read",
    "tenants:write",
    "tenants:reset",
    "tenants:delete",
    "jobs:read",
    "jobs:requeue",
)

OWNER = "owner"

#: The sets that every tenant has. Nobody can change them.
SYSTEM_SETS: dict[str, tuple[str, ...]] = {
    OWNER: CAPABILITIES,
    "user": tuple(
        capability for capability in CAPABILITIES if capability.split(":")[0] in (*_KINDS, "profile")
    ),
    "readonly": tuple(capability for capability in CAPABILITIES if capability.endswith(":read")),
    "webdav": ("webdav:read",),
}


def check_capabilities(capabilities: Iterable[str]) -> list[str]:
    """Return the capabilities once each in the usual order. Raises `UnknownCapability` and names it."""
    wanted = set(capabilities)
    unknown = sorted(wanted.difference(CAPABILITIES))
    if unknown:
        raise UnknownCapability(
            f"There is no capability {', '.join(map(repr, unknown))}. There are: {', '.join(CAPABILITIES)}."
        )
    return [capability for capability in CAPABILITIES if capability in wanted]
