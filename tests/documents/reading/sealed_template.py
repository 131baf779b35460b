"""The template of readers, in which nothing can be imported any more once it is warm.

As where the project lies in a home that is closed to the readers' user: there an import at the first
scan or the first mail of its kind fails, and is taken for a fault of the file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from documents.reading import reader, template
from documents.reading.warm import Warm


class Sealed:
    """A finder that is asked first, and says that there is nothing to be found."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        raise ModuleNotFoundError(f"{name} was not imported while readers were warmed up", name=name)


def main() -> None:
    """Warm up, seal, serve."""
    warm_up = reader.warm_up

    def warm_up_and_seal() -> Warm:
        warm = warm_up()
        sys.meta_path.insert(0, Sealed())
        return warm

    reader.warm_up = warm_up_and_seal
    template.main()


if __name__ == "__main__":
    main()
