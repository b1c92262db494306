"""Cutting styled text loses nothing but blanks at a cut, and keeps styles on their words."""

from hypothesis import given
from hypothesis import strategies as st

from threadline.core.split import length
from threadline.text.styled import ELLIPSIS, Span, Style, Styled, head, parts

TEXT = st.text(st.sampled_from("ab \n你😀`"), max_size=400)


@st.composite
def styled_texts(draw: st.DrawFn) -> Styled:
    """Give any text with spans that lie inside it."""
    text = draw(TEXT)
    places = st.integers(0, max(len(text) - 1, 0))
    spans = []
    for first, second in draw(st.lists(st.tuples(places, places), max_size=6 if text else 0)):
        start, end = min(first, second), max(first, second) + 1
        spans.append(Span(start, end, draw(st.sampled_from(Style)), "v"))
    return Styled(text, tuple(spans))


def squeezed(text: str) -> str:
    """Drop blanks."""
    return "".join(text.split())


@given(styled_texts(), st.integers(8, 60), st.sampled_from(["utf16", "utf8", "chars"]))
def test_parts_are_whole_and_fit(styled: Styled, limit: int, unit: str) -> None:
    """Every part is within the limit and not blank; joined they are the text without blanks."""
    cut = parts(styled, limit, unit)  # type: ignore[arg-type]
    assert all(0 < length(part.text, unit) <= limit for part in cut)  # type: ignore[arg-type]
    assert squeezed("".join(part.text for part in cut)) == squeezed(styled.text)


@given(styled_texts(), st.integers(8, 60))
def test_styles_stay_on_their_words(styled: Styled, limit: int) -> None:
    """What lies under a style lies under it in the parts too, and under no other."""
    cut = parts(styled, limit, "utf16")
    for style in Style:
        before = "".join(styled.text[s.start : s.end] for s in styled.spans if s.style is style)
        after = "".join(
            part.text[s.start : s.end] for part in cut for s in part.spans if s.style is style
        )
        assert sorted(squeezed(before)) == sorted(squeezed(after))
    assert all(0 <= s.start < s.end <= len(part.text) for part in cut for s in part.spans)


@given(styled_texts(), st.integers(8, 60))
def test_a_head_is_the_beginning(styled: Styled, limit: int) -> None:
    """A shortened text is the beginning of the whole one and says that more is to come."""
    short = head(styled, limit, "utf16")
    assert length(short.text, "utf16") <= limit
    if short != styled:
        assert short.text.endswith(ELLIPSIS)
        assert squeezed(styled.text).startswith(squeezed(short.text.removesuffix(ELLIPSIS)))
