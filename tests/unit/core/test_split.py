"""Cutting very long texts."""

import time

import pytest

from threadline.core.split import Unit, split


@pytest.mark.parametrize("unit", ["utf16", "utf8", "json", "chars"])
def test_a_very_long_text_costs_by_its_length(unit: Unit) -> None:
    """Two megabytes are cut in a moment, nothing lost; by their square it took 15 s."""
    text, began = "word " * 400_000, time.process_time()
    pieces = split(text, 4096, unit)
    assert time.process_time() - began < 8
    assert "".join(piece.body for piece in pieces) == text
