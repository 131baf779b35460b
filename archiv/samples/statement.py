"""A bank statement: many dated lines, and a running balance that adds up."""

from decimal import Decimal

from reportlab.platypus import Flowable

from archiv.samples.blocks import GERMAN, address_and_references, gap, heading, listing, text
from archiv.samples.paper import print_pdf
from archiv.samples.senders import KANZLEI_ADDRESS, MUSTERBANK


def bank_statement() -> bytes:
    """A German account statement of two pages with dated bookings."""
    head = MUSTERBANK
    balance = Decimal("18402.77")
    rows = [["Buchung", "Wert", "Vorgang", "Betrag", "Saldo"]]
    bookings = [
        ("01.09.", "Miete September, Hausverwaltung Musterhof", "-2140.00"),
        ("02.09.", "Gutschrift Honorar Az. 41/25, Mustermann ./. Beispiel", "1785.00"),
        ("03.09.", "Lastschrift Stadtwerke Beispielstadt, Abschlag", "-160.00"),
        ("04.09.", "Kartenzahlung Bahnhof Beispielstadt, Fahrkarte", "-58.90"),
        ("05.09.", "Gutschrift Kostenerstattung Amtsgericht", "412.50"),
        ("08.09.", "Überweisung Papierwerk Beispiel GmbH, Rechnung 2025-2291", "-347.16"),
        ("09.09.", "Gutschrift Beratung, Verein der Beispielfreunde", "595.00"),
        ("10.09.", "Lastschrift Umsatzsteuer August, Finanzamt", "-2904.00"),
        ("11.09.", "Überweisung Gehalt, Sekretariat", "-2480.35"),
        ("12.09.", "Gutschrift Vorschuss Az. 57/25", "1190.00"),
        ("15.09.", "Lastschrift Berufshaftpflicht, Musterversicherung", "-612.80"),
        ("16.09.", "Gutschrift Honorar Az. 38/25, Erbengemeinschaft", "3570.00"),
        ("17.09.", "Überweisung Reinigung Glanz & Muster", "-238.00"),
        ("18.09.", "Überweisung Porto, Freistempler aufgeladen", "-150.00"),
        ("19.09.", "Gutschrift Honorar Az. 12/25, Teilzahlung 3 von 6", "250.00"),
        ("22.09.", "Überweisung Fachverlag Exempel, Ergänzungslieferung", "-189.00"),
        ("23.09.", "Gutschrift Honorar Az. 60/25", "833.00"),
        ("24.09.", "Überweisung Sample Software Ltd, INV-20977", "-504.00"),
        ("25.09.", "Lastschrift Telefon und Internet", "-89.95"),
        ("26.09.", "Gutschrift Erstattung Fahrtkosten", "64.20"),
        ("29.09.", "Überweisung Gehalt, Referendariat", "-1210.00"),
        ("30.09.", "Kontoführung und Buchungsposten", "-14.60"),
    ]
    for day, words, amount in bookings:
        balance += Decimal(amount)
        rows.append([f"{day}", f"{day}", words, GERMAN.money(Decimal(amount)), GERMAN.money(balance)])
    story: list[Flowable] = [
        *address_and_references(
            head,
            KANZLEI_ADDRESS,
            [
                ("Auszug", "9/2025"),
                ("Auszugsdatum", "30.09.2025"),
                ("Konto", "0000 0001 00"),
                ("Währung", "EUR"),
            ],
        ),
        heading(head, "Kontoauszug September 2025"),
        *text(head, "Kontostand am 31.08.2025: <b>18.402,77 €</b>"),
        listing(head, rows, (17, 15, 79, 26, 28), numbers_from=3, size=10),
        gap(5),
        *text(head, f"Neuer Kontostand am 30.09.2025: <b>{GERMAN.money(balance)}</b>"),
    ]
    return print_pdf(story, head, title="Kontoauszug 9/2025")
