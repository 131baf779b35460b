"""The languages of a tenant's papers (pure), as tesseract names the data of each: deu, eng, chi_sim."""

import re

#: More in one tenant would make reading slow, and worse: each is tried on every word.
MOST_LANGUAGES = 8
# As in `documents.ocr.languages`, which may not know tenants; a test holds the two together.
_NAME = re.compile(r"[a-z]{3}(_[a-z]{3,5})?")


def is_language(text: str) -> bool:
    """Tell whether `text` has the form of a language's name; whether its data are there is another thing."""
    return _NAME.fullmatch(text) is not None
