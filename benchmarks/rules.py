"""A thousand rules applied to ten thousand documents in the database, as `manage.py apply_rules` does it.

`python -m benchmarks.rules [--documents N] [--learned]`: 960 rules of words, 20 regular expressions, 20 fuzzy
ones, documents of 3,000 characters; with `--learned` former filing is asked too. Makes a database of its own.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")

import argparse  # noqa: E402
import random  # noqa: E402
import time  # noqa: E402
import uuid  # noqa: E402

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, connections  # noqa: E402
from django.test.utils import setup_databases, teardown_databases  # noqa: E402

from archiv import embedded  # noqa: E402
from benchmarks.server import cpu_seconds  # noqa: E402
from benchmarks.taxonomy import CHARACTERS, make_rules  # noqa: E402
from documents.filing import LabelKind  # noqa: E402
from documents.models import Document, DocumentVersion, Filing, Label, MatchingRule, PageText  # noqa: E402
from documents.services.apply_rules import apply_rules  # noqa: E402
from documents.services.filing import file_documents  # noqa: E402
from documents.services.labels import change_revision  # noqa: E402
from tenants.access import operator_access  # noqa: E402
from tenants.scope import tenant_scope  # noqa: E402
from tests.factories import TenantFactory  # noqa: E402

ALIASES = ("owner", "default", "queue")
_BATCH = 200
_LABELS, _LEARNED = 200, 200
#: So many that a word stands in one document of a hundred or so.
_WORDS = 60_000
_WORDS_A_DOCUMENT = 330


def main() -> None:
    """Fill a database, apply the rules twice, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--learned", action="store_true", help="have people file some documents before")
    options = parser.parse_args()
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    made = setup_databases(verbosity=0, interactive=False, aliases=dict.fromkeys(ALIASES))
    try:
        measure(options.documents, learned=options.learned)
    finally:
        for alias in ALIASES:
            connections[alias].close()
        teardown_databases(made, verbosity=0)


def measure(number: int, *, learned: bool) -> None:
    """Apply the rules to so many documents, and once more when all are filed."""
    source = random.Random(8)
    tenant_id: uuid.UUID = TenantFactory.create().id
    access = operator_access(tenant_id)
    words = [_word(source) for _ in range(_WORDS)]
    labels = fill(tenant_id, number, words, source)
    if learned:
        with tenant_scope(tenant_id):
            some = list(Document.objects.values_list("pk", flat=True)[:_LEARNED])
        for at, document_id in enumerate(some):
            file_documents(access=access, document_ids=[document_id], add=[labels[at % 20]])
    for words_of_run in ("first", "second"):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (backend,) = cursor.fetchone()
        wall, processor, database = time.perf_counter(), time.process_time(), cpu_seconds(backend)
        report = apply_rules(access=access)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        database = cpu_seconds(backend) - database
        with tenant_scope(tenant_id):
            filed = Filing.objects.filter(tenant_id=tenant_id).count()
        print(
            f"{words_of_run} run: {report.documents} documents, {report.changed} changed, {filed} filings:"
            f" {wall:.1f} s, {processor:.1f} s of processor time here and {database:.1f} s in the database"
        )


def fill(tenant_id: uuid.UUID, number: int, words: list[str], source: random.Random) -> list[uuid.UUID]:
    """Make labels, rules and documents; returns the labels."""
    kinds = [LabelKind.TAG] * 8 + [LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE]
    labels = [
        Label(tenant_id=tenant_id, kind=kinds[n % 10], name=f"label {n}", key=f"label {n}")
        for n in range(_LABELS)
    ]
    with tenant_scope(tenant_id):
        Label.objects.bulk_create(labels)
        MatchingRule.objects.bulk_create(
            MatchingRule(
                tenant_id=tenant_id,
                label=labels[at % _LABELS],
                kind=rule.kind,
                pattern=rule.pattern,
                likeness=rule.likeness,
            )
            for at, rule in enumerate(make_rules(source, words))
        )
        change_revision(tenant_id)
    for first in range(0, number, _BATCH):
        numbers = range(first, min(first + _BATCH, number))
        texts = [_text(n, words, source) for n in numbers]
        with tenant_scope(tenant_id):
            _store(tenant_id, numbers, texts)
    return [label.pk for label in labels if label.kind == LabelKind.TAG]


def _text(number: int, words: list[str], source: random.Random) -> str:
    body = " ".join(source.choice(words) for _ in range(_WORDS_A_DOCUMENT))
    text = f"Stadtwerke Beispielstadt\nRechnungsnummer: 2026-{number}\n{body}"
    return text[:CHARACTERS].ljust(CHARACTERS, ".")


def _store(tenant_id: uuid.UUID, numbers: range, texts: list[str]) -> None:
    documents = [Document(tenant_id=tenant_id, title=f"paper {n}", source="import") for n in numbers]
    versions = [
        DocumentVersion(
            tenant_id=tenant_id,
            document=document,
            content_hash=f"{n:064x}",
            size=1,
            media_type="application/pdf",
            filename=f"scan{n:06}.pdf",
            pages=1,
        )
        for n, document in zip(numbers, documents, strict=True)
    ]
    pages = [
        PageText(tenant_id=tenant_id, version=version, page=1, text=text, source="layer")
        for version, text in zip(versions, texts, strict=True)
    ]
    Document.objects.bulk_create(documents)
    DocumentVersion.objects.bulk_create(versions)
    PageText.objects.bulk_create(pages)


def _word(source: random.Random) -> str:
    """Eight letters: a beginning of six is shared by few words, as with real names."""
    return "".join(source.choice("bdfgklmnprstvw") + source.choice("aeiou") for _ in range(4))


if __name__ == "__main__":
    main()
