"""Texts beyond all measure: what is posted of them, and what that costs."""

import time

import pytest

from threadline import wiring
from threadline.app.answer import MOST_SHOWN, progress
from threadline.app.rendered import SHRINKS, rendered
from threadline.core.platform import Platform
from threadline.core.posting import Draft, Reply

MOST = 3
PLATFORMS = [wiring.platform(name) for name in wiring.PLATFORMS]
EACH = pytest.mark.parametrize(
    "platform", [one for one in PLATFORMS if one], ids=lambda one: one.name
)
PARAGRAPH = "**word** [there](https://a.example/x) and `code`, " * 20 + "\n\n"


def text(size: int) -> str:
    """Give paragraphs of so many characters."""
    return (PARAGRAPH * (size // len(PARAGRAPH) + 1))[:size]


def spent(platform: Platform, markdown: str) -> tuple[float, list[Draft]]:
    """Give the seconds of CPU that rendering takes, and the drafts."""
    began = time.process_time()
    drafts, _ = rendered(platform, Reply(markdown), MOST)
    return time.process_time() - began, drafts


@EACH
@pytest.mark.parametrize("share", [0.1, 0.9, 1.5, SHRINKS - 0.5])
def test_what_is_within_measure_is_rendered_as_ever(platform: Platform, share: float) -> None:
    """The same drafts, cut to so many, and it is told whether they are all."""
    reply = Reply(text(int(platform.traits.max_text * MOST * share)))
    whole = platform.render(reply)
    assert rendered(platform, reply, MOST) == (list(whole[:MOST]), len(whole) <= MOST)


@EACH
def test_what_is_beyond_measure_costs_no_more(platform: Platform) -> None:
    """Twenty times the text is rendered at the cost of its head, and is known to be no whole."""
    size = platform.traits.max_text * MOST * SHRINKS
    least, drafts = min((spent(platform, text(size)) for _ in range(2)), key=lambda one: one[0])
    long = text(size * 20)
    most, same = min((spent(platform, long) for _ in range(2)), key=lambda one: one[0])
    assert most < max(least, 0.002) * 4
    assert same == drafts
    assert rendered(platform, Reply(long), MOST)[1] is False


def test_what_shrinks_to_nothing_is_known_to_be_cut() -> None:
    """A long comment before the words leaves fewer parts than fit, and they are not all."""
    telegram = wiring.platform("telegram")
    assert telegram is not None
    hidden = "[//]: # (x)\n" * 100_000
    assert rendered(telegram, Reply(f"{hidden}\n\nwords"), MOST)[1] is False


@EACH
def test_a_growing_answer_is_shown_as_far_as_a_post_goes(platform: Platform) -> None:
    """However long it has become, the post is the one that its head gives."""
    long, head = progress(text(MOST_SHOWN * 3)), progress(text(MOST_SHOWN))
    assert long is not None
    assert long == head
    (draft,) = platform.render(long)
    assert draft == platform.render(Reply(text(MOST_SHOWN * 3), long.tone))[0]
