"""The date of issue of a document, from its text and file name. Pure: no database, no files, no clock.

The text is folded (`folding`); everything written as a date is found in it (`numeric`, `named`, `eastern`;
the dear patterns look only where `spots` says), unless it is part of something else (`guards`); ambiguous
numbers are read as the document shows (`order`); each date gets its kind from label, span and place (by
`labels`, `layout`, `spans`, `surroundings`, `papers`, put together by `context`); points decide (`ranking`,
`kinds`). The words are tables: `months`, `label_words`, `issue_words`.
"""

from documents.dates.finder import ORDERS, SURE, find_issued_date
from documents.dates.finding import Candidate, DateFinding, Doubt, Reason, Source
from documents.dates.kinds import Kind

__all__ = [
    "ORDERS",
    "SURE",
    "Candidate",
    "DateFinding",
    "Doubt",
    "Kind",
    "Reason",
    "Source",
    "find_issued_date",
]
