"""What long letters and rules say: the rules of use of an archive, terms of engagement."""

RULES = (
    (
        "Recht auf Benutzung",
        (
            (
                "Das Stadtarchiv steht allen offen, die ein berechtigtes Interesse glaubhaft machen. Ein "
                "solches Interesse liegt vor bei amtlichen, wissenschaftlichen, heimatkundlichen und "
                "familiengeschichtlichen Vorhaben sowie bei der Wahrung eigener Rechte."
            ),
            (
                "Die Benutzung erfolgt durch Einsicht in Findbücher, durch Vorlage von Archivgut im "
                "Lesesaal, durch schriftliche Auskunft oder durch Abgabe von Reproduktionen."
            ),
        ),
    ),
    (
        "Benutzungsantrag",
        (
            (
                "Die Genehmigung ist schriftlich zu beantragen. Der Antrag nennt Name, Anschrift, "
                "Gegenstand und Zweck der Nachforschungen."
            ),
            "Die Genehmigung gilt für das laufende Kalenderjahr und das angegebene Vorhaben.",
            (
                "Sie kann mit Auflagen versehen oder widerrufen werden, wenn der Erhaltungszustand des "
                "Archivguts gefährdet ist oder schutzwürdige Belange Dritter verletzt würden."
            ),
        ),
    ),
    (
        "Verhalten im Lesesaal",
        (
            (
                "Im Lesesaal ist Ruhe zu wahren. Speisen, Getränke, Mäntel und Taschen gehören in die "
                "Schließfächer."
            ),
            (
                "Notizen dürfen nur mit Bleistift oder an tragbaren Rechnern gemacht werden. Archivgut ist "
                "mit sauberen Händen, Fotografien sind mit Handschuhen zu benutzen."
            ),
            (
                "Die innere Ordnung der Akten ist zu erhalten. Wer Schäden oder Unordnung bemerkt, meldet "
                "sie der Aufsicht."
            ),
        ),
    ),
    (
        "Vorlage von Archivgut",
        (
            "Je Tag werden höchstens zehn Einheiten ausgehoben; die Bestellung muss bis 11 Uhr vorliegen.",
            "Urkunden, Karten und Bestände in schlechtem Zustand werden nur als Reproduktion vorgelegt.",
            (
                "Die Versendung von Archivgut ist ausgeschlossen, ausgenommen Leihgaben für Ausstellungen "
                "auf Grund eines besonderen Vertrages."
            ),
        ),
    ),
    (
        "Schutzfristen",
        (
            "Archivgut darf in der Regel 30 Jahre nach Schließung der Akten benutzt werden.",
            (
                "Bezieht es sich auf natürliche Personen, so darf es frühestens 10 Jahre nach deren Tod, "
                "ersatzweise 100 Jahre nach der Geburt vorgelegt werden."
            ),
            (
                "Die Schutzfristen können im Einzelfall verkürzt werden, wenn die Belange der Betroffenen "
                "gewahrt bleiben."
            ),
        ),
    ),
    (
        "Reproduktionen und Gebühren",
        (
            (
                "Aufnahmen mit eigenen Geräten sind ohne Blitz und Stativ gestattet, soweit keine Rechte "
                "entgegenstehen."
            ),
            (
                "Die Veröffentlichung von Abbildungen bedarf der Genehmigung; als Quelle ist das "
                "Stadtarchiv mit Signatur anzugeben. Ein Belegexemplar ist unentgeltlich abzuliefern."
            ),
            "Gebühren richten sich nach der Gebührensatzung in ihrer jeweils gültigen Fassung.",
        ),
    ),
)

TERMS = (
    (
        "We refer to your call of 28 January 2025 and are pleased to confirm the terms on which we "
        "shall act as correspondent counsel for your clients before the courts of England and Wales."
    ),
    (
        "<b>1. Scope.</b> We shall advise on procedure, arrange for service of documents, instruct enquiry "
        "agents and attend hearings where you ask us to do so. We do not give advice on tax or on the law "
        "of any other country."
    ),
    (
        "<b>2. Instructions.</b> Instructions should be given in writing to the address above or by "
        "e-mail. We shall acknowledge them within one working day, name the person in charge of the "
        "matter, and tell you what we expect it to cost and how long it is likely to take."
    ),
    (
        "<b>3. Fees.</b> Time is recorded in units of six minutes. The hourly rates are £240 for partners, "
        "£180 for associates and £95 for trainees. Disbursements such as court fees, translations and "
        "travel are charged at cost. We send invoices at the end of each quarter, payable within 30 days."
    ),
    (
        "<b>4. Client money.</b> Money held for your clients is kept in a separate account with Example "
        "Bank plc. Interest above £20 is accounted for."
    ),
    (
        "<b>5. Confidentiality and conflicts.</b> We keep what we learn confidential, both during and "
        "after the engagement. Before accepting a new matter we check for conflicts of interest and "
        "tell you the result."
    ),
    (
        "<b>6. Papers.</b> We keep our file for six years after the end of a matter and destroy it "
        "thereafter without further notice. Original deeds are returned by registered post. Should you "
        "need papers from storage, we shall retrieve them within five working days."
    ),
    (
        "<b>7. Liability.</b> Our liability to you and your clients together is limited to £2,000,000 for "
        "each matter. Nothing in these terms limits liability for fraud or for death or personal injury "
        "caused by negligence."
    ),
    (
        "<b>8. Ending the engagement.</b> Either side may end the engagement at any time by notice in "
        "writing. You remain liable for work done up to then. We shall hand over the papers in good order "
        "to whomever you name, and take the steps needed to preserve your clients' position in the "
        "meantime."
    ),
    (
        "<b>9. Complaints.</b> If something goes wrong, please write to the senior partner, who will reply "
        "within eight weeks. These terms are governed by the law of England and Wales."
    ),
    (
        "Please sign and return the enclosed copy by 28 February 2025 if you agree. We look forward to "
        "working with you."
    ),
)
