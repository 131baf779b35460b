"""What the scanned papers say: a settlement, a fax, minutes, a loan, a letter and an index card."""

SETTLEMENT = (
    (
        "1. Das Unternehmen bessert die Anschlüsse am Schornstein und an der Gaube bis zum 31. Januar 2025 "
        "auf eigene Kosten nach. Gerüst und Entsorgung sind eingeschlossen."
    ),
    (
        "2. Der Verein zahlt binnen zwei Wochen nach Abnahme 3.600,00 € zum Ausgleich aller "
        "Forderungen aus dem Vertrag. Der Restbetrag von 1.200,00 € ist erlassen."
    ),
    (
        "3. Die Abnahme erfolgt gemeinsam nach dem ersten starken Regen, spätestens am 28. Februar 2025. "
        "Darüber wird ein Protokoll gefertigt, das beide Seiten unterschreiben."
    ),
    (
        "4. Die Frist für die Gewährleistung beginnt für die nachgebesserten Teile mit der Abnahme neu und "
        "beträgt vier Jahre."
    ),
    "5. Jede Seite trägt ihre Kosten selbst. Die Kosten des Gutachtens in Höhe von 640,00 € werden geteilt.",
    (
        "6. Mit Erfüllung dieses Vergleichs sind alle gegenseitigen Ansprüche aus der Dacheindeckung "
        "erledigt, ob bekannt oder unbekannt."
    ),
    "7. Der Verein kann den Vergleich bis zum 5. Dezember 2024 durch schriftliche Erklärung widerrufen.",
)

QUESTIONS = (
    "1. Wann wurde der Schaden bemerkt, und von wem?",
    "2. Aus welcher Leitung trat das Wasser aus? Bitte fügen Sie die Rechnung des Installateurs bei.",
    "3. Wie hoch stand das Wasser, und welche Regale waren betroffen?",
    "4. Sind Akten beschädigt, die auf Grund gesetzlicher Vorschriften aufzubewahren sind?",
    "5. Wurden Trocknungsgeräte aufgestellt? Nennen Sie bitte Anzahl, Dauer und Stromverbrauch.",
    "6. Besteht für denselben Schaden eine weitere Versicherung?",
)

DRYING = (
    (
        "Nasse Akten dürfen nicht gepresst oder geföhnt werden. Lassen Sie die Bündel, wie sie sind, und "
        "legen Sie sie in saugfähiges Papier."
    ),
    (
        "Innerhalb von 48 Stunden beginnt Schimmel zu wachsen. Was bis dahin nicht getrocknet werden kann, "
        "gehört in die Gefriertrocknung; geeignete Betriebe nennen wir Ihnen gern."
    ),
    "Notieren Sie vor dem Abtransport Signatur und Reihenfolge. Fotografieren Sie jeden Karton von oben.",
)

MINUTES = (
    (
        "über die öffentliche Sitzung des Kulturausschusses im kleinen Sitzungssaal des Rathauses. Beginn "
        "18.30 Uhr, Ende 20.15 Uhr."
    ),
    (
        "Anwesend sind sieben stimmberechtigte Mitglieder, zwei Mitglieder fehlen entschuldigt. Die "
        "Einladung ist frist- und formgerecht ergangen."
    ),
    (
        "1. Alter Speicher. Das Hochbauamt trägt vor, dass der Alte Speicher nach Abschluss der Sanierung "
        "das Stadtarchiv aufnehmen soll. Die Decken tragen 1.000 kg je Quadratmeter. Der Ausschuss stimmt "
        "dem Vorhaben mit sechs Stimmen bei einer Enthaltung zu."
    ),
    (
        "2. Lesesaal. Es sollen zwölf Arbeitsplätze und ein Raum für Karten eingerichtet werden. Die "
        "Kosten werden auf 84.000 DM geschätzt."
    ),
    (
        "3. Stadtjubiläum. Die Ausstellung zum Jubiläum wird auf den Herbst 1988 verschoben, da die "
        "Urkunden noch in der Werkstatt liegen."
    ),
    "4. Verschiedenes. Der Antrag, das Archiv auch samstags zu öffnen, wird an die Verwaltung überwiesen.",
)

LOAN = (
    (
        "between the Exampleton Town Museum, the lender, and the Stadtarchiv Beispielstadt, the borrower, "
        "for the exhibition <i>A Granary and its Papers</i>."
    ),
    (
        "1. The lender lends one parchment charter with pendant seal and two letters of a grain merchant. "
        "Condition reports with photographs are attached."
    ),
    "2. The loan begins on 2 October 2023 and ends on 31 March 2024. It may be extended in writing.",
    (
        "3. The borrower keeps the objects at 18 to 20 degrees and at a relative humidity of 50 per cent, "
        "in light of no more than 50 lux, behind glass and under lock."
    ),
    (
        "4. Insurance is from nail to nail. The agreed value is £14,500. Transport is by courier, and the "
        "lender's conservator is present at unpacking."
    ),
    "5. Photography for the catalogue is permitted; any other reproduction requires the lender's consent.",
)

ESTATE = (
    "Sehr geehrte Damen und Herren,",
    (
        "beim Räumen unseres Hauses haben wir auf dem Dachboden drei Kartons mit Papieren meines "
        "Großvaters gefunden, der von 1921 bis 1958 Müller am Alten Speicher war."
    ),
    (
        "Es sind Rechnungsbücher, etwa zweihundert Briefe und viele Fotografien von Markttagen. "
        "Manches ist in Sütterlin geschrieben, das hier niemand lesen kann."
    ),
    (
        "Hätte das Stadtarchiv Interesse an diesem Nachlass? Wir würden ihn gern als Schenkung in gute "
        "Hände geben."
    ),
    "Mit herzlichen Grüßen",
)

CARD = (
    "Titel: Plan der Stadt Beispielstadt mit Feldmark",
    "Entstehung: 1892, Maßstab 1 : 2500",
    "Format: 68 × 94 cm, auf Leinen gezogen",
    "Zustand: Knicke, Wasserrand unten links",
    "Verzeichnet am: 3. Februar 1994",
    "Bemerkung: Original nur nach Rücksprache vorlegen, sonst Mikrofilm 22.",
)
