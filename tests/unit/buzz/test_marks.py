import json

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.buzz.relay import NOW, says
from threadline.platforms.buzz import marks
from threadline.platforms.buzz.marks import LATE, MOST_SEEN, Mark

TIMES = st.lists(st.integers(int(NOW) - 2_000, int(NOW) + 900), max_size=40)


@given(
    st.lists(st.tuples(st.integers(0, 2**33), st.text("0123456789abcdef", min_size=8, max_size=8)))
)
def test_a_mark_is_read_as_it_was_written(seen: list[tuple[int, str]]) -> None:
    """Floor, place and what was seen survive being stored, in any order of seconds."""
    mark = Mark(7, 9, tuple(seen))
    read = marks.read(mark.text())
    assert read is not None
    assert (read.floor, read.at, sorted(read.seen)) == (7, 9, sorted(seen))


def test_a_mark_of_the_version_before_is_read() -> None:
    """Marks that hold one id a second go on to count."""
    event = says("hello", at=NOW)
    read = marks.read(json.dumps([1, int(NOW), [f"{int(NOW)}:{event.id[:16]}"]]))
    assert read is not None
    assert not read.wants(event, NOW)
    assert read.wants(says("other", at=NOW), NOW)


def test_what_is_no_mark_is_none() -> None:
    """Nonsense in the store begins a channel anew instead of failing."""
    for text in ("", "[]", "{}", "[1,2]", '["a",2,[]]', "[1,2,[3]]", '[1,2,["x.y"]]', "null"):
        assert marks.read(text) is None


@given(TIMES)
def test_nothing_is_wanted_twice(times: list[int]) -> None:
    """What was taken is not wanted again while it may still be given, whenever it was dated."""
    mark = Mark(int(NOW) - 5_000)
    taken = []
    for number, at in enumerate(times):
        event = says(f"{number}", at=at)
        if mark.wants(event, NOW):
            mark = mark.after(event, NOW)
            taken.append(event)
    again = marks.read(mark.text())
    assert again is not None
    assert not [one for one in taken if one.created_at >= again.since and again.wants(one, NOW)]


def test_a_mark_stays_small() -> None:
    """However much is said, a mark fits into a row of the store many times over."""
    mark = Mark(0)
    for number in range(MOST_SEEN + 500):
        mark = mark.after(says("x", at=NOW + number % LATE), NOW + LATE)
    assert len(mark.seen) == MOST_SEEN
    assert len(mark.text()) < 40_000
