"""The pages of an export (pure): an overview, and the documents by date, for people with a browser."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any
from urllib.parse import quote

#: Documents on one page.
_ON_A_PAGE = 500

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;vertical-align:top;"
    "border-bottom:1px solid #ddd}code{font-size:.8em;word-break:break-all}.number{text-align:right}"
)


@dataclass(frozen=True)
class Overview:
    """What stands on the first page. `size` is bytes, `exported_at` text."""

    tenant: str
    exported_at: str
    documents: int
    files: int
    size: int


@dataclass(frozen=True)
class Page:
    """One page of documents: its path in the export, its text, and the dates it spans."""

    path: str
    text: str
    first: str
    last: str


def document_pages(lines: Iterable[str]) -> Iterator[Page]:
    """Yield the pages of the documents, which come by date, one JSON object each."""
    rest, number = iter(lines), 0
    while batch := [json.loads(line) for line in islice(rest, _ON_A_PAGE)]:
        number += 1
        rows = "".join(_row(document, version) for document in batch for version in document["versions"])
        head = "<tr><th>Date</th><th>Title</th><th>File</th><th>Pages</th><th>Bytes</th><th>SHA-256</th></tr>"
        first, last = batch[0]["day"], batch[-1]["day"]
        body = f'<p><a href="../index.html">Overview</a></p><table>{head}{rows}</table>'
        yield Page(f"pages/{number:05}.html", _html(f"{first} – {last}", body), first, last)


def overview_page(
    overview: Overview, pages: Iterable[tuple[str, str, str]], problems: Iterable[tuple[str, str]]
) -> str:
    """Return the first page. `pages` are path, first and last date of each page of documents."""
    links = "".join(
        f'<li><a href="{quote(path)}">{escape(first)} – {escape(last)}</a></li>'
        for path, first, last in pages
    )
    missing = "".join(f"<li>{escape(title)}: {escape(message)}</li>" for title, message in problems)
    body = (
        f"<p>{overview.documents} documents, {overview.files} originals, {overview.size} bytes, exported"
        f" {escape(overview.exported_at)}.</p>"
        "<p>The originals are the bytes as they were stored. <code>SHA256SUMS</code> lists the hash of every"
        " file; <code>sha256sum -c SHA256SUMS</code> compares them. What is known of each document stands in"
        " <code>documents.jsonl</code>, one JSON object a line.</p>"
        f"<ul>{links}</ul>"
    )
    if missing:
        body += f"<h2>Originals that could not be exported</h2><ul>{missing}</ul>"
    return _html(overview.tenant, body)


def _row(document: Mapping[str, Any], version: Mapping[str, Any]) -> str:
    title = escape(document["title"])
    if version["path"]:
        title = f'<a href="../{quote(version["path"])}">{title}</a>'
    notes = ["in the trash"] if document["trashed"] else []
    notes += [version["problem"]] if version["problem"] else []
    noted = f"<br>{escape(', '.join(notes))}" if notes else ""
    return (
        f"<tr><td>{escape(document['day'])}</td><td>{title}{noted}</td><td>{escape(version['filename'])}</td>"
        f'<td class="number">{version["pages"] or ""}</td><td class="number">{version["size"]}</td>'
        f"<td><code>{escape(version['sha256'])}</code></td></tr>\n"
    )


def _html(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )
