"""What the jobs of documents store as reasons of failure, for pages in another language.

The texts themselves are made where something fails, some of them in processes without Django.
"""

from documents.reading.errors import LimitExceeded
from jobs.failure_words import known

# What reads originals.
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

# The vault.
for _text in (
    "This is no plain file in the vault: %(path)s",
    "The bytes in the vault are not those that were stored: %(path)s",
    "The file is not in the vault: %(path)s",
):
    known(_text)

# Webhooks.
for _text in (
    "%(host)s has no address: %(problem)s",
    "%(host)s did not answer: %(problem)s",
    "The answer was %(status)s: redirects are not followed.",
    "The answer was %(status)s: %(said)s",
    "Plain HTTP goes only to networks of ARCHIV_WEBHOOK_NETWORKS: use https://.",
):
    known(_text)
