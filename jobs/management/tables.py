"""Tables of plain text for commands."""

from collections.abc import Sequence


def show_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return lines with aligned columns, numbers to the right; nothing without rows."""
    if not rows:
        return []
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[n]) for line in [list(head), *cells]) for n in range(len(head))]
    numeric = [all(isinstance(row[n], int) for row in rows) for n in range(len(head))]

    def line(texts: Sequence[str]) -> str:
        placed = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, numeric, strict=True)
        )
        return "  ".join(placed).rstrip()

    return [line(head), *(line(row) for row in cells)]
