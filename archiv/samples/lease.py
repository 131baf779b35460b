"""What the lease says, with the record of the keys."""

LEASE = (
    (
        "Mietgegenstand",
        (
            (
                "Vermietet werden im Haus Musterallee 12 das Erdgeschoss und das erste Obergeschoss mit "
                "zusammen 214 m² Bürofläche, zwei Kellerräume und drei Stellplätze im Hof. Ein Grundriss "
                "ist als Anlage 1 beigefügt."
            ),
            (
                "Die Räume dürfen nur zum Betrieb einer Rechtsanwaltskanzlei genutzt werden. Eine Änderung "
                "des Zwecks bedarf der Zustimmung der Vermieterin in Textform."
            ),
            "Bei der Übergabe wird ein Protokoll gefertigt, das Zählerstände, Schlüssel und Mängel festhält.",
        ),
    ),
    (
        "Mietzeit und Kündigung",
        (
            "Das Mietverhältnis beginnt am 1. April 2021 und läuft auf unbestimmte Zeit.",
            (
                "Die Kündigungsfrist beträgt sechs Monate zum Ende eines Kalendervierteljahres. Die "
                "Kündigung bedarf der Schriftform."
            ),
            "Die Mieterin kann das Mietverhältnis erstmals zum 31. März 2024 kündigen.",
            "Das Recht beider Seiten zur fristlosen Kündigung aus wichtigem Grund bleibt unberührt.",
        ),
    ),
    (
        "Miete und Nebenkosten",
        (
            (
                "Die monatliche Miete beträgt 1.780,00 € zuzüglich einer Vorauszahlung auf die Nebenkosten "
                "von 360,00 €, zusammen 2.140,00 €."
            ),
            (
                "Sie ist bis zum dritten Werktag eines Monats auf das Konto der Vermieterin zu zahlen; "
                "maßgeblich ist der Eingang."
            ),
            (
                "Über die Nebenkosten wird jährlich zum 31. Oktober für das vorangegangene Jahr "
                "abgerechnet. Umgelegt werden Heizung, Wasser, Müllabfuhr, Hausreinigung, Winterdienst und "
                "die Prüfung der Aufzugsanlage."
            ),
            (
                "Die Miete ändert sich mit dem Verbraucherpreisindex, sobald dieser um mehr als fünf "
                "Punkte vom Stand bei Vertragsschluss abweicht."
            ),
        ),
    ),
    (
        "Sicherheit",
        (
            (
                "Die Mieterin stellt eine Sicherheit in Höhe von drei Monatsmieten ohne Nebenkosten, also "
                "5.340,00 €, durch Bürgschaft einer Bank."
            ),
            (
                "Die Bürgschaft ist binnen sechs Wochen nach Rückgabe der Räume herauszugeben, soweit "
                "keine Ansprüche bestehen."
            ),
        ),
    ),
    (
        "Instandhaltung und Umbau",
        (
            (
                "Kleinere Instandhaltungen bis 150,00 € im Einzelfall, höchstens 900,00 € im Jahr, trägt "
                "die Mieterin."
            ),
            "Dach, Fassade, tragende Teile und die zentrale Heizung hält die Vermieterin instand.",
            (
                "Für den Einbau einer Aktenregalanlage im Keller erteilt die Vermieterin schon jetzt ihre "
                "Zustimmung. Die zulässige Deckenlast von 750 kg/m² ist einzuhalten."
            ),
            "Schönheitsreparaturen führt die Mieterin nach Bedarf aus, nicht nach festen Fristen.",
        ),
    ),
    (
        "Zutritt und Verschwiegenheit",
        (
            (
                "Die Vermieterin darf die Räume nur nach Ankündigung von mindestens drei Werktagen und in "
                "Begleitung betreten. Akten sind dabei verschlossen zu halten."
            ),
            (
                "Handwerker sind auf die Verschwiegenheitspflicht der Mieterin hinzuweisen. Schlüssel zu "
                "den Aktenräumen verbleiben ausschließlich bei der Mieterin."
            ),
            (
                "Bei Gefahr im Verzug ist der Zutritt jederzeit erlaubt; die Mieterin ist unverzüglich zu "
                "verständigen."
            ),
        ),
    ),
    (
        "Rückgabe und Schlussbestimmungen",
        (
            "Bei Ende des Mietverhältnisses sind die Räume besenrein mit allen Schlüsseln zurückzugeben.",
            (
                "Nebenabreden bestehen nicht. Änderungen dieses Vertrages bedürfen der Schriftform; das "
                "gilt auch für diese Klausel."
            ),
            "Ist eine Bestimmung unwirksam, so bleibt der Vertrag im Übrigen bestehen.",
        ),
    ),
)

HANDOVER = (
    (
        "Die Räume wurden am Einzugstag gemeinsam begangen. Stand der Zähler: Strom 31 207 kWh, Wasser "
        "412 m³, Wärme 58,3 MWh."
    ),
    (
        "Die Mieterin hat alle unten genannten Schlüssel erhalten. Mängel, die nicht aufgeführt sind, "
        "wurden nicht festgestellt."
    ),
)

ROOMS = (
    ("Empfang, Erdgeschoss", "neu gestrichen, Parkett geschliffen", "4"),
    ("Besprechung, Erdgeschoss", "ohne Mängel", "2"),
    ("Teeküche", "Dichtung am Spülbecken wird ersetzt", "1"),
    ("Büro 1 bis 5, Obergeschoss", "ohne Mängel", "10"),
    ("Aktenkeller Nord", "trocken, Deckenlast 750 kg/m²", "2"),
    ("Aktenkeller Süd", "Lüftung läuft dauernd, wird eingestellt", "2"),
    ("Stellplätze 1 bis 3", "Schranke mit Handsender", "3"),
)
