"""Corrections by the API: title and labels in one change, or none of it."""

from typing import Any

from tests.api.conftest import Api
from tests.api.test_filing import label, names, stored


def test_an_edit_sets_labels_with_the_rest_or_nothing_at_all(acme: Api, zeta: Api) -> None:
    for path, name in (
        ("/tags", "Dach"),
        ("/tags", "Eilig"),
        ("/tags", "Alt"),
        ("/correspondents", "Muster"),
    ):
        label(acme, path, name)
    theirs = label(zeta, "/tags", "Fremd")
    path = f"/documents/{stored(acme, tags='Alt&tags=Eilig', correspondent='Muster')}"
    before = acme.get(path).json()

    def edit(etag: str, **changes: Any) -> Any:
        return acme("PATCH", path, changes, If_Match=etag)

    edited = edit(before["etag"], title="Neu", tags=["Dach", "eilig"])
    assert edited.status_code == 200, edited.content
    assert edited.json()["title"] == "Neu"
    assert names(edited.json()) == (["Dach", "Eilig"], "Muster", None)
    assert edit(before["etag"], tags=[]).status_code == 412
    for unknown in ("Fremd", theirs):
        refused = edit(edited.json()["etag"], title="Anders", tags=[unknown])
        assert (refused.status_code, refused.json()["code"]) == (422, "unknown_label")
    assert acme.get(path).json() == edited.json()
    # The same title once more changes nothing, and is no reason to leave the labels as they are.
    last = edit(edited.json()["etag"], title="Neu", tags=[], correspondent=None)
    assert names(last.json()) == ([], None, None)
    assert last.json()["etag"] != edited.json()["etag"] == edited.headers["ETag"]
    acme("POST", f"{path}/trash")
    assert edit("*", tags=["Dach"]).json()["code"] == edit("*", title="Spät").json()["code"]
