"""An export that is killed in the middle, as by a power cut of its process, goes on and ends whole."""

import io
import signal
from pathlib import Path

import pytest

from documents.export.verify import verify_export
from documents.models.document import DocumentSource
from documents.services import store_document
from jobs.failpoints import FAILPOINTS
from tenants.models import AuditEvent
from tenants.scope import tenant_scope
from tests.documents.test_export import originals
from tests.factories import TenantFactory
from tests.processes.commands import Commands

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

#: More than one batch of an export.
PAPERS = 120

#: In the order in which an export passes them; from the last two on it has its name.
NAMED = ("export.published", "export.recorded")
PLACES = ("export.copied", "export.kept", "export.listed", *NAMED)


def test_every_place_of_an_export_is_tried() -> None:
    assert set(PLACES) == {name for name in FAILPOINTS if name.startswith("export.")}


@pytest.mark.parametrize("kind", ["folder", "archive.zip"])
def test_an_export_killed_at_any_place_goes_on_where_it_stood_and_ends_whole(
    process_environment: dict[str, str], tmp_path: Path, kind: str
) -> None:
    tenant, place = TenantFactory.create(), tmp_path / kind
    papers = [b"paper %d" % number for number in range(PAPERS)]
    for paper in papers:
        store_document(
            tenant_id=tenant.id, stream=io.BytesIO(paper), filename="paper.txt", source=DocumentSource.IMPORT
        )
    written: dict[Path, int] = {}
    command = ("export_tenant", tenant.name, str(place))
    with Commands(process_environment) as commands:
        for name in PLACES:
            assert commands.run(*command, failpoint=f"{name}:kill") == -signal.SIGKILL, name
            assert place.is_file() == (kind == "archive.zip" and name in NAMED), name
            for path, moment in written.items():
                assert path.stat().st_mtime_ns == moment, f"{path} was there, and was exported again"
            if name == "export.kept" and place.is_dir():
                written = {path: path.stat().st_mtime_ns for path in (place / "originals").rglob("*.txt")}
                assert len(written) == 100
                assert not (place / "SHA256SUMS").exists()
        assert commands.run(*command) == 0
    assert list(verify_export(place, progress=lambda done: None)) == []
    assert sorted(originals(place).values()) == sorted(papers)
    left = {path.name for path in tmp_path.iterdir()} | {path.name for path in place.glob(".*")}
    assert left == {kind}, "nothing of the work is left"
    with tenant_scope(tenant.id):
        events = AuditEvent.objects.filter(tenant_id=tenant.id, action="tenant.exported")
        assert events.count() == 1
