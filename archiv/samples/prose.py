"""Files that are text: a memorandum, a finding aid from an old program, two mails."""

_MEMO = """\
Aktenvermerk

Mandat:   57/25 Beispielfreunde e. V. wegen Grenzbepflanzung
Datum:    16.10.2025
Verfasst: Sekretariat

Herr Beispiel vom Vorstand hat heute um 9.40 Uhr angerufen. Die Vollmacht ist
unterschrieben und geht mit der Post an uns. Die Nachbarin hat die Hecke am
Wochenende selbst zurückgeschnitten, besteht aber auf Ersatz für die beschädigte
Einfassung (etwa 240 €).

Nächste Schritte:
  - Fotos anfordern, möglichst mit Maßband
  - Frist für die Stellungnahme: 30.10.2025
  - Vorschlag für einen Vergleich entwerfen, Grüße an die Gegenseite ausrichten
"""

_FINDING_AID = """\
Stadtarchiv Beispielstadt\r
Bestand 12: Alter Speicher und Mühle\r
Findbuch, Stand: 15.11.2022\r
\r
Signatur   Titel                                        Laufzeit\r
12/1       Bauakten Alter Speicher                      1861-1904\r
12/2       Prüfberichte der Müllerinnung                1870-1933\r
12/3       Straßenbau an der Großen Brücke              1898-1912\r
12/4       Löschwasser und Feuerschutz                  1902-1951\r
12/5       Rechnungsbücher der Mühle (Nachlass)         1921-1958\r
\r
Benutzung: frei, 12/5 nur nach Rücksprache.\r
"""

_APPOINTMENT = """\
From: Verein der Beispielfreunde <vorstand@beispielfreunde.example>
To: Kanzlei Muster <post@kanzlei-muster.example>
Date: Thu, 02 Oct 2025 08:17:44 +0200
Message-ID: <20251002081744.57@beispielfreunde.example>
Subject: =?utf-8?q?Besprechungstermin_wegen_der_Hecke_am_Grundst=C3=BCck?=
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Sehr geehrte Damen und Herren,

unsere Nachbarin verlangt, dass wir die Hecke entlang der Grenze auf 1,20 m
kürzen, und droht mit einer Klage. Wir würden das gern mit Ihnen besprechen.

Passt Ihnen Montag, der 6. Oktober, um 14 Uhr? Wir bringen den Lageplan und die
Rechnung des Gärtners mit.

Freundliche Grüße
Der Vorstand
"""

_ENQUIRY = """\
From: "Exampleton Local History Group" <enquiries@exampleton-history.example>
To: archiv@beispielstadt.example
Cc: loans@exampleton-museum.example
Date: Tue, 11 Jun 2024 15:02:09 +0100
Message-ID: <CAEX-0611@exampleton-history.example>
Subject: Grain trade between Exampleton and Beispielstadt, 1870-1914
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="=_sample_boundary"

--=_sample_boundary
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Dear archivists,

we are writing a booklet on merchants who shipped barley from Beispielstadt to
Exampleton. Do you hold ledgers or letters of the mill at the Gro=DFe Br=FCcke?
A reading room visit in September would suit us; scans at =A31 a page would be
welcome too.

With best wishes
Exampleton Local History Group

--=_sample_boundary
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: 8bit

<html><body><p>Dear archivists,</p>
<p>we are writing a booklet on merchants who shipped <b>barley</b> from Beispielstadt to
Exampleton. Do you hold ledgers or letters of the mill at the Große Brücke? A reading room
visit in September would suit us; scans at £1 a page would be welcome too.</p>
<p>With best wishes<br>Exampleton Local History Group</p></body></html>

--=_sample_boundary--
"""


def memorandum() -> bytes:
    """A German note for the file, UTF-8."""
    return _MEMO.encode()


def finding_aid() -> bytes:
    """A German finding aid as Windows editors save it: UTF-16, little endian, with a byte order mark."""
    return b"\xff\xfe" + _FINDING_AID.encode("utf-16-le")


def appointment() -> bytes:
    """A German mail of one part, 8-bit."""
    return _wire(_APPOINTMENT)


def enquiry() -> bytes:
    """An English mail in two alternatives, quoted-printable Latin-1 and HTML."""
    return _wire(_ENQUIRY)


def _wire(message: str) -> bytes:
    return message.replace("\n", "\r\n").encode()
