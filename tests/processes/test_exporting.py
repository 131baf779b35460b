"""An export that is killed in the middle, as by a power cut of its process, goes on and ends whole."""

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from documents.export.verify import verify_export
from documents.models.document import DocumentSource
from documents.services import store_document
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.test_export import originals
from tests.factories import TenantFactory
from tests.processes.workers import PROJECT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

#: More than one batch of an export.
PAPERS = 120


def run_export(tenant: Tenant, place: Path, environment: dict[str, str]) -> int:
    command = [sys.executable, "manage.py", "export_tenant", tenant.name, str(place)]
    return subprocess.run(command, cwd=PROJECT, env=environment, check=False, timeout=300).returncode


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
    for name in ("export.copied", "export.kept", "export.listed"):
        environment = process_environment | {"ARCHIV_FAILPOINT": f"{name}:kill:1"}
        assert run_export(tenant, place, environment) == -signal.SIGKILL, name
        assert not (place.is_file() or (place / "SHA256SUMS").exists()) or name == "export.listed", name
        for path, moment in written.items():
            assert path.stat().st_mtime_ns == moment, f"{path} was there, and was exported again"
        if name == "export.kept" and place.is_dir():
            written = {path: path.stat().st_mtime_ns for path in (place / "originals").rglob("*.txt")}
            assert len(written) == 100
    assert run_export(tenant, place, process_environment) == 0
    assert list(verify_export(place, progress=lambda done: None)) == []
    assert sorted(originals(place).values()) == sorted(papers)
    left = {path.name for path in tmp_path.iterdir()} | {path.name for path in place.glob(".*")}
    assert left == {kind}, "nothing of the work is left"
    with tenant_scope(tenant.id):
        events = AuditEvent.objects.filter(tenant_id=tenant.id, action="tenant.exported")
        assert events.count() == 1
