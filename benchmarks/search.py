"""Searches in many tenants of different sizes: `python -m benchmarks.search --documents 1000000 --json`.

Archiv's searches run as `archiv_app` under row-level security, one after the other. Beside them: tantivy (the
engine of paperless-ngx and Quickwit) with one index of all tenants, and ILIKE in the same database.

Loading a million documents takes half an hour on two cores; with `--keep NAME` the database of that name and
tantivy's index stay, and the next run with that name measures at once (after the migrations that are new):
`python -m benchmarks.search --keep bench_million --json`. With `--load-only` it does no more than load.
`manage.py postgres shell` drops what is kept: `DROP DATABASE bench_million`.
"""

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
import django

django.setup()

from django.db import connection, connections, transaction  # noqa: E402

from benchmarks.isolation_data import kept_database, scratch_database  # noqa: E402
from benchmarks.reporting import percentiles  # noqa: E402
from benchmarks.search_data import Loaded, find_or_load, make_words  # noqa: E402
from benchmarks.search_tantivy import INDEXED  # noqa: E402
from documents.search.base import Entry  # noqa: E402
from documents.search.engine import get_search  # noqa: E402
from documents.search.facets import count_facets  # noqa: E402
from documents.search.parsing import parse_query  # noqa: E402
from tenants.scope import operator_scope, tenant_scope  # noqa: E402

KINDS = ("word", "phrase", "prefix", "substring", "facet", "deep page")
_FORMERLY_WRITTEN = 500
#: What a text gets to be another one, and loses the next time.
_ADDED = " nachgetragen "


def questions(tenant_id: uuid.UUID, words: Sequence[str], number: int) -> dict[str, list[str]]:
    """Return what is asked: words as often as texts have them, and phrases that stand in texts."""
    source = random.Random(number)
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT content FROM documents_searchentry WHERE tenant_id = %s ORDER BY document_id LIMIT %s",
            [tenant_id, number],
        )
        texts = [row[0].partition("  ")[2].split() for row in cursor.fetchall()]
    asked: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for _ in range(number):
        text = source.choice(texts)
        place = source.randrange(len(text) - 1)
        word = words[int(len(words) ** source.random()) - 1]
        long = next((each for each in source.sample(text, len(text)) if len(each) > 7), "verkauftrag")
        asked["word"].append(word)
        asked["phrase"].append(f'"{text[place]} {text[place + 1]}"')
        asked["prefix"].append(f"{long[: source.randint(3, 6)]}*")
        asked["substring"].append(f"*{long[2:7]}*")
        asked["facet"].append(word)
        asked["deep page"].append(words[source.randrange(60)])
    return asked


def measure(tenant_id: uuid.UUID, asked: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Return milliseconds of each kind of search in one tenant."""

    def find(text: str, offset: int = 0) -> None:
        with tenant_scope(tenant_id):
            get_search().search(tenant_id=tenant_id, query=parse_query(text), limit=20, offset=offset)

    runs: dict[str, Callable[[str], object]] = dict.fromkeys(KINDS, find)
    runs["facet"] = lambda text: count_facets(tenant_id=tenant_id, text=text)
    runs["deep page"] = lambda text: find(text, 900)
    return {kind: percentiles(_time(runs[kind], texts)) for kind, texts in asked.items()}


def measure_ilike(tenant_id: uuid.UUID, texts: Sequence[str]) -> dict[str, float]:
    """Return milliseconds of the search that needs no index, in the same database."""

    def find(text: str) -> None:
        with tenant_scope(tenant_id), connection.cursor() as cursor:
            cursor.execute(
                "SELECT document_id FROM documents_searchentry WHERE tenant_id = %s AND content ILIKE %s"
                " ORDER BY added_at DESC LIMIT 20",
                [tenant_id, f"%{text}%"],
            )
            cursor.fetchall()

    return percentiles(_time(find, texts[:30]))


def _time(run: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    for text in texts[:5]:
        run(text)
    taken = []
    for text in texts:
        started = time.perf_counter()
        run(text)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def measure_indexing(tenant_id: uuid.UUID) -> float:
    """Return documents a second that are written anew, each in a transaction, with all indexes there."""
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT document_id, content FROM documents_searchentry WHERE tenant_id = %s LIMIT %s",
            [tenant_id, _FORMERLY_WRITTEN],
        )
        rows = cursor.fetchall()
    started = time.perf_counter()
    for document_id, content in rows:
        title, _, text = content.partition("  ")
        changed = text.removesuffix(_ADDED) if text.endswith(_ADDED) else text.rstrip() + _ADDED
        with tenant_scope(tenant_id), transaction.atomic():
            get_search().upsert(Entry(tenant_id, document_id, title, "", changed, None))
    return len(rows) / (time.perf_counter() - started)


def sizes() -> dict[str, float]:
    """Return megabytes of the table of entries and of each of its indexes."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_relation_size(indexrelid) / 1e6 FROM pg_index"
            " WHERE indrelid = 'documents_searchentry'::regclass"
            " UNION ALL SELECT 'table and texts', pg_table_size('documents_searchentry') / 1e6"
        )
        return {name: round(float(size), 1) for name, size in cursor.fetchall()}


