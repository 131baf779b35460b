"""Files of all kinds with a few bytes changed, put in, taken out, or their end cut off; all from one seed."""

from __future__ import annotations

import base64
import io
import random
import zipfile
from collections.abc import Iterator
from functools import cache

from tests.documents.reading import office_files, samples
from tests.documents.test_images import HEIC

SEED = 20261129
_MAIL = (
    b"From: a@b\r\nTo: c@d\r\nSubject: =?utf-8?q?x?=\r\nDate: Mon, 5 Feb 2024 10:00:00 +0100\r\n"
    b"MIME-Version: 1.0\r\n"
    b'Content-Type: multipart/mixed; boundary="m"\r\n\r\n--m\r\nContent-Type: text/plain\r\n\r\nhello\r\n'
    b'--m\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n'
    b"a;b\r\n1;2\r\n--m--\r\n"
)
_RTF = rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Gr\'fc\'dfe\par \u8364?\par}"
_HTML = b"<!doctype html><title>x</title><p>Gr&uuml;&szlig;e<table><tr><td>x<td>12.05.2024</table>"


def _small(form: str, **options: object) -> bytes:
    """A page so small that OCR has next to nothing to do."""
    return samples.saved(samples.drawn(["x"]).resize((60, 80)), form, **options)


@cache
def kinds() -> tuple[tuple[str, bytes], ...]:
    """A name and the bytes of one whole file of each kind that is read."""
    page = samples.drawn(["x"]).resize((60, 80))
    return (
        ("a.pdf", samples.joined(samples.born_digital(), samples.blank_pdf())),
        ("scan.pdf", samples.scan(page)),
        ("form.pdf", office_files.form_pdf()),
        ("spaced.pdf", samples.letterspaced()),
        ("a.png", _small("PNG")),
        ("a.tiff", samples.fax(page, page)),
        ("a.jpg", _small("JPEG")),
        ("a.gif", _small("GIF")),
        ("a.bmp", _small("BMP")),
        ("a.webp", _small("WEBP")),
        ("a.heic", base64.b64decode(HEIC)),
        ("a.txt", "Straße Grüße, den 12. Mai 2024\n".encode("utf-16")),
        ("a.csv", "Datum;Betrag\n12.05.2024;9,50 €\n".encode("cp1252")),
        ("a.eml", _MAIL),
        ("a.html", _HTML),
        ("a.rtf", _RTF),
        ("a.docx", office_files.word_file()),
        ("a.xlsx", office_files.excel_file()),
        ("a.pptx", office_files.powerpoint_file()),
        ("a.odt", office_files.odf("text", "<text:p>Hallo</text:p>")),
    )


def mutations(count: int, seed: int = SEED) -> Iterator[tuple[str, bytes]]:
    """So many mutated files, the kinds in turn; none empty, no two alike."""
    chance = random.Random(seed)
    seen: set[bytes] = set()
    whole = kinds()
    while len(seen) < count:
        name, data = whole[len(seen) % len(whole)]
        mutated = _mutate(data, chance)
        if mutated and mutated not in seen:
            seen.add(mutated)
            yield name, mutated


def _mutate(whole: bytes, chance: random.Random) -> bytes:
    """Change the file itself; of a packed one as often a file within it, which its sum would else protect."""
    if whole.startswith(b"PK") and chance.random() < 0.5:
        return _mutate_member(whole, chance)
    data = _change(whole, chance)
    return data if chance.random() < 0.5 else data[: chance.randint(len(data) // 2, len(data))]


def _change(whole: bytes, chance: random.Random) -> bytes:
    data = bytearray(whole)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 4))
    return bytes(data)


def _mutate_member(whole: bytes, chance: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as before, zipfile.ZipFile(file, "w") as after:
        changed = chance.choice(before.namelist())
        for name in before.namelist():
            content = before.read(name)
            # With a time of its own, a member would be another one in each run.
            after.writestr(zipfile.ZipInfo(name), _change(content, chance) if name == changed else content)
    return file.getvalue()
