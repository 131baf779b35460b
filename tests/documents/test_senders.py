"""Who a paper is from: labelled, over the window, in the letterhead; and never who gets it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.senders import MAX_NAME, find_sender
from tests.documents.whole_documents import whole_documents

#: Layouts in which the sender's name begins the first line.
FIRST = ("letter", "invoice_block", "invoice_row", "english")


@pytest.mark.parametrize(
    ("text", "sender"),
    [
        ("Verkäufer\nNummer: 549910\nName: Lieferant GmbH\nKäufer\nName: Kunden AG", "Lieferant GmbH"),
        (
            "Verkäufer\nName:\nMVM Muster\nVerein a.G.\n\nAnschrift: x",
            "MVM Muster Verein a.G.",
        ),
        ("Lieferant\n GLN 4333741000005\n MUSTERLIEFERANT\n BAHNHOFSTRASSE 99", "MUSTERLIEFERANT"),
        ("Seller: Sample Ltd\nBuyer: Acme Inc.", "Sample Ltd"),
        ("2020-11-21\nBei Spiel GmbH ● Ecke 12 ● 12345 Stadthausen\nTheodor Est", "Bei Spiel GmbH"),
        ("Au bon moulin - 1242 chemin de l'olive - 84340 Malaucène\nInvoice 5", "Au bon moulin"),
        (
            "LE CLIENT\n58 rue du lac\n06000 NICE\n\nLE VENDEUR SARL\n35 rue d'ici\n75018 PARIS\nTVA : FR1",
            "LE VENDEUR SARL",
        ),
        (
            "Stadt Musterstadt\nAmt für Wasser\nMax Muster\nHauptstraße 12\n50667 Köln",
            "Stadt Musterstadt",
        ),
        ("Kunde\nKunden AG\nWeg 3\n12345 Ort\nIBAN DE1", ""),
        ("Max Muster\nHauptstraße 12\n50667 Köln\n\nSehr geehrter Herr Muster,", ""),
        ("Dieser Vertrag wird geschlossen zwischen Max Muster und der Beispiel GmbH", ""),
        ("", ""),
    ],
)
def test_the_sender_is_found_or_nobody_is(text: str, sender: str) -> None:
    assert find_sender([text]) == sender


def test_at_least_95_of_100_whole_documents_name_their_sender() -> None:
    documents = [document for document in whole_documents(25) if document.name.split("-")[0] in FIRST]
    wrong = [
        document.name
        for document in documents
        if find_sender(document.pages) != document.text.split("\n")[0].split(" · ")[0]
    ]
    assert len(wrong) <= len(documents) * 0.05, wrong


@given(st.lists(st.text(max_size=200), max_size=3))
def test_any_text_gives_a_name_on_one_line_or_none(pages: list[str]) -> None:
    sender = find_sender(pages)
    assert len(sender) <= MAX_NAME
    assert "\n" not in sender
