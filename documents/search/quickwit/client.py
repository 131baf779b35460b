"""The few calls of Quickwit that are used (no ORM, no settings)."""

import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from documents.errors import SearchRejected, SearchUnreachable

#: Seconds for a question, and for documents to be taken in and seen.
ASK_SECONDS, INGEST_SECONDS = 10.0, 120.0
#: Seconds after which Quickwit shows what it took in; a job waits for that.
COMMIT_SECONDS = 5
_NO_INDEX = (
    "The engine of the search has no index of this tenant. An operator can move the search back with"
    " `manage.py reindex TENANT --to postgresql`, and then out again."
)
#: Bytes of one call that brings documents; Quickwit takes 10 MB.
INGEST_BYTES = 8_000_000
#: Hits that can be paged through.
MOST_HITS = 10_000

_TEXT = {"type": "text", "tokenizer": "whitespace", "stored": False, "fieldnorms": True}
_PLACES = {**_TEXT, "record": "position"}
_BARE = {**_TEXT, "record": "basic"}
_NUMBER = {"type": "i64", "stored": False, "indexed": True, "fast": True}
_NAME = {"type": "text", "tokenizer": "raw", "stored": True}

#: What an index has of a document, see `texts` for each.
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "document": _NAME,
    "mark": _NAME,
    "words": _PLACES,
    "forms": _BARE,
    "parts": _BARE,
    "title_words": _PLACES,
    "title_forms": _BARE,
    "title_parts": _BARE,
    "issued": _NUMBER,
    "added": _NUMBER,
}


class Quickwit:
    """One server. Each call raises `SearchUnreachable` or `SearchRejected`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._path = parts.path.rstrip("/")

    def ingest(self, index: str, documents: Sequence[Mapping[str, Any]]) -> None:
        """Add documents, and return when they can be found.

        An index that is not there is not made: a wipe may have dropped it while a job was at work.
        """
        batch: list[bytes] = []
        size = 0
        for document in documents:
            line = json.dumps(document, ensure_ascii=False).encode()
            if batch and size + len(line) > INGEST_BYTES:
                self._ingest(index, batch)
                batch, size = [], 0
            batch.append(line)
            size += len(line) + 1
        if batch:
            self._ingest(index, batch)

    def search(self, index: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return what is stored of each hit, best first."""
        status, answer = self._call("POST", f"_elastic/{index}/_search", body)
        if status == http.client.NOT_FOUND:
            raise SearchRejected(_NO_INDEX)
        try:
            return [hit["_source"] for hit in answer["hits"]["hits"]]
        except (KeyError, TypeError) as error:
            raise SearchRejected("The engine of the search gave an answer that is none.") from error

    def forget(self, index: str, document_ids: Sequence[str]) -> None:
        """Have all copies of documents removed; Quickwit does so some time later."""
        query = " OR ".join(f'document:"{each}"' for each in document_ids)
        self._call("POST", f"{index}/delete-tasks", {"query": query})

    def create(self, index: str) -> None:
        """Make an index; one that is there stays."""
        config = {
            "version": "0.8",
            "index_id": index,
            "doc_mapping": {
                "mode": "strict",
                "field_mappings": [{"name": name, **mapping} for name, mapping in FIELDS.items()],
            },
            "search_settings": {"default_search_fields": ["words"]},
            "indexing_settings": {"commit_timeout_secs": COMMIT_SECONDS},
        }
        self._call("POST", "indexes", config, also="exist")

    def drop(self, index: str) -> None:
        """Remove an index with all that is in it; one that is not there is success."""
        self._call("DELETE", f"indexes/{index}")

    def _ingest(self, index: str, lines: Sequence[bytes]) -> None:
        path, body = f"{index}/ingest?commit=wait_for", b"\n".join(lines) + b"\n"
        status, answer = self._call("POST", path, body, seconds=INGEST_SECONDS)
        if status == http.client.NOT_FOUND:
            raise SearchRejected(_NO_INDEX)
        if isinstance(answer, Mapping) and answer.get("num_rejected_docs"):
            raise SearchRejected(f"The engine of the search refused {answer['num_rejected_docs']} documents.")

    def _call(
        self, method: str, path: str, body: object = None, *, seconds: float = ASK_SECONDS, also: str = ""
    ) -> tuple[int, Any]:
        """Return status and answer of a call; 404 is an answer, and so is an error that says `also`."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=seconds)
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        try:
            connection.request(
                method, f"{self._path}/api/v1/{path}", body=raw, headers={"Content-Type": "application/json"}
            )
            response = connection.getresponse()
            status, said = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            raise SearchUnreachable from error
        finally:
            connection.close()
        words = " ".join(said.decode(errors="replace").split())[:300]
        if status >= 500 or status in (408, 429):
            raise SearchUnreachable
        if status != http.client.NOT_FOUND and status >= 300 and not (also and also in words):
            raise SearchRejected(f"The engine of the search answered {status}: {words}")
        try:
            return status, json.loads(said) if said.strip() else None
        except ValueError:
            return status, None
