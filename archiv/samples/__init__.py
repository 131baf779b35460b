"""Sample documents of two invented tenants, made on the spot, with what archiv should make of each.

`make_samples(folder)` writes them; `SAMPLES` lists them. The same code and libraries give the same bytes.
"""

from archiv.samples.catalogue import SAMPLES
from archiv.samples.folder import make_samples
from archiv.samples.model import Expectation, Kind, Sample, Status, TextSource
from archiv.samples.senders import KANZLEI, STADTARCHIV

__all__ = [
    "KANZLEI",
    "SAMPLES",
    "STADTARCHIV",
    "Expectation",
    "Kind",
    "Sample",
    "Status",
    "TextSource",
    "make_samples",
]
