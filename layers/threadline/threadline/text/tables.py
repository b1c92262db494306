"""Tables for platforms without any: columns of equal width, or a list where that is too wide."""

import unicodedata
from collections.abc import Sequence
from typing import Final

WIDEST: Final = 56
"""Columns of a fixed-width font that a telephone held upright or a small window still shows."""


def width(text: str) -> int:
    """Count the columns a text takes in a fixed-width font; wide characters take two."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Lay rows out in columns, the first as a header; "" where that is wider than `WIDEST`.

    There is at least one row.
    """
    columns = max(len(row) for row in rows)
    filled = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(width(row[at]) for row in filled) for at in range(columns)]
    if sum(widths) + 3 * (columns - 1) > WIDEST:
        return ""
    lines = [" | ".join(map(_padded, row, widths)).rstrip() for row in filled]
    rule = "-+-".join("-" * size for size in widths)
    return "\n".join((lines[0], rule, *lines[1:]))


def _padded(cell: str, size: int) -> str:
    return cell + " " * (size - width(cell))
