"""How long the search for dates and titles takes for ten pages, and how many made-up papers come out right.

`python -m benchmarks.dates [--seeds N] [--run NAME]`; needs neither database nor worker. Papers are made from
`tests.documents.whole_documents` with seeds that no test uses.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable
from datetime import date

from documents.dates import find_issued_date
from documents.titles import find_title
from tests.documents.whole_documents import LAYOUTS, whole_documents
from tests.documents.whole_words import Dice

TODAY = date(2026, 11, 29)
PAGES = 10
_TIMES = 30
_PROSE = (
    "Die Parteien vereinbaren, dass der Vermieter die Heizungsanlage vor Beginn der Heizperiode warten lässt"
    " und dem Mieter das Protokoll überlässt. "
)
_ITEM = "4711-12 Schrauben M4x12 verzinkt 100 Stück 12,05 EUR 1.205,00 EUR 19 % Lager 0221/12 05 20-24"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="papers of each layout")
    parser.add_argument("--run", default="benchmark", help="another name makes other papers")
    options = parser.parse_args()
    for name, text in _texts().items():
        milliseconds = _measure(lambda text=text: find_issued_date(text, filename="scan.pdf", today=TODAY))
        print(f"{name}: {len(text):,} characters, {milliseconds:.1f} ms CPU (median of {_TIMES})")
    pages = _texts()["letters and prose"].split("\f")
    print(f"title of the same: {_measure(lambda: find_title(pages, filename='scan.pdf')):.1f} ms CPU")
    wrong_dates, wrong_titles, papers = _judge(options.run, options.seeds)
    print(
        f"{papers} papers of {len(LAYOUTS)} layouts: {wrong_dates.total()} wrong dates {dict(wrong_dates)},"
    )
    print(f"{wrong_titles.total()} wrong titles {dict(wrong_titles)}")


def _texts() -> dict[str, str]:
    """Texts of ten pages: a made-up paper on each, filled up."""
    heads = [document.pages[0] for document in whole_documents(2)][:PAGES]
    fillings = {
        "letters and prose": [_PROSE] * 16,
        "tables of numbers": [_ITEM] * 25,
        "28 dated rows a page": [
            f"{day:02}.03.2021 Artikel 4711-12 geliefert {day},50 EUR" for day in range(1, 29)
        ],
    }
    return {
        name: "\f".join(head + "\n" + "\n".join(lines) for head in heads) for name, lines in fillings.items()
    }


def _measure(call: Callable[[], object]) -> float:
    """Milliseconds of processor time of one call."""
    call()
    seconds = []
    for _ in range(_TIMES):
        started = time.process_time()
        call()
        seconds.append(time.process_time() - started)
    return statistics.median(seconds) * 1000


def _judge(run: str, seeds: int) -> tuple[Counter[str], Counter[str], int]:
    dates: Counter[str] = Counter()
    titles: Counter[str] = Counter()
    for name, make in LAYOUTS.items():
        for seed in range(seeds):
            dice = Dice(f"{run} {name} {seed}")
            day = dice.day()
            pages, title = make(dice, day)
            if find_issued_date("\f".join(pages), today=TODAY).date != day:
                dates[name] += 1
            if find_title(pages, filename="scan0001.pdf").text != title:
                titles[name] += 1
    return dates, titles, seeds * len(LAYOUTS)


if __name__ == "__main__":
    main()
