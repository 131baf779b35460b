"""What the jobs of documents store as reasons of failure, for pages in another language.

The vault and webhooks note theirs where they are told; readers tell theirs in processes without Django.
"""

from documents import vault  # noqa: F401  notes its own
from documents.reading.errors import LimitExceeded
from documents.webhooks import sending  # noqa: F401  notes its own
from jobs.failure_words import known

for _text in (
    "The file needs a password; store a copy without one to have it read",
    "The file cannot be read: %(reason)s",
    "it is empty",
    "it is nested too deeply",
    "its encryption is unknown",
    "the PDF is broken, and could not be repaired",
    "the PDF is damaged, and nothing of its pages could be recovered",
    "it is no whole office file",
    "its XML declares a document type, which no office program writes",
    "not a picture of a format that is read here",
    "a broken picture: %(problem)s",
    "a picture of %(width)s x %(height)s pixels",
    "files of the type %(type)s have no pages to lay words over",
    "Reading the file would take %(what)s (limit %(limit)s)",
    *(words.format("%(number)s") for words in LimitExceeded.WORDS.values()),
    "The reader crashed on the file: %(how)s",
    "it ended with %(end)s",
    "it answered nonsense",
    "it fell silent",
):
    known(_text)
