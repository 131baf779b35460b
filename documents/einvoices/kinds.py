"""What an invoice is called by its code (UNTDID 1001), in the languages of EN 16931's users."""

from __future__ import annotations

_CREDIT = frozenset({"81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "532"})
_CORRECTION = frozenset({"384"})

# invoice, credit note, corrected invoice; by ISO 639-2
_WORDS: dict[str, tuple[str, str, str]] = {
    "deu": ("Rechnung", "Gutschrift", "Rechnungskorrektur"),
    "eng": ("Invoice", "Credit note", "Corrected invoice"),
    "fra": ("Facture", "Avoir", "Facture rectificative"),
    "ita": ("Fattura", "Nota di credito", "Fattura rettificativa"),
    "nld": ("Factuur", "Creditnota", "Gecorrigeerde factuur"),
    "pol": ("Faktura", "Nota kredytowa", "Faktura korygująca"),
    "spa": ("Factura", "Nota de crédito", "Factura rectificativa"),
}


def kind_of(type_code: str, languages: tuple[str, ...]) -> str:
    """Return the word for an invoice of this code in the first language that has words, else in English."""
    words = next((_WORDS[language] for language in languages if language in _WORDS), _WORDS["eng"])
    if type_code in _CREDIT:
        return words[1]
    return words[2] if type_code in _CORRECTION else words[0]
