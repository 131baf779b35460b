"""A bare OCR loop: the page's image and the same engine, and nothing else. Reads paths, answers in JSON."""

import json
import os
import resource
import sys
import time

os.environ["OMP_THREAD_LIMIT"] = "1"

import pypdfium2 as pdfium

from documents.ocr.languages import LANGUAGES
from documents.reading.messages import Limits
from documents.reading.pdf_image import page_image
from documents.reading.warm import load


def main() -> None:
    """Warm up, then read one page for each line."""
    recognizer, _ = load("", "").recognizer(LANGUAGES)
    for line in sys.stdin:
        began = time.process_time()
        document = pdfium.PdfDocument(line.strip())
        image, dpi = page_image(document[0], Limits())
        text = recognizer.read(image, dpi=dpi, seconds=300).text
        used = time.process_time() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"text": text, "cpu_s": used, "peak_mb": peak}), flush=True)


if __name__ == "__main__":
    main()
