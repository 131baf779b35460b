"""The list of samples: each with its tenant, name and kind, how to make it, and what should become of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial

from archiv.samples import (
    einvoice,
    files,
    invoices,
    letters,
    prose,
    scanned_archive,
    scanned_office,
    statement,
)
from archiv.samples.model import Expectation, Kind, Sample, Status, TextSource
from archiv.samples.scanner import Look
from archiv.samples.senders import KANZLEI, STADTARCHIV


@dataclass(frozen=True, slots=True)
class Recipe:
    """A sample and the function that makes its bytes, the same ones at every call."""

    sample: Sample
    make: Callable[[], bytes]


def _read(
    tenant: str,
    filename: str,
    kind: Kind,
    make: Callable[[], bytes],
    pages: int,
    issued: date | None,
    source: TextSource,
    snippet: str,
    title: str,
) -> Recipe:
    """A sample that is read without complaint."""
    return Recipe(
        Sample(tenant, filename, kind, Expectation(Status.DONE, pages, issued, source, snippet, title)), make
    )


def _failed(tenant: str, filename: str, kind: Kind, make: Callable[[], bytes], reason: str) -> Recipe:
    """A sample that is kept but cannot be read; `reason` must be in what the operator is told."""
    return Recipe(
        Sample(tenant, filename, kind, Expectation(Status.FAILED, None, None, TextSource.NONE, reason)), make
    )


_LAYER, _OCR = TextSource.LAYER, TextSource.OCR
_PAYSLIP = ("Lohnabrechnung Oktober 2025", "Personalnummer 0007", "Auszahlungsbetrag 2.480,35 EUR")

_KANZLEI = (
    _read(KANZLEI, "Rechnung-2026-0117-Papierwerk.pdf", Kind.PDF, invoices.office_supplies, 1,
          date(2026, 1, 14), _LAYER, "Toner schwarz",
          "Rechnung 2026-0117"),
    _read(KANZLEI, "Rechnung-Wartung-Kopierer.pdf", Kind.E_INVOICE, einvoice.copier_maintenance, 1,
          date(2026, 3, 9), _LAYER, "Fixiereinheit",
          "Rechnung 2026-0231"),
    _read(KANZLEI, "Jahresabrechnung-Strom-2025.pdf", Kind.PDF, invoices.electricity_year, 2,
          date(2025, 11, 7), _LAYER, "Verbrauch nach Monaten",
          "Jahresabrechnung Strom SW-25-771204"),
    _read(KANZLEI, "Invoice-INV-20418.pdf", Kind.PDF, invoices.software, 1,
          date(2025, 3, 14), _LAYER, "Priority support",
          "Invoice INV-20418"),
    _read(KANZLEI, "Kontoauszug-2025-09.pdf", Kind.PDF, statement.bank_statement, 2,
          date(2025, 9, 30), _LAYER, "Berufshaftpflicht",
          "Kontoauszug September 2025"),
    _read(KANZLEI, "Fristverlängerung-Amtsgericht.pdf", Kind.PDF, letters.extension_of_time, 1,
          date(2025, 6, 5), _LAYER, "Gutachten des Sachverständigen",
          "In Sachen Mustermann ./. Beispiel Bau GmbH: Antrag auf Fristverlängerung"),
    _read(KANZLEI, "Mietvertrag-Musterallee-12.pdf", Kind.PDF, letters.office_lease, 3,
          date(2021, 3, 1), _LAYER, "Kündigungsfrist",
          "Mietvertrag über Kanzleiräume"),
    _read(KANZLEI, "Engagement-letter-Specimen-Partners.pdf", Kind.PDF, letters.engagement_terms, 2,
          date(2025, 2, 3), _LAYER, "conflicts of interest",
          "Terms of engagement: correspondent counsel in England and Wales"),
    _read(KANZLEI, "Scan-Zahlungserinnerung.pdf", Kind.SCAN, partial(
              files.scan_pdf, scanned_office.dunning_letter, Look(101, 1.8)), 1,
          date(2025, 9, 18), _OCR, "Zahlungserinnerung",
          "Zahlungserinnerung"),
    _read(KANZLEI, "Scan-Vergleich-Dach.pdf", Kind.SCAN, partial(
              files.scan_pdf, scanned_office.settlement, Look(102, -1.3), Look(103, 2.2)), 2,
          date(2024, 11, 21), _OCR, "Gewährleistung",
          "Außergerichtlicher Vergleich"),
    _read(KANZLEI, "Vollmacht-57-25.pdf", Kind.MIXED, partial(
              files.mixed_pdf, scanned_office.power_of_attorney, Look(104, -2.4)), 2,
          date(2025, 10, 8), TextSource.BOTH, "Untervollmacht",
          "Vollmacht in Sachen Nachbarrecht"),
    _read(KANZLEI, "Bewirtungsbeleg.jpg", Kind.JPEG, partial(
              files.scan_jpeg, scanned_office.receipt, Look(105, 2.7, grain=7), (0, 0, 2480, 2000)), 1,
          date(2025, 5, 27), _OCR, "Mittagstisch",
          "Bewirtungsbeleg 5521"),
    _read(KANZLEI, "Fax-Deckungszusage.tif", Kind.FAX, partial(
              files.fax_tiff, scanned_office.claim_fax, Look(106, 1.1), Look(107, -1.6), Look(108, 1.4)), 3,
          date(2024, 5, 8), _OCR, "Leitungswasserschaden",
          "Wasserschaden Musterallee 12: Deckungszusage"),
    _read(KANZLEI, "Aktenvermerk-57-25.txt", Kind.TEXT, prose.memorandum, 1,
          date(2025, 10, 16), _LAYER, "beschädigte",
          "Aktenvermerk"),
    _read(KANZLEI, "Besprechungstermin.eml", Kind.MAIL, prose.appointment, 1,
          date(2025, 10, 2), _LAYER, "Hecke entlang der Grenze",
          "Besprechungstermin wegen der Hecke am Grundstück"),
    _failed(KANZLEI, "Lohnabrechnung-geschützt.pdf", Kind.ENCRYPTED, partial(
              files.encrypted_pdf, _PAYSLIP), "password"),
    Recipe(Sample(KANZLEI, "Rechnung-2026-0117-Papierwerk (Kopie).pdf", Kind.DUPLICATE,
                  Expectation(Status.DUPLICATE, None, None, TextSource.NONE, "")), invoices.office_supplies),
)  # fmt: skip

_STADTARCHIV = (
    _read(STADTARCHIV, "Gebührenbescheid-Lesesaal.pdf", Kind.PDF, letters.reading_room_fee, 1,
          date(2024, 7, 30), _LAYER, "Rechtsbehelfsbelehrung",
          "Gebührenbescheid für die Benutzung des Lesesaals"),
    _read(STADTARCHIV, "Benutzungsordnung.pdf", Kind.PDF, letters.rules_of_use, 2,
          date(2022, 5, 12), _LAYER, "Schutzfristen",
          "Benutzungsordnung für das Stadtarchiv Beispielstadt"),
    _read(STADTARCHIV, "Rechnung-Restaurierung.pdf", Kind.PDF, invoices.restoration, 1,
          date(2024, 8, 22), _LAYER, "Ratsprotokolle",
          "Rechnung R 61/2024"),
    _read(STADTARCHIV, "Invoice-EAB-3307.pdf", Kind.PDF, invoices.archival_boxes, 1,
          date(2024, 12, 5), _LAYER, "Japanese tissue",
          "Invoice EAB-3307"),
    _read(STADTARCHIV, "Niederschrift-Kulturausschuss-1987.pdf", Kind.SCAN, partial(
              files.scan_pdf, scanned_archive.council_minutes, Look(201, -2.0, grain=7, blur=0.9)), 1,
          date(1987, 3, 12), _OCR, "Kulturausschusses",
          "Niederschrift über die öffentliche Sitzung des Kulturausschusses"),
    _read(STADTARCHIV, "Loan-agreement-L-2023-17.pdf", Kind.SCAN, partial(
              files.scan_pdf, scanned_archive.loan_agreement, Look(202, 2.9)), 1,
          date(2023, 9, 6), _OCR, "parchment charter",
          "Loan agreement"),
    _read(STADTARCHIV, "IMG_Brief-Nachlass.jpg", Kind.PHOTO, partial(
              files.photo_jpeg, scanned_archive.estate_letter, Look(203, 1.0, grain=4)), 1,
          date(2023, 4, 17), _OCR, "Nachlass",
          "Brief-Nachlass"),
    _read(STADTARCHIV, "Karteikarte-K-114.png", Kind.PNG, partial(
              files.scan_png, scanned_archive.index_card, Look(204, -1.2), (200, 400, 2280, 1400)), 1,
          date(1994, 2, 3), _OCR, "Mikrofilm",
          "Karten und Pläne K 114"),
    _read(STADTARCHIV, "Findbuch-Bestand-12.txt", Kind.TEXT, prose.finding_aid, 1,
          date(2022, 11, 15), _LAYER, "Straßenbau an der Großen Brücke",
          "Findbuch Bestand 12: Alter Speicher und Mühle"),
    _read(STADTARCHIV, "Enquiry-grain-trade.eml", Kind.MAIL, prose.enquiry, 1,
          date(2024, 6, 11), _LAYER, "barley",
          "Grain trade between Exampleton and Beispielstadt, 1870-1914"),
    _read(STADTARCHIV, "Rechnung-2026-0117-Papierwerk.pdf", Kind.PDF, invoices.office_supplies, 1,
          date(2026, 1, 14), _LAYER, "Toner schwarz",
          "Rechnung 2026-0117"),
    _read(STADTARCHIV, "Leerseite.pdf", Kind.BLANK, files.blank_pdf, 1, None, TextSource.NONE, "",
          "Leerseite"),
    _failed(STADTARCHIV, "Übertragung-abgebrochen.pdf", Kind.BROKEN, partial(
              files.cut_off_pdf, invoices.archival_boxes, 0.7), ""),
)  # fmt: skip

RECIPES: tuple[Recipe, ...] = (*_KANZLEI, *_STADTARCHIV)
"""Every sample in the order of its import; a duplicate comes after what it repeats."""

SAMPLES: tuple[Sample, ...] = tuple(recipe.sample for recipe in RECIPES)
