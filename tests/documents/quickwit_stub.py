"""A server with the few endpoints of Quickwit that archiv calls, for tests. What it finds it asks tantivy.

Written from Quickwit's documentation, and as strict: what is not known is an error, a call without a wait is
not seen yet, and a delete task removes what was there before it, only once the janitor comes by.
"""

import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import tantivy
from tantivy import FieldType, Occur, Query

_OPTIONS = {"position": "position", "basic": "basic", "freq": "freq"}
_OCCURS = {"must": Occur.Must, "filter": Occur.Must, "should": Occur.Should, "must_not": Occur.MustNot}


class Refused(Exception):
    """The call is not one that Quickwit would take."""


@dataclass
class StubIndex:
    """One index."""

    config: dict[str, Any] = field(repr=False)
    documents: list[dict[str, Any]] = field(default_factory=list, repr=False)
    tasks: list[tuple[int, frozenset[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        builder = tantivy.SchemaBuilder().add_integer_field("n", stored=True, indexed=True)
        self.fields = {each["name"]: each for each in self.config["doc_mapping"]["field_mappings"]}
        for name, mapping in self.fields.items():
            if mapping["type"] == "i64":
                builder.add_integer_field(name, indexed=mapping["indexed"], fast=mapping["fast"])
            else:
                record = _OPTIONS[mapping.get("record", "basic")]
                builder.add_text_field(name, tokenizer_name=mapping["tokenizer"], index_option=record)
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema)
        plain = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self.index.register_tokenizer("whitespace", plain)
        self.writer = self.index.writer(15_000_000, 1)

    def ingest(self, lines: list[bytes], *, wait: bool) -> dict[str, int]:
        rejected = 0
        for line in lines:
            given = json.loads(line)
            if not given.keys() <= self.fields.keys():
                rejected += 1
                continue
            made = tantivy.Document()
            made.add_integer("n", len(self.documents))
            for name, value in given.items():
                add = made.add_integer if self.fields[name]["type"] == "i64" else made.add_text
                add(name, value)
            self.writer.add_document(made)
            self.documents.append(given)
        if wait:
            self.commit()
        return {"num_docs_for_processing": len(lines) - rejected, "num_rejected_docs": rejected}

    def commit(self) -> None:
        self.writer.commit()
        self.index.reload()

    def search(self, body: dict[str, Any]) -> dict[str, Any]:
        start, size = body.get("from", 0), body.get("size", 10)
        if start + size > 10_000:
            raise Refused("max value for start_offset + max_hits is 10_000")
        searcher = self.index.searcher()
        found = searcher.search(self.compile(body["query"]), 10_000, count=False).hits
        rows = [(score, self.documents[searcher.doc(place)["n"][0]]) for score, place in found]
        rows.sort(key=lambda row: (-row[0], -row[1]["added"]))
        hits = [{"_source": self.stored(row)} for _, row in rows[start : start + size]]
        return {"hits": {"total": {"value": len(rows)}, "hits": hits}}

    def stored(self, row: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in row.items() if self.fields[name].get("stored")}

    def compile(self, dsl: dict[str, Any]) -> Query:
        ((kind, what),) = dsl.items()
        compilers: dict[str, Callable[[Any], Query]] = {
            "match_all": lambda _: Query.all_query(),
            "bool": self._bool,
            "term": self._term,
            "terms": self._terms,
            "match_phrase": self._phrase,
            "match_phrase_prefix": self._beginning,
            "range": self._range,
        }
        if kind not in compilers:
            raise Refused(f"unknown query {kind}")
        return compilers[kind](what)

    def _bool(self, what: dict[str, Any]) -> Query:
        parts = [(_OCCURS[occur], self.compile(each)) for occur, found in what.items() for each in found]
        return Query.boolean_query(parts)

    def _term(self, what: dict[str, Any]) -> Query:
        ((name, given),) = what.items()
        query = Query.term_query(self.schema, name, given["value"])
        return Query.boost_query(query, given["boost"]) if "boost" in given else query

    def _terms(self, what: dict[str, Any]) -> Query:
        ((name, values),) = what.items()
        return Query.term_set_query(self.schema, name, values)

    def _phrase(self, what: dict[str, Any]) -> Query:
        name, words = self._words(what)
        return Query.phrase_query(self.schema, name, words)

    def _beginning(self, what: dict[str, Any]) -> Query:
        name, words = self._words(what)
        if len(words) == 1:
            return Query.regex_query(self.schema, name, re.escape(words[0]) + ".*")
        return Query.phrase_prefix_query(self.schema, name, words)

    def _words(self, what: dict[str, Any]) -> tuple[str, list[Any]]:
        ((name, given),) = what.items()
        if self.fields[name].get("record") != "position" and " " in given["query"]:
            raise Refused(f"{name} has no positions")
        return name, given["query"].split()

    def _range(self, what: dict[str, Any]) -> Query:
        ((name, ends),) = what.items()
        if not ends.keys() <= {"gte", "lte", "lt"}:
            raise Refused("unknown end of a range")
        low = ends.get("gte", -(2**62))
        high = ends.get("lte", ends.get("lt", 2**62))
        return Query.range_query(
            self.schema, name, FieldType.Integer, low, high, include_upper="lt" not in ends
        )

    def forget(self, query: str) -> None:
        parts = [re.fullmatch(r'document:"([0-9a-f-]{36})"', part) for part in query.split(" OR ")]
        ids = frozenset(part[1] for part in parts if part)
        if len(ids) != len(parts):
            raise Refused(f"not understood: {query}")
        self.tasks.append((len(self.documents), ids))

    def clean(self) -> None:
        """Do what the janitor does."""
        for before, ids in self.tasks:
            for number in range(before):
                if self.documents[number]["document"] in ids:
                    self.writer.delete_documents_by_term("n", number)
        self.tasks.clear()
        self.commit()


@dataclass
class QuickwitStub:
    """The server: its address, its indexes, every call, and whether it answers that it is overloaded."""

    url: str = ""
    indexes: dict[str, StubIndex] = field(default_factory=dict, repr=False)
    calls: list[str] = field(default_factory=list, repr=False)
    is_down: bool = False

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, object]:
        parts = urlsplit(target)
        path = parts.path.removeprefix("/api/v1/")
        self.calls.append(f"{method} {path}")
        if self.is_down:
            return 503, {"message": "overloaded"}
        if (method, path) == ("POST", "indexes"):
            config = json.loads(body)
            if config["index_id"] in self.indexes:
                return 400, {"message": "index already exists"}
            self.indexes[config["index_id"]] = StubIndex(config)
            return 200, config
        name = path.removeprefix("_elastic/").removeprefix("indexes/").partition("/")[0]
        index = self.indexes.get(name)
        if index is None:
            return 404, {"message": f"index {name} not found"}
        if method == "DELETE":
            del self.indexes[name]
            return 200, []
        try:
            if path == f"_elastic/{name}/_search":
                return 200, index.search(json.loads(body))
            if path == f"{name}/ingest":
                waits = parse_qs(parts.query).get("commit") == ["wait_for"]
                return 200, index.ingest(body.splitlines(), wait=waits)
            if path == f"{name}/delete-tasks":
                index.forget(json.loads(body)["query"])
                return 200, {"opstamp": len(index.tasks)}
        except (Refused, KeyError, ValueError) as error:
            return 400, {"message": str(error)}
        return 405, {"message": path}


@contextmanager
def quickwit_stub() -> Iterator[QuickwitStub]:
    """Serve while the block runs."""
    stub = QuickwitStub()

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, answer = stub.answer(self.command, self.path, body)
            said = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def do_POST(self) -> None:
            self.answer()

        def do_DELETE(self) -> None:
            self.answer()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    stub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
