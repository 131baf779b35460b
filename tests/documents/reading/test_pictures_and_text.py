"""Pictures, text and mail: what is read of them and how they look."""

from __future__ import annotations

import base64
import io
from datetime import date

import pytest
from PIL import Image

from documents.reading.errors import LimitExceeded, Unreadable
from documents.reading.messages import Limits
from documents.reading.sniff import sniff
from tests.documents.reading import samples
from tests.documents.reading.conftest import ReadBytes, Reading
from tests.documents.test_images import HEIC


def looks(reading: Reading) -> Image.Image:
    assert reading.picture is not None
    return Image.open(io.BytesIO(reading.picture.data)).convert("L")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP"])
def test_pictures_of_every_format_are_read(read_bytes: ReadBytes, form: str) -> None:
    reading = read_bytes(samples.saved(samples.drawn(), form))
    assert "Gesamtbetrag 99,00 EUR" in reading.text
    assert reading.sources == ["ocr"]


def test_every_frame_of_a_fax_is_a_page(read_bytes: ReadBytes) -> None:
    pages = [samples.drawn([f"ARCHIVSAMPLE Seite {number}"]) for number in (1, 2, 3)]
    reading = read_bytes(samples.fax(*pages))
    assert reading.facts is not None
    assert reading.facts.pages == 3
    assert [f"Seite {page.number}" in page.text for page in reading.pages] == [True] * 3


def test_a_photograph_turned_by_its_camera_is_read_and_shown_upright(read_bytes: ReadBytes) -> None:
    exif = Image.Exif()
    exif[274] = 6
    reading = read_bytes(samples.saved(samples.drawn().rotate(90, expand=True), "JPEG", exif=exif))
    assert "Gesamtbetrag" in reading.text
    assert looks(reading).height > looks(reading).width


def test_ink_that_lies_only_in_the_alpha_channel_is_read_on_white(read_bytes: ReadBytes) -> None:
    page = samples.drawn()
    image = Image.new("RGBA", page.size, (0, 0, 0, 0))
    image.putalpha(Image.eval(page, lambda value: 255 - value))
    reading = read_bytes(samples.saved(image, "PNG"))
    assert "Gesamtbetrag" in reading.text
    assert looks(reading).getpixel((5, 5)) == 255


@pytest.mark.slow
def test_a_scan_of_a0_at_300_dpi_passes(read_bytes: ReadBytes) -> None:
    plan = Image.new("1", (9933, 14043), 1)
    plan.paste(samples.drawn().convert("1").resize((3972, 5612)), (500, 500))
    data = io.BytesIO()
    plan.save(data, "TIFF", compression="group4", dpi=(300, 300))
    assert "Gesamtbetrag" in read_bytes(data.getvalue()).text


def test_more_pixels_than_an_a0_scan_has_end_with_a_reason(read_bytes: ReadBytes) -> None:
    assert 9933 * 14043 < Limits().pixels < 20_000 * 20_000
    data = io.BytesIO()
    Image.new("1", (4000, 4000), 1).save(data, "TIFF", compression="group4")
    with pytest.raises(LimitExceeded, match="pixels") as caught:
        read_bytes(data.getvalue(), limits=Limits(pixels=15_999_999))
    assert (caught.value.which, caught.value.value) == ("pixels", 15_999_999)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" + "Straße Grüße 13.02.2018\r\n".encode("utf-16-le"),
        b"\xfe\xff" + "Straße Grüße".encode("utf-16-be"),
        "Straße Grüße".encode("utf-16-le"),
        "Straße Grüße".encode("utf-8-sig"),
        "Straße Grüße".encode("cp1252"),
        "Straße Grüße".encode(),
    ],
)
def test_text_is_read_in_any_common_encoding(read_bytes: ReadBytes, data: bytes) -> None:
    reading = read_bytes(data, "letter.txt")
    assert "Straße Grüße" in reading.text
    assert "\ufeff" not in reading.text
    assert reading.sources == ["layer"]
    assert reading.picture is not None


def test_other_alphabets_are_guessed(read_bytes: ReadBytes) -> None:
    russian = "Договор аренды нежилого помещения от четырнадцатого июля, город Москва. " * 4
    assert "Договор аренды" in read_bytes(russian.encode("koi8-r"), "a.txt").text
    assert "Договор аренды" in read_bytes(russian.encode("cp1251"), "a.txt").text


