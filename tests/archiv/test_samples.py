"""The samples are what they say they are, by the judgement of parsers that had no part in making them."""

import email
import email.policy
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pikepdf
import pypdfium2
import pytest
from PIL import Image, ImageOps

from archiv.samples import KANZLEI, SAMPLES, STADTARCHIV, Kind, Sample, Status, TextSource, make_samples
from archiv.samples import folder as folder_module
from archiv.samples.catalogue import RECIPES
from archiv.samples.files import PASSWORD
from documents.einvoices import parse_invoice

PDF_KINDS = (Kind.PDF, Kind.E_INVOICE, Kind.SCAN, Kind.MIXED, Kind.BLANK)
LAYERED = [s for s in SAMPLES if s.kind in (Kind.PDF, Kind.E_INVOICE)]
SCANNED = [s for s in SAMPLES if s.kind in (Kind.SCAN, Kind.JPEG, Kind.FAX, Kind.PNG, Kind.MIXED)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("samples")
    make_samples(made)
    return made


def one(kind: Kind) -> Sample:
    (found,) = (sample for sample in SAMPLES if sample.kind is kind)
    return found


def layer_texts(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()


def pictures(sample: Sample, folder: Path) -> list[Image.Image]:
    """The scanned pages at full size, as they are stored."""
    path = sample.path_in(folder)
    if path.suffix == ".pdf":
        with pikepdf.open(path) as pdf:
            found = [image for page in pdf.pages for image in page.get_images().values()]
            streams = [image for image in found if isinstance(image, pikepdf.Stream)]
            return [pikepdf.PdfImage(stream).as_pil_image().convert("L") for stream in streams]
    with Image.open(path) as image:
        frames = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append(image.convert("L"))
        return frames


def skew_of(picture: Image.Image) -> float:
    """Degrees by which the lines of text lie askew: the turn that makes its row profile sharpest."""
    small = picture.reduce(4)
    ink = Image.fromarray((np.asarray(small) < 150).astype(np.uint8) * 255)

    def sharpness(angle: float) -> float:
        rows = np.asarray(ink.rotate(-angle), dtype=np.float64).sum(axis=1)
        return float(np.square(np.diff(rows)).sum())

    return max((step / 10 for step in range(-35, 36)), key=sharpness)


def test_two_tenants_have_at_least_24_files_of_every_kind() -> None:
    assert len(SAMPLES) >= 24
    assert set(Counter(sample.tenant for sample in SAMPLES)) == {KANZLEI, STADTARCHIV}
    assert {sample.kind for sample in SAMPLES} == set(Kind)
    assert len({(sample.tenant, sample.filename) for sample in SAMPLES}) == len(SAMPLES)


def test_every_file_is_written_where_its_sample_says(folder: Path) -> None:
    written = {path.relative_to(folder) for path in folder.glob("*/*")}
    assert written == {sample.path_in(Path()) for sample in SAMPLES}
    assert all(sample.path_in(folder).stat().st_size > 100 for sample in SAMPLES)


def assert_same_in_another_process(folder: Path, samples: list[Sample]) -> None:
    code = (
        "import hashlib, json, sys\n"
        "from archiv.samples.catalogue import RECIPES\n"
        "wanted = {tuple(key) for key in json.loads(sys.argv[1])}\n"
        "made = {(r.sample.tenant, r.sample.filename): r.make for r in RECIPES}\n"
        "made = [make() for key, make in made.items() if key in wanted]\n"
        "print(json.dumps([hashlib.sha256(content).hexdigest() for content in made]))"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    keys = json.dumps([(sample.tenant, sample.filename) for sample in samples])
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", code, keys]
    answer = subprocess.run(command, check=True, cwd=root, env=environment, capture_output=True)
    there = json.loads(answer.stdout)
    here = [hashlib.sha256(sample.path_in(folder).read_bytes()).hexdigest() for sample in samples]
    assert len(there) == len(samples)
    assert [s.filename for s, a, b in zip(samples, here, there, strict=True) if a != b] == []


def test_another_process_makes_the_same_bytes_of_each_kind(folder: Path) -> None:
    cheap = {s.kind: s for s in SAMPLES if s.kind not in (Kind.FAX, Kind.PHOTO, Kind.PNG)}
    assert_same_in_another_process(folder, [s for s in SAMPLES if s in cheap.values()])


@pytest.mark.slow
def test_another_process_makes_the_same_bytes_of_every_sample(folder: Path) -> None:
    assert_same_in_another_process(folder, list(SAMPLES))


def test_a_second_call_touches_no_file(folder: Path) -> None:
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*")}
    make_samples(folder)
    assert before == {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_a_damaged_and_a_missing_file_are_made_again_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    damaged, missing = one(Kind.BLANK).path_in(copy), one(Kind.ENCRYPTED).path_in(copy)
    kept = one(Kind.FAX).path_in(copy)
    inode = kept.stat().st_ino
    damaged.write_bytes(b"%PDF-1.4 nothing")
    missing.unlink()
    make_samples(copy)
    assert damaged.read_bytes() == one(Kind.BLANK).path_in(folder).read_bytes()
    assert missing.read_bytes() == one(Kind.ENCRYPTED).path_in(folder).read_bytes()
    assert kept.stat().st_ino == inode


def test_a_cut_manifest_or_one_of_another_recipe_is_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [recipe for recipe in RECIPES if recipe.sample.kind is Kind.TEXT]
    monkeypatch.setattr(folder_module, "RECIPES", few)
    make_samples(tmp_path)
    manifest = tmp_path / "manifest.json"
    whole = manifest.read_bytes()
    for spoilt in (whole[:40], b"[]", whole.replace(b'"recipe": "', b'"recipe": "0')):
        manifest.write_bytes(spoilt)
        for recipe in few:
            os.utime(recipe.sample.path_in(tmp_path), (0, 0))
        make_samples(tmp_path)
        assert manifest.read_bytes() == whole
        assert all(recipe.sample.path_in(tmp_path).stat().st_mtime > 0 for recipe in few)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind in PDF_KINDS], ids=lambda s: s.filename)
def test_a_pdf_has_the_expected_pages(sample: Sample, folder: Path) -> None:
    assert len(layer_texts(sample.path_in(folder))) == sample.expect.pages


@pytest.mark.parametrize("sample", LAYERED, ids=lambda s: s.filename)
def test_a_born_digital_pdf_carries_its_snippet_and_text_on_every_page(sample: Sample, folder: Path) -> None:
    texts = layer_texts(sample.path_in(folder))
    assert sample.expect.snippet in " ".join("".join(texts).split())
    assert all(len(text.strip()) > 80 for text in texts)


@pytest.mark.parametrize("sample", SCANNED, ids=lambda s: s.filename)
def test_a_scan_is_300_dpi_and_1_to_3_degrees_askew(sample: Sample, folder: Path) -> None:
    found = pictures(sample, folder)
    assert len(found) == (1 if sample.kind is Kind.MIXED else sample.expect.pages)
    for picture in found:
        assert 0.9 <= abs(skew_of(picture)) <= 3.1
    if sample.kind in (Kind.SCAN, Kind.FAX, Kind.MIXED):
        assert all(abs(p.width - 2480) <= 1 and abs(p.height - 3508) <= 1 for p in found)


@pytest.mark.parametrize("sample", SCANNED, ids=lambda s: s.filename)
def test_a_scan_is_noisy_where_there_is_only_paper(sample: Sample, folder: Path) -> None:
    picture = pictures(sample, folder)[0]
    corner = np.asarray(picture.crop((0, picture.height - 400, picture.width, picture.height)))
    assert corner.std() > 2
    assert len(np.unique(corner)) >= (2 if sample.kind is Kind.FAX else 20)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind is Kind.SCAN], ids=lambda s: s.filename)
