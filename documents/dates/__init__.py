"""The date of issue of a document, from its text and file name. Pure: no database, no files, no clock."""

from documents.dates.finder import ORDERS, find_issued_date
from documents.dates.finding import Candidate, DateFinding, Reason, Source
from documents.dates.kinds import Kind

__all__ = ["ORDERS", "Candidate", "DateFinding", "Kind", "Reason", "Source", "find_issued_date"]
