"""Tables in a fixed-width font."""

import pytest

from threadline.text.tables import WIDEST, aligned, width


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("abc", 3), ("你好", 4), ("ｗｉｄｅ", 8), ("e\u0301", 1), ("🏭", 2)],
)
def test_width_is_what_the_eye_sees(text: str, columns: int) -> None:
    """Wide characters take two columns and combining ones none."""
    assert width(text) == columns


def test_columns_line_up() -> None:
    """Cells are padded to the widest of their column, with a rule under the header."""
    rows = [["名", "n"], ["alpha", "1"], ["β"]]
    assert aligned(rows) == "名    | n\n------+--\nalpha | 1\nβ     |"


def test_a_table_too_wide_is_not_laid_out() -> None:
    """What would not fit a telephone gives nothing: the caller writes it as a list."""
    assert aligned([["x" * WIDEST]])
    assert aligned([["x" * (WIDEST + 1)]]) == ""
