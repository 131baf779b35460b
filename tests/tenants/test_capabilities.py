"""What each set may do."""

import pytest

from tenants.capabilities import CAPABILITIES, SYSTEM_SETS, check_capabilities
from tenants.errors import UnknownCapability


def test_the_owner_may_do_everything() -> None:
    assert set(SYSTEM_SETS["owner"]) == set(CAPABILITIES)


def test_a_user_may_do_all_about_documents_taxonomy_and_profile_and_nothing_else() -> None:
    kinds = {capability.split(":")[0] for capability in SYSTEM_SETS["user"]}
    assert kinds == {"documents", "tags", "correspondents", "document_types", "workflows", "profile"}
    assert "documents:upload" in SYSTEM_SETS["user"]


def test_readonly_may_only_read() -> None:
    assert {capability.split(":")[1] for capability in SYSTEM_SETS["readonly"]} == {"read"}


def test_webdav_may_read_by_webdav_only() -> None:
    assert SYSTEM_SETS["webdav"] == ("webdav:read",)


def test_an_unknown_capability_is_named() -> None:
    with pytest.raises(UnknownCapability, match=r"documents:fly"):
        check_capabilities(["documents:read", "documents:fly"])
    assert check_capabilities(["documents:write", "documents:read", "documents:read"]) == [
        "documents:read",
        "documents:write",
    ]
