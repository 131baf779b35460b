"""Files made to do harm: each ends soon, with a reason or a result, and starts nothing."""

from __future__ import annotations

import subprocess
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.reading.errors import LimitExceeded, ReadError, Unreadable
from documents.reading.messages import Limits
from tests.documents.reading import samples
from tests.documents.reading.conftest import ReadBytes
from tests.documents.reading.mutations import mutations

LITTLE = Limits(cpu_seconds=2, memory_bytes=100 << 20)


def test_a_page_that_inflates_to_hundreds_of_megabytes_ends(read_bytes: ReadBytes) -> None:
    data = samples.inflating_pdf(150)
    assert len(data) < 3000
    with pytest.raises(LimitExceeded) as caught:
        read_bytes(data, limits=LITTLE)
    assert caught.value.which in ("memory_bytes", "cpu_seconds")


def test_forms_within_forms_end(read_bytes: ReadBytes) -> None:
    with pytest.raises(LimitExceeded) as caught:
        read_bytes(samples.nested_forms(29), limits=LITTLE)
    assert caught.value.which in ("memory_bytes", "cpu_seconds")


def test_a_picture_too_large_costs_its_page_only(read_bytes: ReadBytes) -> None:
    started = time.process_time()
    data = samples.joined(samples.born_digital(), samples.huge_image_pdf(60_000))
    reading = read_bytes(data)
    assert "ARCHIVSAMPLE" in reading.pages[0].text
    assert reading.sources == ["layer", "none"]
    assert "60000 x 60000 pixels" in reading.remarks
    assert time.process_time() - started < 5


@pytest.mark.parametrize("box", [(0, 0, 14400, 14400), (0, 0, 2_000_000, 2_000_000)])
def test_a_page_as_large_as_a_house_is_read_and_drawn(read_bytes: ReadBytes, box: tuple[float, ...]) -> None:
    reading = read_bytes(samples.with_box(samples.born_digital(), *box), limits=LITTLE)
    assert "ARCHIVSAMPLE" in reading.text
    assert reading.picture is not None
    assert max(reading.picture.width, reading.picture.height) <= 513


@pytest.mark.parametrize("box", [b"[0 0 0 0]", b"[0 0 1e30 1e30]", b"[0 0 1 500000]", b"[x]", b"[5 5 -5 -5]"])
def test_a_page_of_an_impossible_size_does_no_harm(read_bytes: ReadBytes, box: bytes) -> None:
    data = samples.one_page(samples.stream(b"0 0 9 9 re f"), box=box)
    assert len(read_bytes(data, limits=LITTLE).pages) == 1


def test_a_third_of_a_million_pages_end_at_once(read_bytes: ReadBytes) -> None:
    with pytest.raises(LimitExceeded, match="5 000 pages"):
        read_bytes(samples.one_page(samples.stream(b""), kids=300_000))


def test_a_picture_of_74_bytes_that_claims_gigabytes_ends(read_bytes: ReadBytes) -> None:
    with pytest.raises(LimitExceeded, match="pixels"):
        read_bytes(samples.tiny_png(65_535))


def test_a_loop_of_tiff_directories_ends(read_bytes: ReadBytes) -> None:
    reading = read_bytes(samples.looping_tiff())
    assert reading.facts is not None
    assert reading.facts.pages <= 2


def test_postscript_called_png_is_not_run(read_bytes: ReadBytes) -> None:
    reading = read_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n", "scan.png")
    assert reading.facts is not None
    assert reading.facts.media_type == "application/postscript"
    assert reading.pages == []


def test_entities_of_xml_are_not_followed(read_bytes: ReadBytes) -> None:
    data = b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
    assert "&x;" in read_bytes(data, "a.xml").text
    assert "root:" not in read_bytes(data, "a.xml").text


def test_html_called_pdf_is_no_pdf(read_bytes: ReadBytes) -> None:
    assert read_bytes(b"<html><body>Hallo %PDF-1.4 Welt</body></html>", "a.pdf").text == "Hallo %PDF-1.4 Welt"


def test_a_mail_of_thousands_of_levels_ends(read_bytes: ReadBytes) -> None:
    level = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n"
    data = b"From: a@b\r\nMIME-Version: 1.0\r\n" + b"".join(level % (n, n) for n in range(1200)) + b"\r\nhi"
    with pytest.raises((Unreadable, LimitExceeded)):
        read_bytes(data, "a.eml", limits=LITTLE)


def test_no_reader_is_left_over_and_no_program_was_started(read_bytes: ReadBytes) -> None:
    listed = subprocess.run(["ps", "-eo", "comm,args"], capture_output=True, text=True, check=True).stdout
    assert not any(line.startswith(("gs ", "soffice ", "convert ")) for line in listed.splitlines())


MUTATED = [
    ("a.pdf", samples.joined(samples.born_digital(), samples.blank_pdf())),
    ("a.png", samples.saved(samples.drawn(["x"]).resize((60, 80)), "PNG")),
    ("a.tiff", samples.fax(samples.drawn(["x"]).resize((60, 80)))),
    ("a.jpg", samples.saved(samples.drawn(["x"]).resize((60, 80)), "JPEG")),
    ("a.eml", b"From: a@b\r\nTo: c@d\r\nSubject: =?utf-8?q?x?=\r\n\r\nhello"),
    ("a.html", b"<!doctype html><p>Gr&uuml;&szlig;e<table><tr><td>x"),
]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(MUTATED),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)), max_size=6),
    st.floats(0.2, 1),
)
def test_a_mutated_file_is_read_or_refused(
    read_bytes: ReadBytes, original: tuple[str, bytes], changes: list[tuple[float, bytes]], kept: float
) -> None:
    name, whole = original
    data = bytearray(whole)
    for place, new in changes:
        at = int(place * len(data))
        data[at : at + len(new)] = new
    try:
        reading = read_bytes(bytes(data[: int(kept * len(data))]), name, limits=LITTLE)
    except ReadError as error:
        refused = error
    else:
        assert reading.facts is not None
        return
    assert refused.permanent
    assert len(str(refused)) > 20


@pytest.mark.slow
def test_mutated_files_of_all_kinds_end_with_a_result_or_a_reason(read_bytes: ReadBytes) -> None:
    """A part of the thousand that `benchmarks/mutations.py` sends through readers and a worker."""
    for name, data in mutations(120):
        refused: ReadError | None = None
        try:
            read_bytes(data, name, limits=LITTLE)
        except ReadError as error:
            refused = error
        assert refused is None or refused.permanent