def test_no_nul_reaches_the_database(read_bytes: ReadBytes) -> None:
    assert read_bytes(b"abc\x00def 13.02.2018\n", "nul.txt").text == "abcdef 13.02.2018"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"Gr\xfc\xdfe aus K\xf6ln\x00 vom 13.02.2018\n", "nul.txt"),
        (
            b"From: a@example.org\r\nSubject: Gr\xfc\xdfe\x00\r\n\r\nGr\xfc\xdfe aus K\xf6ln\x00\r\n",
            "nul.eml",
        ),
    ],
)
def test_a_nul_in_text_of_an_old_encoding_does_not_keep_it_from_being_read(
    read_bytes: ReadBytes, data: bytes, name: str
) -> None:
    reading = read_bytes(data, name)
    assert reading.facts is not None
    assert reading.facts.media_type == sniff(data, name)
    assert "Grüße aus Köln" in reading.text
    assert "\0" not in reading.text


def test_hundreds_of_thousands_of_words_are_read(read_bytes: ReadBytes) -> None:
    words = " ".join(f"w{number:06d}" for number in range(300_000))
    assert read_bytes(words.encode(), "many.txt").text.endswith("w299999")


def test_html_is_reduced_to_its_words(read_bytes: ReadBytes) -> None:
    page = (
        "<!doctype html><html><head><title>x</title><script>evil()</script></head><body><p>Gr&uuml;&szlig;e"
    )
    reading = read_bytes(
        f"{page}</p><table><tr><td>a<td>b</table><style>p{{}}</style></body></html>".encode()
    )
    assert reading.text == "Grüße\n\na b"


MAIL = (
    b"From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\r\nTo: b@example.org\r\n"
    b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nDate: Mon, 31 Dec 2018 23:30:00 -0800\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    b"<p>Hallo <b>Welt</b></p>\r\n--x\r\nContent-Type: application/pdf\r\n"
    b'Content-Disposition: attachment; filename="Angebot 7.pdf"\r\n\r\nxx\r\n--x--\r\n'
)


def test_a_mail_tells_who_when_what_and_names_its_attachments(read_bytes: ReadBytes) -> None:
    reading = read_bytes(MAIL, "mail.eml")
    assert reading.facts is not None
    # The day is that of the sender's own clock.
    assert (reading.facts.subject, reading.facts.issued) == ("Grüße", date(2018, 12, 31))
    assert reading.facts.author == "Jürgen <j@example.org>"
    assert "Hallo Welt" in reading.text
    assert "Attachment: Angebot 7.pdf" in reading.text


def test_a_mail_without_a_date_gets_none(read_bytes: ReadBytes) -> None:
    reading = read_bytes(b"From: a@example.org\r\nTo: b@example.org\r\nSubject: t\r\n\r\nhello\r\n", "x.eml")
    assert reading.facts is not None
    assert reading.facts.issued is None
    assert (reading.facts.subject, reading.facts.author) == ("t", "a@example.org")
    assert "hello" in reading.text


@pytest.mark.parametrize(
    "header",
    [b"Date: nonsense", b"Date: Mon, 99 Xxx 99999 00:00:00", b"Subject: =?bad?x?=\xff", b"From: <<<@@@,;:"],
)
def test_broken_headers_do_not_stop_a_mail(read_bytes: ReadBytes, header: bytes) -> None:
    reading = read_bytes(header + b"\r\nTo: b@example.org\r\n\r\nhello\r\n", "x.eml")
    assert "hello" in reading.text


def test_what_is_not_read_is_kept_and_says_so(read_bytes: ReadBytes) -> None:
    reading = read_bytes(b"PK\x03\x04" + b"\x00" * 200, "a.zip")
    assert reading.facts is not None
    assert (reading.facts.pages, reading.pages) == (0, [])
    assert "not read" in reading.remarks
    assert reading.picture is not None


def test_a_picture_cut_short_is_refused_with_a_reason(read_bytes: ReadBytes) -> None:
    data = samples.saved(Image.effect_noise((300, 300), 60), "PNG")
    with pytest.raises(Unreadable, match="broken picture"):
        read_bytes(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("charset", "words"), [("iso-8859-15", "Preis: 7 €"), ("shift_jis", "契約書"), ("koi8-u", "Київ")]
)
def test_a_mail_is_decoded_as_it_states(read_bytes: ReadBytes, charset: str, words: str) -> None:
    head = f"From: a@b.example\r\nTo: c@d.example\r\nContent-Type: text/plain; charset={charset}\r\n"
    head += "Content-Transfer-Encoding: 8bit\r\n\r\n"
    assert words in read_bytes(head.encode() + words.encode(charset), "a.eml").text


def test_a_heic_photograph_is_read_and_shown(read_bytes: ReadBytes) -> None:
    reading = read_bytes(base64.b64decode(HEIC))
    assert reading.facts is not None
    assert reading.facts.media_type == "image/heic"
    assert looks(reading).size == (200, 100)
