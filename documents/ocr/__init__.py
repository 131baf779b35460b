"""Read the text of a page image: straighten it, recognise it, say how sure that is.

Pure: knows pictures, folders and languages, neither models nor settings. A `Recognizer` is made
once and kept warm; recognition uses one thread where `OMP_THREAD_LIMIT=1` is set before it starts.
"""

from documents.ocr.languages import LANGUAGES, LanguageMissingError, OcrError, find_folder, installed
from documents.ocr.recognizer import OcrTimeoutError, Recognized, Recognizer, Word, guess_dpi
from documents.ocr.skew import straighten

__all__ = [
    "LANGUAGES",
    "LanguageMissingError",
    "OcrError",
    "OcrTimeoutError",
    "Recognized",
    "Recognizer",
    "Word",
    "find_folder",
    "guess_dpi",
    "installed",
    "straighten",
]
