"""The template of readers on a machine that has neither bubblewrap nor Landlock."""

from __future__ import annotations

from pathlib import Path

from documents.reading import bubblewrap, landlock, reader, template
from documents.reading.warm import Warm

if __name__ == "__main__":
    landlock.version = lambda: 0
    bubblewrap.find_command = lambda *_args: None
    reader.warm_up = lambda: Warm({}, Path(), None)
    template.main()
