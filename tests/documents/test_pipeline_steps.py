"""The steps of the pipeline, each on its own."""

import io
import uuid
from dataclasses import replace
from datetime import date

import pytest
from PIL import Image

from documents.models.reading import StepOutcome
from documents.pipeline import STEPS, Findings, Page, Reading, Step, StepReport, Subject, Work, run_steps
from documents.pipeline.run import MAX_MESSAGE, Recorded
from documents.pipeline.work import Picture
from tests.documents.e_invoices import EXPECTED

INVOICE = "Musterhaus GmbH\nRechnung Nr. 2024-17\nRechnungsdatum: 12.05.2024\nBetrag 99,00 EUR"


def work(reading: Reading, filename: str = "scan.pdf", languages: tuple[str, ...] = ("deu", "eng")) -> Work:
    subject = Subject(
        tenant_id=uuid.uuid4(),
        document_id=uuid.uuid4(),
        version_id=uuid.uuid4(),
        filename=filename,
        media_type="application/pdf",
        size=5,
        languages=languages,
        today=date(2024, 6, 1),
    )
    return Work(subject, reading)


def run(reading: Reading, filename: str = "scan.pdf") -> tuple[Findings, dict[str, Recorded]]:
    given = work(reading, filename)
    return given.findings, {step.name: step for step in run_steps(STEPS, given)}


def test_a_page_with_text_gives_date_title_and_words() -> None:
    picture = Picture("image/webp", b"x", 10, 20)
    found, steps = run(
        Reading(
            pages=(Page(1, INVOICE, "layer"),), page_count=1, media_type="application/pdf", picture=picture
        )
    )
    assert list(steps) == ["read", "text", "issued", "filing", "title", "workflows", "thumbnail", "index"]
    assert steps["filing"].outcome is StepOutcome.SKIPPED, "there is nothing to file under"
    assert steps["workflows"].outcome is StepOutcome.NOTHING
    others = {step.outcome for name, step in steps.items() if name not in ("filing", "workflows")}
    assert others == {StepOutcome.DONE}
    assert (found.issued, found.issued_source) == (date(2024, 5, 12), "text")
    assert found.issued_candidates[0]["date"] == "2024-05-12"
    assert found.title is not None
    assert "2024-17" in found.title
    assert found.thumbnail is picture
    assert "rechnungsdatum 12 05 2024" in found.words
    assert steps["read"].message == "application/pdf, 1 page"
    assert steps["text"].message == "pages: 1 with text"


def test_where_the_text_came_from_is_counted() -> None:
    pages = (Page(1, "a", "layer"), Page(2, "b", "ocr", 0.9), Page(3, "c", "ocr", 0.8), Page(4, "", "none"))
    _, steps = run(Reading(pages=pages, page_count=4, media_type="application/pdf", notes=("cut",)))
    assert steps["text"].message == "pages: 1 with text, 2 by OCR, 1 without text"
    assert steps["read"].message == "application/pdf, 4 pages; cut"


def test_no_text_is_a_result() -> None:
    found, steps = run(Reading(pages=(Page(1, " \f\n", "none"),), page_count=1), "Blatt.pdf")
    assert (steps["text"].outcome, steps["text"].message) == (StepOutcome.NOTHING, "no text found")
    assert steps["issued"].outcome == StepOutcome.NOTHING
    assert steps["index"].outcome == StepOutcome.NOTHING
    assert (found.issued, found.title, found.words) == (None, "Blatt", "")


def test_a_file_that_could_not_be_read_still_has_name_date_and_placeholder() -> None:
    found, steps = run(Reading(failure="The file needs a password."), "Police 2023-04-05.pdf")
    assert (steps["read"].outcome, steps["read"].message) == (
        StepOutcome.FAILED,
        "The file needs a password.",
    )
    assert steps["text"].outcome == StepOutcome.SKIPPED
    assert (found.issued, found.issued_source) == (date(2023, 4, 5), "filename")
    assert found.title is not None
    assert "Police" in found.title
    assert found.thumbnail is not None
    assert Image.open(io.BytesIO(found.thumbnail.data)).size == (
        found.thumbnail.width,
        found.thumbnail.height,
    )


def test_what_the_format_says_counts_before_the_text() -> None:
    found, steps = run(
        Reading(
            pages=(Page(1, INVOICE, "layer"),),
            page_count=1,
            subject="Re: Ihre Anfrage",
            issued=date(2024, 5, 20),
            author="Erika Muster",
        )
    )
    assert (found.issued, found.issued_source) == (date(2024, 5, 20), "facts")
    assert found.title == "Ihre Anfrage"
    assert "erika muster" in found.words
    assert "2024-05-20" in steps["issued"].message


def test_a_date_in_the_future_is_not_believed() -> None:
    found, _ = run(Reading(pages=(Page(1, "kein Datum", "layer"),), issued=date(2031, 1, 1)), "brief.eml")
    assert found.issued is None


def test_a_step_that_fails_keeps_no_other_from_running() -> None:
    def broken(given: Work) -> StepReport:
        raise ValueError("no\0 good" + "x" * 5000)

    given = work(Reading(pages=(Page(1, "text", "layer"),), page_count=1))
    steps = [STEPS[0], Step("broken", broken), *STEPS[1:]]
    recorded = {step.name: step for step in run_steps(steps, given)}
    assert recorded["broken"].outcome == StepOutcome.FAILED
    assert recorded["broken"].message.startswith("ValueError: no good")
    assert len(recorded["broken"].message) <= MAX_MESSAGE
    assert recorded["index"].outcome == StepOutcome.DONE
    assert all(step.seconds >= 0 for step in recorded.values())


@pytest.mark.parametrize(
    ("languages", "text", "day"),
    [
        (("jpn",), "R5.4.1 発行", date(2023, 4, 1)),
        (("eng", "jpn_vert"), "R5.4.1 発行", date(2023, 4, 1)),
        (("hun",), "Budapest, 2022. jan. 5.", date(2022, 1, 5)),
    ],
)
def test_dates_are_read_in_the_languages_that_pages_are_read_in(
    languages: tuple[str, ...], text: str, day: date
) -> None:
    given = work(Reading(pages=(Page(1, text, "layer"),), page_count=1), languages=languages)
    run_steps(STEPS, given)
    assert given.findings.issued == day


@pytest.mark.parametrize("stated", [date(1, 1, 1), date(1900, 12, 31), date(2031, 1, 1)])
def test_a_date_that_an_invoice_cannot_have_gives_way_to_the_printed_one(stated: date) -> None:
    invoice = replace(EXPECTED, issued=stated)
    found, _ = run(Reading(pages=(Page(1, INVOICE, "layer"),), page_count=1, invoice=invoice))
    assert (found.issued, found.issued_source) == (date(2024, 5, 12), "text")
