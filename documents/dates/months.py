"""Names of the months in nineteen languages: all cases in use, and the usual abbreviations.

Commas part the months, blanks the words for one; accents are folded away when the tables are built.
"""

from collections.abc import Iterable
from functools import lru_cache

from documents.dates.folding import fold_word

# Full names are recognised in every document: none of them means another month in another language.
NAMES: dict[str, str] = {
    "de": """
        januar jänner jaenner januars, februar feber, märz maerz, april, mai, juni juno, juli julei,
        august, september, oktober, november, dezember
    """,
    "en": """
        january, february febuary, march, april, may, june, july, august, september, october,
        november, december
    """,
    "fr": """
        janvier, février, mars, avril, mai, juin, juillet, août aout, septembre, octobre, novembre,
        décembre
    """,
    "it": """
        gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre,
        novembre, dicembre
    """,
    "es": """
        enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre setiembre, octubre,
        noviembre, diciembre
    """,
    "pt": """
        janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro,
        dezembro
    """,
    "nl": """
        januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november,
        december
    """,
    "pl": """
        styczeń stycznia styczniu, luty lutego lutym, marzec marca marcu, kwiecień kwietnia
        kwietniu, maj maja maju, czerwiec czerwca czerwcu, lipiec lipca lipcu, sierpień sierpnia
        sierpniu, wrzesień września wrześniu, październik października październiku, listopad
        listopada listopadzie, grudzień grudnia grudniu
    """,
    "cs": """
        leden ledna lednu, únor února únoru, březen března březnu, duben dubna dubnu, květen května
        květnu, červen června červnu, červenec července červenci, srpen srpna srpnu, září, říjen
        října říjnu, listopad listopadu, prosinec prosince prosinci
    """,
    "sk": """
        január januára januári, február februára februári, marec marca marci, apríl apríla apríli,
        máj mája máji, jún júna júni, júl júla júli, august augusta auguste, september septembra
        septembri, október októbra októbri, november novembra novembri, december decembra decembri
    """,
    "hu": """
        január januári januárban, február februári februárban, március márciusi márciusban, április
        áprilisi áprilisban, május májusi májusban, június júniusi júniusban, július júliusi
        júliusban, augusztus augusztusi augusztusban, szeptember szeptemberi szeptemberben, október
        októberi októberben, november novemberi novemberben, december decemberi decemberben
    """,
    "tr": "ocak, şubat, mart, nisan, mayıs, haziran, temmuz, ağustos, eylül, ekim, kasım, aralık",
    "ru": """
        январь января январе, февраль февраля феврале, март марта марте, апрель апреля апреле, май
        мая мае, июнь июня июне, июль июля июле, август августа августе, сентябрь сентября сентябре,
        октябрь октября октябре, ноябрь ноября ноябре, декабрь декабря декабре
    """,
    "uk": """
        січень січня січні, лютий лютого лютому, березень березня березні, квітень квітня квітні,
        травень травня травні, червень червня червні, липень липня липні, серпень серпня серпні,
        вересень вересня вересні, жовтень жовтня жовтні, листопад листопада листопаді, грудень
        грудня грудні
    """,
    "lt": """
        sausis sausio sausį, vasaris vasario vasarį, kovas kovo kovą, balandis balandžio balandį,
        gegužė gegužės gegužę, birželis birželio birželį, liepa liepos liepą, rugpjūtis rugpjūčio
        rugpjūtį, rugsėjis rugsėjo rugsėjį, spalis spalio spalį, lapkritis lapkričio lapkritį,
        gruodis gruodžio gruodį
    """,
    "lv": """
        janvāris janvāra janvārī, februāris februāra februārī, marts marta martā, aprīlis aprīļa
        aprīlī, maijs maija maijā, jūnijs jūnija jūnijā, jūlijs jūlija jūlijā, augusts augusta
        augustā, septembris septembra septembrī, oktobris oktobra oktobrī, novembris novembra
        novembrī, decembris decembra decembrī
    """,
    "et": """
        jaanuar jaanuari jaanuaris, veebruar veebruari veebruaris, märts märtsi märtsis, aprill
        aprilli aprillis, mai mais, juuni juunis, juuli juulis, august augusti augustis, september
        septembri septembris, oktoober oktoobri oktoobris, november novembri novembris, detsember
        detsembri detsembris
    """,
}

