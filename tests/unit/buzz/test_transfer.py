"""Files from the relay's media server, which is as strict as Buzz."""

from pathlib import Path

import pytest

from tests.stubs.serving import Answer
from tests.unit.buzz.bots import PDF, Bot, digest, held, speaking
from tests.unit.buzz.relay import NOW, credentials
from threadline.core.errors import (
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
)
from threadline.core.http import SaveTo
from threadline.core.message import FileRef
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.transfer import look

OTHER = "0f" * 32


def test_a_file_is_fetched_by_its_hash(bot: Bot) -> None:
    """The relay hands it out to a member who signs for just this file."""
    assert bot.fetch(held(bot.media, PDF)) == PDF
    (asked,) = bot.media.asked
    assert asked[:2] == ("GET", f"/media/{digest(PDF)}.pdf")


def test_no_clock_of_ours_is_needed(tmp_path: Path) -> None:
    """What is signed is dated by the relay, which takes nothing that is off by a minute."""
    with speaking(tmp_path, strict=True, clock=lambda: NOW + 5_000_000) as bot:
        assert bot.fetch(held(bot.media, PDF)) == PDF
        assert bot.upload("a.pdf", PDF).id
    with speaking(tmp_path, tells_time=False) as bot:
        with pytest.raises(PlatformUnavailable, match="its time"):
            bot.fetch(held(bot.media, PDF))
        assert bot.media.asked == []


def test_a_time_that_was_kept_on_the_way_has_aged(tmp_path: Path) -> None:
    """Where something in between answers for the relay, it says how old the answer is."""
    with speaking(tmp_path, strict=True, age=300) as bot:
        assert bot.fetch(held(bot.media, PDF)) == PDF


def test_other_bytes_are_refused(bot: Bot) -> None:
    """What does not have the hash that its sender signed goes to no agent."""
    file = held(bot.media, PDF)
    bot.media.kept[digest(PDF)].body = b"%PDF-1.7 of other pages"
    with pytest.raises(PostRejected, match="another SHA-256"):
        bot.fetch(file)


@pytest.mark.parametrize(
    ("answers", "means", "says"),
    [
        ([Answer(404, {"error": "not found"})], PostRejected, "404 not found"),
        ([Answer(401, {"error": "authentication failed"})], CredentialsRejected, "401 auth"),
        ([Answer(403, b"authorization denied\n")], CredentialsRejected, "authorization denied"),
        ([Answer(200, b"x" * 1_001)], PostRejected, "larger than"),
        ([Answer(302, b"", {"location": "http://169.254.169.254/"})], PostRejected, "302"),
        ([Answer(206, PDF)], PostRejected, "206"),
        ([Answer(500, {"error": "internal error"})] * 2, PlatformUnavailable, "internal error"),
        ([Answer(429, b"\x1b[31mno\xff")] * 2, PlatformUnavailable, "429"),
        ([Answer(0), Answer(0)], PlatformUnavailable, "did not answer"),
        ([Answer(418, b'["' * 2_000)], PostRejected, "418"),
    ],
)
def test_a_file_that_cannot_be_had_says_why(
    bot: Bot, answers: list[Answer], means: type[PostError], says: str
) -> None:
    """Each refusal has its reason, which no terminal obeys, and nothing is asked for elsewhere."""
    bot.media.next = list(answers)
    with pytest.raises(means, match=says) as told:
        bot.fetch(held(bot.media, PDF, size=-1))
    assert str(told.value).isprintable()
    assert len(bot.media.asked) == len(answers)


def test_a_hiccup_is_tried_once_more(bot: Bot) -> None:
    """With another authorisation, as the first may have ended meanwhile."""
    bot.media.next = [Answer(503, {"error": "service unavailable"})]
    assert bot.fetch(held(bot.media, PDF)) == PDF
    assert len(bot.media.asked) == 2


@pytest.mark.parametrize(
    "file",
    [
        FileRef("", "a", "", problem="not_on_the_relay"),
        FileRef("../admin", "a", ""),
        FileRef(f"{'a' * 64}.pdf/../..", "a", ""),
        FileRef(f"{'A' * 64}.pdf", "a", ""),
        FileRef(f"{'a' * 64}.pdf", "a", "", size=1_001),
    ],
)
def test_what_is_no_file_of_the_relay_is_not_asked_for(bot: Bot, file: FileRef) -> None:
    """Nothing is sent, and nothing signed."""
    with pytest.raises(PostRejected):
        bot.fetch(file)
    assert bot.requests == []


def test_an_app_without_a_relay_has_no_files() -> None:
    """An address that is no relay's is told, not guessed."""
    flow = PLATFORM.fetch(FileRef("a" * 64, "a", ""), credentials(url="x"), SaveTo("b", 9))
    with pytest.raises(CredentialsRejected):
        next(flow)


def test_doctor_sees_whether_files_come_and_go(bot: Bot) -> None:
    """A member may fetch, a stranger is refused, and a server of something else keeps none."""
    assert bot.run(look(bot.using)) == ""
    bot.media.next = [Answer(404, b"<h1>Not Found</h1>"), Answer(405, b"")]
    assert "404" in bot.run(look(bot.using))
    assert "405" in bot.run(look(bot.using))
    bot.media.members.clear()
    with pytest.raises(CredentialsRejected):
        bot.run(look(bot.using))
