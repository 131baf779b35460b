"""Papers written for the test of what searches find: `search_questions` has what people type to find them.

Each paper: key, title, text, issued day, and what it is filed under; whom it is from stands above its
text.
"""

from datetime import date
from typing import NamedTuple


class Paper(NamedTuple):
    """One paper of the corpus; `pages` are parted by a form feed."""

    key: str
    title: str
    text: str
    issued: date | None = None
    tags: tuple[str, ...] = ()
    correspondent: str = ""
    type: str = ""


PAPERS = (
    Paper(
        "strom",
        "Stromabrechnung 2024",
        "Stadtwerke Müllheim GmbH\nJahresabrechnung Ihres Stromverbrauchs\nKundennummer 4711-0815\n"
        "Der Abschlag beträgt künftig 84,00 EUR im Monat. Zählerstand 12.345 kWh.",
        date(2025, 1, 17),
        ("Steuer", "Haushalt"),
        "Stadtwerke Müllheim",
        "Rechnung",
    ),
    Paper(
        "strom_alt",
        "Stromabrechnung 2019",
        "Stadtwerke Müllheim GmbH\nJahresabrechnung Ihres Stromverbrauchs\nKundennummer 4711-0815",
        date(2020, 1, 20),
        ("Haushalt",),
        "Stadtwerke Müllheim",
        "Rechnung",
    ),
    Paper(
        "miete",
        "Mietvertrag Gartenstraße 5",
        "Zwischen Frau Jäger und Herrn Weiß wird folgender Vertrag über die Wohnung"
        " geschlossen. Die Kaution beträgt"
        " drei Monatsmieten. Haustiere sind erlaubt.\fKündigungsfrist: drei Monate zum Quartalsende. Die"
        " Schönheitsreparaturen übernimmt der Mieter.",
        date(2018, 9, 1),
        ("Wohnung",),
        "Hausverwaltung Jäger",
        "Vertrag",
    ),
    Paper(
        "kuendigung",
        "Kündigung der Wohnung",
        "Hiermit kündige ich den Mietvertrag fristgerecht zum 31.12.2024. Bitte bestätigen Sie den Eingang.",
        date(2024, 9, 2),
        ("Wohnung",),
        "",
        "Brief",
    ),
    Paper(
        "hausrat",
        "Hausratversicherung",
        "Versicherungsschein Nr. HR-99812-7\nDie Versicherungssumme für Ihren Hausrat beträgt 65.000 EUR.",
        date(2021, 5, 3),
        ("Versicherungen",),
        "Nordstern Versicherung AG",
        "Police",
    ),
    Paper(
        "haftpflicht",
        "Privathaftpflicht",
        "Versicherungsbedingungen der Haftpflichtversicherung. Die Deckungssumme beträgt 10"
        " Mio. EUR. Schäden sind"
        " unverzüglich zu melden.",
        date(2022, 2, 14),
        ("Versicherungen",),
        "Nordstern Versicherung AG",
        "Police",
    ),
    Paper(
        "kfz",
        "Kfz-Versicherung Beitragsrechnung",
        "Kennzeichen MÜ-AB 123. Beitrag für die Teilkasko: 312,50 EUR, zahlbar bis"
        " 02.01.2025. Schadenfreiheitsklasse"
        " SF 12.",
        date(2024, 11, 28),
        ("Versicherungen", "Auto"),
        "Nordstern Versicherung AG",
        "Rechnung",
    ),
    Paper(
        "werkstatt",
        "Rechnung Autohaus Schön",
        "Inspektion und Ölwechsel. Bremsbeläge vorne erneuert. Arbeitszeit 2,5 Stunden."
        " Gesamtbetrag 489,90 EUR."
        " Fahrgestellnummer WVWZZZ1KZ6W000123.",
        date(2024, 4, 9),
        ("Auto",),
        "Autohaus Schön",
        "Rechnung",
    ),
    Paper(
        "arzt",
        "Arztbrief Augenheilkunde",
        "Diagnose: H52.1 Myopie beidseits, Z01.0 Augenuntersuchung. Der Visus beträgt rechts 0,8. Eine"
        " Kontrolluntersuchung in zwölf Monaten wird empfohlen.",
        date(2023, 6, 12),
        ("Gesundheit",),
        "Dr. med. Grünwald",
        "Befund",
    ),
    Paper(
        "labor",
        "Laborbefund",
        "Cholesterin 212 mg/dl, Glukose nüchtern 92 mg/dl, Leukozyten 6,1. Befund unauffällig.",
        date(2023, 11, 2),
        ("Gesundheit",),
        "Dr. med. Grünwald",
        "Befund",
    ),
    Paper(
        "steuer",
        "Einkommensteuerbescheid 2022",
        "Finanzamt Müllheim\nSteuernummer 12/345/67890\nIdentifikationsnummer 86 095 742"
        " 719\nFestgesetzt werden"
        " Einkommensteuer 4.812,00 EUR und Solidaritätszuschlag. Erstattung auf das Konto"
        " DE89 3704 0044 0532 0130 00.",
        date(2023, 8, 21),
        ("Steuer",),
        "Finanzamt Müllheim",
        "Bescheid",
    ),
    Paper(
        "lohn",
        "Entgeltabrechnung Oktober 2024",
        "Personalnummer 004218. Gesamtbrutto 4.250,00. Auszahlungsbetrag 2.731,18. Lohnsteuerklasse 1."
        " Überweisung auf IBAN DE89370400440532013000.",
        date(2024, 10, 28),
        ("Arbeit", "Steuer"),
        "Werkzeugbau Kröger KG",
        "Abrechnung",
    ),
    Paper(
        "arbeit",
        "Arbeitsvertrag",
        "Anstellungsvertrag zwischen der Werkzeugbau Kröger KG und Herrn Weiß. Probezeit sechs Monate."
        " Urlaubsanspruch 30 Tage. Wettbewerbsverbot gemäß Anlage.",
        date(2019, 3, 1),
        ("Arbeit",),
        "Werkzeugbau Kröger KG",
        "Vertrag",
    ),
    Paper(
        "zeugnis",
        "Zwischenzeugnis",
        "Herr Weiß erledigte alle Aufgaben stets zu unserer vollsten Zufriedenheit.",
        date(2022, 12, 15),
        ("Arbeit",),
        "Werkzeugbau Kröger KG",
        "Zeugnis",
    ),
    Paper(
        "handy",
        "Rechnung Mobilfunk",
        "Rechnungsnummer 2025-05379\nRufnummer 0170 123 45 67\nGrundgebühr 19,99 EUR, Datenvolumen 20 GB.",
        date(2025, 3, 4),
        (),
        "Telekom",
        "Rechnung",
    ),
    Paper(
        "mahnung",
        "Mahnung",
        "Zweite Mahnung zu unserer offenen Rechnung 2025-04411. Bitte überweisen Sie 57,80"
        " EUR innerhalb von sieben"
        " Tagen, sonst folgt das gerichtliche Mahnverfahren.",
        date(2025, 2, 10),
        (),
        "Telekom",
        "Mahnung",
    ),
    Paper(
        "bank",
        "Kontoauszug Dezember 2024",
        "Kontostand am 31.12.2024: 3.204,55 EUR. Dauerauftrag Miete 780,00. Gutschrift"
        " Gehalt. Kartenzahlung"
        " Supermarkt.",
        date(2025, 1, 2),
        (),
        "Sparkasse Markgräflerland",
        "Kontoauszug",
    ),
    Paper(
        "kredit",
        "Darlehensvertrag Baufinanzierung",
        "Der Darlehensgeber gewährt ein Annuitätendarlehen über 250.000,00 EUR, Sollzins 3,45"
        " % p.a., Zinsbindung"
        " zehn Jahre. Grundschuldbestellung beim Notar.",
        date(2020, 7, 15),
        ("Haus",),
        "Sparkasse Markgräflerland",
        "Vertrag",
    ),
    Paper(
        "notar",
        "Kaufvertrag Grundstück",
        "Urkundenrolle Nr. 1188/2020. Vor mir, dem Notar, erschienen die Eheleute Weiß."
        " Flurstück 221/4, Grundbuch"
        " von Müllheim Blatt 3310. Auflassungsvormerkung.",
        date(2020, 8, 3),
        ("Haus",),
        "Notariat Bühler",
        "Vertrag",
    ),
    Paper(
        "grundsteuer",
        "Grundsteuerbescheid",
        "Stadt Müllheim, Kämmerei. Kassenzeichen 5.0123.004567.8. Jahresbetrag 412,36 EUR,"
        " fällig in vier Raten.",
        date(2025, 1, 10),
        ("Haus", "Steuer"),
        "Stadt Müllheim",
        "Bescheid",
    ),
    Paper(
        "heizung",
        "Wartungsprotokoll Heizungsanlage",
        "Gasbrennwertgerät geprüft, Abgasmessung in Ordnung, CO-Wert 38 ppm. Nächste Wartung im Herbst.",
        date(2024, 10, 1),
        ("Haus",),
        "Sanitär Öztürk",
        "Protokoll",
    ),
    Paper(
        "angebot",
        "Angebot Wärmepumpe",
        "Luft-Wasser-Wärmepumpe, Pufferspeicher 300 l, Montage und Inbetriebnahme."
        " Angebotssumme 28.450,00 EUR netto."
        " Gültig bis 30. Juni.",
        date(2024, 5, 22),
        ("Haus",),
        "Sanitär Öztürk",
        "Angebot",
    ),
    Paper(
        "schule",
        "Elternbrief Klassenfahrt",
        "Liebe Eltern, die Klasse 7b fährt vom 12. bis 16. Mai nach Łódź. Kosten: 240 Euro."
        " Bitte geben Sie die"
        " Einverständniserklärung bis Freitag ab.",
        date(2025, 2, 3),
        ("Kinder",),
        "Markgräfler Gymnasium",
        "Brief",
    ),
    Paper(
        "geburt",
        "Geburtsurkunde",
        "Standesamt Freiburg im Breisgau. Geburtenregister G 1412/2012. Anna-Lena Weiß.",
        date(2012, 4, 27),
        ("Kinder", "Urkunden"),
        "Standesamt Freiburg",
        "Urkunde",
    ),
    Paper(
        "reise",
        "Booking confirmation Copenhagen",
        "Hotel Søndergård, København. Two guests, three nights. Cancellation free of charge"
        " until 48 hours before"
        " arrival. Confirmation number CPH-7781-X.",
        date(2025, 5, 6),
        ("Reise",),
        "Nordic Travel Ltd",
        "Buchung",
    ),
    Paper(
        "flug",
        "E-Ticket LH2452",
        "Passenger WEISS/MARTIN MR. Frankfurt FRA to Copenhagen CPH. Baggage allowance 23 kg."
        " Booking reference"
        " K7QX2M.",
        date(2025, 5, 6),
        ("Reise",),
        "Lufthansa",
        "Buchung",
    ),
    Paper(
        "licence",
        "Software licence agreement",
        "This agreement grants the licensee a non-exclusive right to use the software. Either"
        " party may terminate"
        " with thirty days' notice. Governing law: England and Wales.",
        date(2022, 1, 31),
        ("Arbeit",),
        "Brightwater Software Ltd",
        "Vertrag",
    ),
    Paper(
        "invoice",
        "Invoice 10023",
        "Invoice for consulting services. Net amount GBP 1,200.00, VAT 20 %. Payment due within 30 days."
        " Companies House No. 08123456.",
        date(2024, 3, 31),
        ("Arbeit",),
        "Brightwater Software Ltd",
        "Rechnung",
    ),
    Paper(
        "reminder",
        "Payment reminder",
        "Our records show that invoice 10023 is overdue. Please settle the outstanding balance.",
        date(2024, 5, 15),
        ("Arbeit",),
        "Brightwater Software Ltd",
        "Mahnung",
    ),
    Paper(
        "receipt",
        "Receipt office chair",
        "Ergonomic chair with armrests, colour black. Five-year warranty. Total 349.00 EUR,"
        " paid by credit card"
        " ending 4242.",
        date(2023, 9, 19),
        ("Arbeit", "Garantie"),
        "Möbelhaus Strauß",
        "Beleg",
    ),
    Paper(
        "waschmaschine",
        "Kassenbon Waschmaschine",
        "Waschvollautomat WM-14K, Seriennummer FD 9903 00127. Garantie zwei Jahre. Lieferung frei Haus.",
        date(2024, 2, 2),
        ("Garantie", "Haushalt"),
        "Möbelhaus Strauß",
        "Beleg",
    ),
    Paper(
        "verein",
        "Mitgliedsbescheinigung Turnverein",
        "Der TV Müllheim 1862 e.V. bestätigt die Mitgliedschaft. Jahresbeitrag 96 Euro."
        " Zuwendungsbestätigung liegt"
        " bei.",
        date(2024, 1, 15),
        ("Steuer",),
        "TV Müllheim",
        "Bescheinigung",
    ),
    Paper(
        "spende",
        "Zuwendungsbestätigung",
        "Bestätigung über Geldzuwendungen im Sinne des § 10b EStG. Betrag der Spende: einhundert Euro.",
        date(2024, 12, 30),
        ("Steuer",),
        "Ärzte ohne Grenzen",
        "Bescheinigung",
    ),
    Paper(
        "japan",
        "領収書 二〇二四年三月",
        "領収書\n東京都千代田区丸の内一丁目\n合計 12,800円 (税込)\nありがとうございました",
        date(2024, 3, 8),
        ("Reise",),
        "",
        "Beleg",
    ),
    Paper(
        "korea",
        "서울에서 온 편지",
        "안녕하세요. 서울에서 보내는 편지입니다. 대한민국 우체국",
        date(2023, 1, 9),
        (),
        "",
        "Brief",
    ),
    Paper(
        "protokoll",
        "Protokoll der Eigentümerversammlung",
        "TOP 1 Begrüßung. TOP 2 Jahresabrechnung 2023. TOP 3 Sanierung der Fassade,"
        " Sonderumlage 15.000 EUR."
        " Beschluss einstimmig.\fTOP 4 Wahl des Verwaltungsbeirats. Frau Jäger wird wiedergewählt.",
        date(2024, 6, 20),
        ("Wohnung",),
        "Hausverwaltung Jäger",
        "Protokoll",
    ),
)