def measure_tantivy(tenant_id: uuid.UUID, asked: dict[str, list[str]], folder: Path) -> dict[str, object]:
    """Let a program of its own index the same texts with tantivy, and ask it the same."""
    command = [sys.executable, str(Path(__file__).with_name("search_tantivy.py")), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        if not (folder / INDEXED).exists():
            with operator_scope(using="owner"), connections["owner"].connection.cursor("texts") as cursor:
                cursor.execute("SELECT tenant_id, document_id, content FROM documents_searchentry")
                for tenant, document, content in cursor:
                    title, _, text = content.partition("  ")
                    peer.stdin.write(f"{tenant}\t{document}\t{title.strip()}\t{text.strip()}\n")
            peer.stdin.write("\n")
        peer.stdin.write(json.dumps({"tenant": str(tenant_id), "asked": asked}) + "\n")
        peer.stdin.close()
        answer: dict[str, object] = json.loads(peer.stdout.read())
    return answer


def report(loaded: Loaded, times: int, words: Sequence[str], *, tantivy: Path | None) -> dict[str, object]:
    """Measure everything, and return it for JSON; `tantivy`: the folder of its index, None without it."""
    by_size = sorted(loaded.tenants, key=lambda each: each[1])
    chosen = {
        "small": by_size[0],
        "10,000": min(by_size, key=lambda each: abs(each[1] - 10_000)),
        "largest": by_size[-1],
    }
    found: dict[str, object] = {
        "documents": loaded.documents,
        "tenants": len(loaded.tenants),
        "load": {"texts_s": round(loaded.texts_s, 1), "indexes_s": round(loaded.indexes_s, 1)},
        "megabytes": sizes(),
    }
    for name, (tenant_id, documents) in chosen.items():
        asked = questions(tenant_id, words, times)
        figures: dict[str, object] = {"documents": documents, "archiv": measure(tenant_id, asked)}
        figures["ILIKE"] = measure_ilike(tenant_id, asked["word"])
        if name == "10,000":
            found["indexed_per_second"] = round(measure_indexing(tenant_id), 1)
            if tantivy:
                found["tantivy"] = measure_tantivy(tenant_id, asked, tantivy)
        found[name] = figures
        print(f"{name}: {json.dumps(figures)}", file=sys.stderr)  # whoever stops it has this much
    return found


@contextmanager
def tantivy_folder(kept: str | None) -> Iterator[Path]:
    """Return where tantivy's index is to be: beside a kept database it stays as well."""
    if kept:
        folder = Path(tempfile.gettempdir()) / f"archiv-{kept}-tantivy"
        folder.mkdir(exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def main() -> None:
    """Load, measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--times", type=int, default=300, help="searches of each kind in each tenant")
    parser.add_argument("--keep", metavar="NAME", help="a database that is loaded once, and stays")
    parser.add_argument("--load-only", action="store_true", help="measure nothing yet")
    parser.add_argument("--no-tantivy", action="store_true", help="without the peer")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    words = make_words()
    # As the site does once it is loaded, see archiv/wsgi.py.
    gc.collect()
    gc.freeze()
    with kept_database(options.keep) if options.keep else scratch_database():
        loaded = find_or_load(options.documents, options.tenants, words)
        print(f"loaded {loaded.documents} in {loaded.texts_s + loaded.indexes_s:.0f} s", file=sys.stderr)
        if options.load_only:
            return
        with tantivy_folder(options.keep) as folder:
            found = report(loaded, options.times, words, tantivy=None if options.no_tantivy else folder)
    print(json.dumps(found, indent=None if options.json else 1))


if __name__ == "__main__":
    main()
