"""How long a thousand rules take on ten thousand documents: `python -m benchmarks.taxonomy`.

960 rules of words (any, all, exact; one in ten a beginning), 20 regular expressions, 20 fuzzy ones, on
documents of 3,000 characters of made-up German-looking text. One process, processor seconds.
"""

import random
import time
import uuid

from documents.filing import Matcher, Rule, RuleKind

DOCUMENTS, CHARACTERS = 10_000, 3_000
REGEXES = (
    r"Rechnung(?:s-?Nr\.?|snummer)?:?\s*[A-Z0-9/-]{4,}",
    r"\bDE\d{2}(?:\s?\d{4}){4}\s?\d{2}\b",
    r"(?:Kunden|Vertrags|Mitglieds)nummer:?\s*\d{4,}",
    r"[\w.]+@[\w-]+\.(?:de|com|example)\b",
    r"^Betreff:\s*.{5,60}$",
)


def make_words(source: random.Random) -> list[str]:
    parts = [
        "ver",
        "trag",
        "rech",
        "nung",
        "kon",
        "to",
        "steu",
        "er",
        "ab",
        "schlag",
        "haus",
        "miet",
        "strom",
        "gas",
    ]
    return [
        "".join(source.choice(parts) for _ in range(source.randint(1, 4))) + str(n % 7 or "")
        for n in range(20_000)
    ]


def make_rules(source: random.Random, words: list[str]) -> list[Rule]:
    rules = []
    for number in range(960):
        kind = (RuleKind.ANY, RuleKind.ALL, RuleKind.EXACT)[number % 3]
        chosen = [source.choice(words) for _ in range(source.randint(1, 3))]
        if number % 10 == 0 and kind is not RuleKind.EXACT:
            chosen[0] = chosen[0][:6] + "*"
        rules.append(Rule(uuid.uuid4(), uuid.uuid4(), kind, " ".join(chosen)))
    for number in range(20):
        rules.append(Rule(uuid.uuid4(), uuid.uuid4(), RuleKind.REGEX, REGEXES[number % len(REGEXES)]))
        phrase = " ".join(source.choice(words) for _ in range(1 + number % 3))
        rules.append(Rule(uuid.uuid4(), uuid.uuid4(), RuleKind.FUZZY, phrase.ljust(6, "x"), 85))
    return rules


def main() -> None:
    source = random.Random(8)
    words = make_words(source)
    started = time.process_time()
    matcher = Matcher(make_rules(source, words))
    print(f"1,000 rules made ready in {time.process_time() - started:.2f} s")
    seconds = hits = 0.0
    for number in range(DOCUMENTS):
        text = " ".join(source.choice(words) for _ in range(450))
        text = f"Stadtwerke Beispielstadt\nRechnungsnummer: 2026-{number}\n{text}"[:CHARACTERS]
        started = time.process_time()
        hits += len(matcher.match(text).hits)
        seconds += time.process_time() - started
    each = seconds / DOCUMENTS * 1000
    print(f"{DOCUMENTS} documents: {seconds:.1f} s, {each:.2f} ms a document, {hits:.0f} hits")


if __name__ == "__main__":
    main()
