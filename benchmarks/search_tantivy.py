"""A program of its own: indexes texts with tantivy in a folder, and says how long its searches take.

A line is tenant, document, title and text, parted by tabs; behind an empty line JSON says for which
tenant what is asked. One index for all tenants, the tenant a field of each document. A folder in which
an index is already needs only that.
"""

import json
import sys
import time
from pathlib import Path

import tantivy

#: What a folder has once all is indexed.
INDEXED = "indexed.json"


def quantiles(values: list[float]) -> dict[str, float]:
    """Return median and 99th percentile."""
    ordered = sorted(values)
    return {
        "p50": round(ordered[len(ordered) // 2], 2),
        "p99": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 2),
    }


def main() -> None:
    """Index, search, and print JSON."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("tenant", tokenizer_name="raw", stored=False)
    builder.add_text_field("document", tokenizer_name="raw", stored=True)
    builder.add_text_field("title", stored=False)
    builder.add_text_field("body", stored=False)
    schema = builder.build()
    folder = Path(sys.argv[1])
    done = folder / INDEXED
    index = tantivy.Index(schema, path=str(folder), reuse=done.exists())
    if not done.exists():
        done.write_text(json.dumps(fill(index)))
    order = json.loads(sys.stdin.readline())
    index.reload()
    searcher = index.searcher()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    found: dict[str, object] = {**json.loads(done.read_text()), "megabytes": round(size / 1e6, 1)}
    for kind, texts in order["asked"].items():
        if kind != "facet":
            found[kind] = quantiles(
                [search(index, schema, searcher, order["tenant"], kind, text) for text in texts]
            )
    sys.stdout.write(json.dumps(found))


def fill(index: tantivy.Index) -> dict[str, float]:
    """Index what comes in up to an empty line, and say how fast that was."""
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    started, count = time.perf_counter(), 0
    for line in iter(sys.stdin.readline, "\n"):
        owner, document, title, body = line.rstrip("\n").split("\t")
        writer.add_document(tantivy.Document(tenant=owner, document=document, title=title, body=body))
        count += 1
    writer.commit()
    writer.wait_merging_threads()
    return {"indexed_per_second": round(count / (time.perf_counter() - started), 1)}


def search(
    index: tantivy.Index,
    schema: tantivy.Schema,
    searcher: tantivy.Searcher,
    tenant: str,
    kind: str,
    text: str,
) -> float:
    """Return the milliseconds of one search."""
    started = time.perf_counter()
    if kind == "prefix":
        wanted = tantivy.Query.regex_query(schema, "body", text.rstrip("*") + ".*")
    elif kind == "substring":
        wanted = tantivy.Query.regex_query(schema, "body", f".*{text.strip('*')}.*")
    else:
        wanted = index.parse_query(text, ["title", "body"])
    mine = tantivy.Query.term_query(schema, "tenant", tenant)
    both = tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), (tantivy.Occur.Must, mine)])
    offset = 900 if kind == "deep page" else 0
    for _, address in searcher.search(both, 20, offset=offset).hits:
        searcher.doc(address)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
