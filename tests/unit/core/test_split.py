"""Cutting very long texts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.core.split import Unit, fit, length, split

UNITS: tuple[Unit, ...] = ("utf16", "utf8", "json", "chars")


@pytest.mark.parametrize("unit", UNITS)
def test_a_very_long_text_costs_by_its_length(unit: Unit) -> None:
    """Two megabytes are cut in a moment, nothing lost; by their square it took 15 s."""
    text, began = "word " * 400_000, time.process_time()
    pieces = split(text, 4096, unit)
    assert time.process_time() - began < 8
    assert "".join(piece.body for piece in pieces) == text


@given(text=st.text(st.sampled_from('aä€😀\x01\n"\\\ud83d\udc4d')), limit=st.integers(0, 40))
@pytest.mark.parametrize("unit", UNITS)
def test_what_fits_is_the_longest_beginning_within_the_limit(
    text: str, limit: int, unit: Unit
) -> None:
    """One code point more would be too much, in whatever unit; the sizes of all add up."""
    size = fit(text, limit, unit)
    assert length(text[:size], unit) <= limit
    assert size == len(text) or length(text[: size + 1], unit) > limit
    assert length(text, unit) == sum(length(char, unit) for char in text)
