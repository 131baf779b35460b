"""Templates for titles: what is put together, what leaves no gap, what is refused."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.errors import BadTitleTemplate
from documents.title_templates import (
    FIELDS,
    MAX_TEMPLATE,
    MAX_TITLE,
    TitleParts,
    check_template,
    render_title,
)

WHOLE = "{issued_date} {correspondent} {type} {number} {subject}"
DAY = date(2024, 5, 12)
PIECES = [*(f"{{{name}}}" for name in FIELDS), " ", "-", "(", ")", "[", "]", "Nr. "]
INVOICE = TitleParts("Rechnung 4711", "Rechnung", "4711", correspondent="Beispiel GmbH", filename="a b")
LETTER = TitleParts("Kündigung", subject="Kündigung")


@pytest.mark.parametrize(
    ("template", "parts", "issued", "title"),
    [
        (WHOLE, INVOICE, DAY, "2024-05-12 Beispiel GmbH Rechnung 4711"),
        (WHOLE, LETTER, DAY, "2024-05-12 Kündigung"),
        (WHOLE, LETTER, None, "Kündigung"),
        ("{day}.{month}.{year} {title}", INVOICE, DAY, "12.05.2024 Rechnung 4711"),
        ("{day}.{month}.{year} {title}", INVOICE, None, "Rechnung 4711"),
        ("{correspondent} - {type} - {number}", LETTER, DAY, "Kündigung"),
        ("{correspondent} - {subject} - {issued_date}", LETTER, DAY, "Kündigung - 2024-05-12"),
        ("{type} ({number}), {correspondent}", INVOICE, DAY, "Rechnung (4711), Beispiel GmbH"),
        ("{title} ({number})", LETTER, DAY, "Kündigung"),
        ("{title} [{correspondent} {number}]", LETTER, DAY, "Kündigung"),
        ("{title} von {correspondent}", INVOICE, DAY, "Rechnung 4711 von Beispiel GmbH"),
        ("{title} von {correspondent}", LETTER, DAY, "Kündigung"),
        ("Akte {number}: {title}", LETTER, DAY, "Akte Kündigung"),
        ("{number}", LETTER, DAY, "Kündigung"),
        ("{filename}", INVOICE, DAY, "a b"),
        ("{title} (Kopie)", LETTER, DAY, "Kündigung (Kopie)"),
        ("{issued_date}_{type}_{number}", INVOICE, DAY, "2024-05-12_Rechnung_4711"),
    ],
)
def test_a_template_puts_a_title_together_and_leaves_no_gaps(
    template: str, parts: TitleParts, issued: date | None, title: str
) -> None:
    assert render_title(check_template(template), parts, issued=issued) == title


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{date}", "There is no field {date}. There are: {issued_date}"),
        ("{title.__class__}", "There is no field"),
        ("{title!r}", "There is no field"),
        ("{}", "There is no field"),
        ("{title", "A brace stands alone"),
        ("{{title}}", "A brace stands alone"),
        ("Rechnung", "Without a field"),
        ("x" * 300 + "{title}", "characters at most"),
    ],
)
def test_a_template_that_cannot_be_used_says_why(template: str, reason: str) -> None:
    with pytest.raises(BadTitleTemplate) as raised:
        check_template(template)
    assert reason in str(raised.value)


def test_no_template_is_one_too_and_blanks_are_tidied() -> None:
    assert check_template("  \n ") == ""
    assert check_template(" {title}\n{number}\x00 ") == "{title} {number}"


@given(
    st.lists(
        st.sampled_from([*(f"{{{name}}}" for name in FIELDS), " ", "-", "(", ")", "[", "]", "Nr. "]),
        max_size=12,
    ),
    st.builds(
        TitleParts,
        title=st.text("aé1", min_size=1, max_size=300),
        type=st.text("a ", max_size=4),
        number=st.text("1/", max_size=4),
        subject=st.text("(b)", max_size=5),
        correspondent=st.text("{c}", max_size=5),
    ),
    st.none() | st.dates(),
)
def test_any_template_that_is_accepted_makes_a_title(
    pieces: list[str], parts: TitleParts, issued: date | None
) -> None:
    template = "".join(pieces)[:MAX_TEMPLATE]
    try:
        checked = check_template(template)
    except BadTitleTemplate:
        return
    if checked:
        title = render_title(checked, parts, issued=issued)
        assert title == parts.title or (0 < len(title) <= MAX_TITLE and title == title.strip())
