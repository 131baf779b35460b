"""Names and formats of an export, apart from any tenant."""

import uuid
import zipfile
import zlib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.export import zipformat
from documents.export.names import export_path
from documents.export.targets import FolderTarget


def test_a_zip_of_many_files_and_more_than_four_gigabytes_can_be_read(tmp_path: Path) -> None:
    """A sparse file stands for the bytes of one large member; 70,000 entries need the wider records too."""
    place, size = tmp_path / "large.zip", 5 << 30
    with place.open("wb") as file:
        file.write(zipformat.local_header("large", size=size, crc=0))
        file.seek(size, 1)
        behind = file.tell()
        file.write(zipformat.local_header("small", size=2, crc=zlib.crc32(b"ok")) + b"ok")
        start = file.tell()
        file.write(zipformat.central_header("large", size=size, crc=0, start=0))
        file.write(zipformat.central_header("small", size=2, crc=zlib.crc32(b"ok"), start=behind))
        for number in range(70_000):
            file.write(zipformat.central_header(f"same {number}", size=2, crc=0, start=behind))
        file.write(zipformat.end_records(count=70_002, start=start, stop=file.tell()))
    with zipfile.ZipFile(place) as archive:
        assert len(archive.infolist()) == 70_002
        assert archive.getinfo("large").file_size == size
        assert archive.getinfo("small").header_offset == behind
        assert archive.read("small") == b"ok"


ODD = ["", ".", "..", "/etc/passwd", "a\nb", "CON", "\u202egpj.exe", "x" * 500, "ü" * 200, "a:b*c?", "\\x"]


@pytest.mark.parametrize("title", ODD)
def test_odd_titles_make_plain_names(title: str) -> None:
    check_name(title, title)


@given(title=st.text(max_size=300), filename=st.text(max_size=60))
def test_no_title_makes_a_name_that_leads_elsewhere(title: str, filename: str) -> None:
    check_name(title, filename)


def check_name(title: str, filename: str) -> None:
    version_id = uuid.uuid4()
    path = export_path(day=date(2024, 5, 12), title=title, filename=filename, version_id=version_id)
    folder, year, name = path.split("/")
    assert (folder, year) == ("originals", "2024")
    assert name.startswith("2024-05-12 ")
    assert version_id.hex in name
    assert len(name.encode()) <= 255
    assert name == name.strip(" .")
    assert not set(name) & set('<>:"/\\|?*\n\r\t\0')


def test_a_name_is_readable() -> None:
    version_id = uuid.UUID(int=7)
    path = export_path(
        day=date(2024, 5, 12),
        title="Müller & Söhne: Rechnung 7/24",
        filename="scan.PDF",
        version_id=version_id,
    )
    assert path == f"originals/2024/2024-05-12 Müller & Söhne Rechnung 7 24 {version_id.hex}.pdf"


def test_a_half_written_file_is_never_under_its_name(tmp_path: Path) -> None:
    target = FolderTarget(tmp_path)
    target.work.mkdir()

    class Breaking:
        def read(self, size: int) -> bytes:
            raise OSError("unplugged")

    with pytest.raises(OSError, match="unplugged"):
        target.add("originals/x", Breaking(), size=1, digest="0" * 64)  # type: ignore[arg-type]
    assert not (tmp_path / "originals").exists()
