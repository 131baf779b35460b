"""The letterheads of everybody who writes in the samples. All of them are made up, and say so by name.

Telephone numbers are from the ranges kept free for fiction (030 23125-, 020 7946 0), account numbers and
tax numbers are zeros, and mail goes to domains reserved for examples.
"""

from archiv.samples.paper import SERIF, TYPEWRITER, VERA, Letterhead

KANZLEI = "Kanzlei Muster"
STADTARCHIV = "Stadtarchiv Beispielstadt"
"""The two tenants."""

KANZLEI_ADDRESS = ("Kanzlei Muster", "Musterallee 12", "12345 Beispielstadt")
STADTARCHIV_ADDRESS = ("Stadtarchiv Beispielstadt", "Am Alten Speicher 3", "12345 Beispielstadt")

KANZLEI_HEAD = Letterhead(
    "Kanzlei Muster",
    "Rechtsanwältinnen und Rechtsanwälte",
    "Musterallee 12 · 12345 Beispielstadt",
    ("Telefon 030 23125-100", "Telefax 030 23125-199", "post@kanzlei-muster.example"),
    (
        ("Kanzlei Muster", "Musterallee 12", "12345 Beispielstadt"),
        ("Musterbank Beispielstadt", "IBAN DE00 0000 0000 0000 0001 00", "BIC MUSTDE00XXX"),
        ("Steuernummer 00/000/00000", "USt-IdNr. DE000000000", "Sprechzeit nach Vereinbarung"),
    ),
    colour="#5b1f2a",
    family=SERIF,
    initials="KM",
)

STADTARCHIV_HEAD = Letterhead(
    "Stadtarchiv Beispielstadt",
    "Stadt Beispielstadt · Amt für Kultur und Stadtgeschichte",
    "Am Alten Speicher 3 · 12345 Beispielstadt",
    ("Telefon 030 23125-300", "archiv@beispielstadt.example", "Lesesaal Di–Do 9–17 Uhr"),
    (
        ("Stadt Beispielstadt", "Rathausplatz 1", "12345 Beispielstadt"),
        ("Sparkasse Musterland", "IBAN DE00 0000 0000 0000 0003 00", "BIC SPKMDE00XXX"),
        ("www.beispielstadt.example", "Buslinien 3 und 7", "Haltestelle Alter Speicher"),
    ),
    colour="#14506b",
    initials="SB",
)

PAPIERWERK = Letterhead(
    "Papierwerk Beispiel GmbH",
    "Bürobedarf und Drucksachen",
    "Gewerbering 8 · 12347 Beispielstadt",
    ("Telefon 030 23125-410", "rechnung@papierwerk.example", "www.papierwerk.example"),
    (
        ("Papierwerk Beispiel GmbH", "Gewerbering 8", "12347 Beispielstadt"),
        ("Musterbank Beispielstadt", "IBAN DE00 0000 0000 0000 0004 10", "BIC MUSTDE00XXX"),
        ("Amtsgericht Beispielstadt HRB 00000", "USt-IdNr. DE000000000", "Geschäftsführung: E. Mustermann"),
    ),
    colour="#0f6b4f",
    initials="PB",
)

STADTWERKE = Letterhead(
    "Stadtwerke Beispielstadt",
    "Strom · Wasser · Wärme",
    "Am Wasserturm 1 · 12346 Beispielstadt",
    ("Kundendienst 030 23125-500", "service@stadtwerke.example"),
    (
        ("Stadtwerke Beispielstadt", "Am Wasserturm 1", "12346 Beispielstadt"),
        ("Sparkasse Musterland", "IBAN DE00 0000 0000 0000 0005 00", "Gläubiger-ID DE00ZZZ00000000000"),
    ),
    colour="#b4540a",
    family=VERA,
    initials="SW",
)

MUSTERBANK = Letterhead(
    "Musterbank Beispielstadt",
    "Eingetragene Genossenschaft",
    "Marktstraße 20 · 12345 Beispielstadt",
    ("Telefon 030 23125-600", "BIC MUSTDE00XXX"),
    (("Dieser Auszug gilt als Rechnungsabschluss, wenn nicht binnen sechs Wochen widersprochen wird.",),),
    colour="#26336e",
    initials="MB",
)

IMMOBILIEN = Letterhead(
    "Hausverwaltung Musterhof",
    "Vermietung und Verwaltung",
    "Lindenweg 5 · 12345 Beispielstadt",
    ("Telefon 030 23125-700",),
    colour="#4a4a4a",
    family=SERIF,
)

RESTAURIERUNG = Letterhead(
    "Werkstatt Musterblatt",
    "Restaurierung von Büchern, Karten und Akten",
    "Gerbergasse 9 · 12348 Musterdorf",
    ("Telefon 030 23125-820", "werkstatt@musterblatt.example"),
    (
        ("Werkstatt Musterblatt", "Gerbergasse 9", "12348 Musterdorf"),
        ("Sparkasse Musterland", "IBAN DE00 0000 0000 0000 0008 20", "Steuernummer 00/000/00000"),
    ),
    colour="#6b4a14",
    family=SERIF,
    initials="WM",
)

TOWN_CLERK = Letterhead(
    "Stadt Beispielstadt",
    "Der Stadtdirektor",
    "Rathausplatz 1 · 12345 Beispielstadt",
    colour="#000000",
    family=TYPEWRITER,
)

SAMPLE_SOFTWARE = Letterhead(
    "Sample Software Ltd",
    "Case management for small practices",
    "4 Placeholder Lane · Exampleton EX1 2MP",
    ("Phone 020 7946 0110", "billing@sample-software.example"),
    (
        ("Sample Software Ltd", "4 Placeholder Lane", "Exampleton EX1 2MP"),
        ("Example Bank plc", "IBAN GB00 0000 0000 0000 0001 10", "Company no. 00000000"),
    ),
    colour="#3a2a7a",
    page_word="Page",
    initials="SS",
)

EXAMPLE_BOXES = Letterhead(
    "Example Archival Boxes Ltd",
    "Acid-free storage since the day before yesterday",
    "Unit 7, Specimen Park · Exampleton EX3 4AM",
    ("Phone 020 7946 0370", "sales@archival-boxes.example"),
    (
        ("Example Archival Boxes Ltd", "Unit 7, Specimen Park", "Exampleton EX3 4AM"),
        ("Example Bank plc", "IBAN GB00 0000 0000 0000 0003 70", "VAT no. GB 000 0000 00"),
    ),
    colour="#7a4a2a",
    family=VERA,
    page_word="Page",
    initials="EB",
)

SPECIMEN_PARTNERS = Letterhead(
    "Specimen & Partners",
    "Solicitors",
    "12 Placeholder Square · Exampleton EX1 1SP",
    ("Phone 020 7946 0250", "office@specimen-partners.example"),
    colour="#2b3f2b",
    family=SERIF,
    page_word="Page",
    initials="SP",
)

EXAMPLE_MUSEUM = Letterhead(
    "Exampleton Town Museum",
    "Collections and Loans",
    "1 Specimen Street · Exampleton EX2 3AB",
    ("Phone 020 7946 0400", "loans@exampleton-museum.example"),
    colour="#333333",
    page_word="Page",
)