def test_a_scan_as_pdf_has_no_text_layer(sample: Sample, folder: Path) -> None:
    assert "".join(layer_texts(sample.path_in(folder))).strip() == ""


def test_the_mixed_pdf_is_text_on_page_1_and_a_picture_on_page_2(folder: Path) -> None:
    sample = one(Kind.MIXED)
    first, second = layer_texts(sample.path_in(folder))
    assert "Vollmacht in Sachen Nachbarrecht" in first
    assert second.strip() == ""
    assert sample.expect.text_source is TextSource.BOTH
    with pikepdf.open(sample.path_in(folder)) as pdf:
        assert [len(page.get_images()) for page in pdf.pages] == [0, 1]


def test_the_fax_is_a_group_4_tiff_of_three_frames(folder: Path) -> None:
    with Image.open(one(Kind.FAX).path_in(folder)) as image:
        assert getattr(image, "n_frames", 1) == 3
        for number in range(3):
            image.seek(number)
            assert image.info["compression"] == "group4"
            assert image.mode == "1"
            assert round(image.info["dpi"][0]) == 300


def test_the_photo_lies_on_its_side_and_says_so(folder: Path) -> None:
    with Image.open(one(Kind.PHOTO).path_in(folder)) as image:
        assert image.getexif()[0x0112] == 6
        assert image.width > image.height
        upright = ImageOps.exif_transpose(image)
        assert upright.height > upright.width
        # the letterhead is on top, and nothing is written on the lower third
        grey = np.asarray(upright.convert("L"), dtype=np.float64)
        inner = grey[:, grey.shape[1] // 5 : -grey.shape[1] // 5]
        rough = np.abs(np.diff(inner, axis=1)).mean(axis=1)
        rows = len(rough)
        assert rough[rows // 10 : rows // 2].mean() > 1.3 * rough[int(rows * 0.75) : int(rows * 0.9)].mean()


def test_the_encrypted_pdf_opens_only_with_its_password(folder: Path) -> None:
    path = one(Kind.ENCRYPTED).path_in(folder)
    with pytest.raises(pikepdf.PasswordError):
        pikepdf.open(path)
    with pytest.raises(pypdfium2.PdfiumError, match="password"):
        pypdfium2.PdfDocument(path)
    with pikepdf.open(path, password=PASSWORD) as pdf:
        assert len(pdf.pages) == 1


def test_the_broken_pdf_is_beyond_repair_but_starts_like_a_pdf(folder: Path) -> None:
    path = one(Kind.BROKEN).path_in(folder)
    assert path.read_bytes().startswith(b"%PDF-")
    with pytest.raises(pikepdf.PdfError):
        pikepdf.open(path)
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(path)


def test_the_blank_page_is_white_and_says_nothing(folder: Path) -> None:
    document = pypdfium2.PdfDocument(one(Kind.BLANK).path_in(folder))
    assert layer_texts(one(Kind.BLANK).path_in(folder)) == [""]
    assert document[0].render(scale=0.5, grayscale=True).to_numpy().min() == 255
    document.close()


def test_duplicates_repeat_an_earlier_file_of_the_same_tenant_and_nothing_else_does(folder: Path) -> None:
    seen: set[tuple[str, bytes]] = set()
    for sample in SAMPLES:
        key = (sample.tenant, hashlib.sha256(sample.path_in(folder).read_bytes()).digest())
        assert (key in seen) is (sample.expect.status is Status.DUPLICATE), sample.filename
        seen.add(key)


def test_one_file_is_shared_by_both_tenants_and_stays_a_document_of_each(folder: Path) -> None:
    hashes = {
        tenant: {s.path_in(folder).read_bytes() for s in SAMPLES if s.tenant == tenant}
        for tenant in (KANZLEI, STADTARCHIV)
    }
    assert len(hashes[KANZLEI] & hashes[STADTARCHIV]) == 1


def test_text_files_come_in_two_encodings(folder: Path) -> None:
    contents = {s.filename: s.path_in(folder).read_bytes() for s in SAMPLES if s.kind is Kind.TEXT}
    assert "beschädigte" in contents["Aktenvermerk-57-25.txt"].decode("utf-8")
    assert contents["Findbuch-Bestand-12.txt"].startswith(b"\xff\xfe")
    assert "Großen Brücke" in contents["Findbuch-Bestand-12.txt"].decode("utf-16")


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.kind is Kind.MAIL], ids=lambda s: s.filename)
def test_a_mail_has_headers_a_date_and_a_readable_body(sample: Sample, folder: Path) -> None:
    message = email.message_from_bytes(sample.path_in(folder).read_bytes(), policy=email.policy.default)
    assert not message.defects
    assert message["Subject"]
    assert message["Date"].datetime.date() == sample.expect.issued
    body = message.get_body(("plain",))
    assert body is not None
    assert sample.expect.snippet in body.get_content()


def test_the_electronic_invoice_states_what_it_prints(folder: Path) -> None:
    sample = one(Kind.E_INVOICE)
    with pikepdf.open(sample.path_in(folder)) as document:
        stated = parse_invoice(document.attachments["factur-x.xml"].get_file().read_bytes())
    assert (stated.issued, f"Rechnung {stated.number}") == (sample.expect.issued, sample.expect.title)
    assert (stated.seller, stated.buyer) == ("Papierwerk Beispiel GmbH", "Kanzlei Muster")
    assert stated.net is not None
    assert stated.tax is not None
    assert stated.gross == stated.net + stated.tax
    printed = pypdfium2.PdfDocument(sample.path_in(folder))[0].get_textpage().get_text_range()
    assert f"{stated.gross}".replace(".", ",") in printed
