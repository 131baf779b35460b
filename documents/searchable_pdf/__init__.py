"""A PDF of a scan in which words can be searched and marked: the page's picture, its words unseen over it.

Pure: it gets bytes and the boxes that OCR found, and gives back bytes. Readers run it: files are strangers'.
"""

from documents.searchable_pdf.archival import find_obstacles, make_archival
from documents.searchable_pdf.build import NotSearchableError, Searchable, build_searchable

__all__ = ["NotSearchableError", "Searchable", "build_searchable", "find_obstacles", "make_archival"]