# Abbreviations are words of other languages ("set", "pro", "sie"): only those of the asked languages count.
ABBREVIATIONS: dict[str, str] = {
    "de": "jan jän jaen, feb febr, mär mrz maer, apr, mai, jun, jul, aug, sep sept, okt, nov, dez",
    "en": "jan, feb, mar, apr, may, jun, jul, aug, sep sept, oct, nov, dec",
    "fr": "jan janv, fév févr, mar, avr, mai, jui, juil juill, aoû aou, sep sept, oct, nov, déc",
    "it": "gen genn, feb febb, mar, apr, mag, giu, lug, ago, set sett, ott, nov, dic",
    "es": "ene, feb, mar, abr, may, jun, jul, ago, sep sept set, oct, nov, dic",
    "pt": "jan, fev, mar, abr, mai, jun, jul, ago, set, out, nov, dez",
    "nl": "jan, feb febr, mrt, apr, mei, jun, jul, aug, sep sept, okt, nov, dec",
    "pl": "sty, lut, mar, kwi, maj, cze, lip, sie, wrz, paź, lis, gru",
    "cs": "led, úno, bře, dub, kvě, čvn čer, čvc, srp, zář, říj, lis, pro",
    "sk": "jan, feb, mar, apr, máj, jún, júl, aug, sep sept, okt, nov, dec",
    "hu": "jan, feb febr, már márc, ápr, máj, jún, júl, aug, szept szep, okt, nov, dec",
    "tr": "oca, şub, mar, nis, may, haz, tem, ağu, eyl, eki, kas, ara",
    "ru": "янв, фев февр, мар, апр, май, июн, июл, авг, сен сент, окт, ноя нояб, дек",
    "uk": "січ, лют, бер, кві квіт, тра трав, чер черв, лип, сер серп, вер, жов жовт, лис лист, гру груд",
    "lt": "saus, vas, kov, bal, geg, birž, liep, rugp, rugs, spal spl, lapkr lap, gruod grd",
    "lv": "janv, febr, mar, apr, mai, jūn, jūl, aug, sept, okt, nov, dec",
    "et": "jaan, veebr veb, mär, apr, mai, jun, jul, aug, sept, okt, nov, dets",
}

_SHORTEST_GUESSED = 5  # letters; a shorter word with one wrong letter may be anything


def _numbered(table: dict[str, str], languages: Iterable[str]) -> dict[str, int]:
    return {
        fold_word(word): number
        for language in languages
        if language in table
        for number, words in enumerate(table[language].split(","), start=1)
        for word in words.split()
    }


@lru_cache(maxsize=64)
def month_table(languages: tuple[str, ...]) -> dict[str, int]:
    """Return folded word → month (1-12): every full name, and the abbreviations of `languages`."""
    return {**_numbered(ABBREVIATIONS, languages), **_numbered(NAMES, NAMES)}


@lru_cache(maxsize=64)
def names_of(languages: tuple[str, ...]) -> dict[str, int]:
    """Return folded word → month (1-12) of the full names in `languages`."""
    return _numbered(NAMES, languages)


@lru_cache(maxsize=4096)
def guess_month(word: str, languages: tuple[str, ...]) -> int | None:
    """Return the month that a misread word means: digits for letters, "rn" for "m", or one wrong letter."""
    table = month_table(languages)
    for zero, one in (("o", "l"), ("o", "i")):
        repaired = word.translate(str.maketrans("01458|", f"{zero}{one}asb{one}"))
        for spelling in (repaired, repaired.replace("rn", "m")):
            if spelling in table:
                return table[spelling]
    if len(word) < _SHORTEST_GUESSED:
        return None
    months = {
        number
        for name, number in names_of(languages).items()
        if len(name) == len(word) and sum(a != b for a, b in zip(name, word, strict=True)) == 1
    }
    return months.pop() if len(months) == 1 else None
