from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.playground.codec import NONCE, call, draft, edit, post, to
from tests.unit.playground.page import Page, visit
from threadline.core.errors import ConversationGone, CredentialsRejected, PostRejected
from threadline.core.http import SaveTo
from threadline.core.message import FileRef
from threadline.core.posting import Draft, Receipt, Reply, Tone
from threadline.local.playground.chats import StoredFile
from threadline.platforms.playground import PLATFORM
from threadline.platforms.playground.limits import OPTIONS


def test_a_nonce_posts_once(tmp_path: Path) -> None:
    """A post that is repeated, as after a lost answer, is the same post."""

    async def visitor(page: Page) -> None:
        first, again = await post(page, draft("hello")), await post(page, draft("hello"))
        other = await post(page, draft("hello"), nonce=NONCE[::-1])
        assert first == again
        assert other != first
        assert len(page.playground._chats.changed("c1")) == 2

    visit(tmp_path, visitor)


def test_an_edit_replaces_the_text(tmp_path: Path) -> None:
    """Edits change what stands; only those that grow are counted, with the first and last time."""

    async def visitor(page: Page) -> None:
        posted = await post(page, draft("…", Tone.PROGRESS))
        for text in ("You", "You said"):
            assert await edit(page, draft(text, Tone.PROGRESS), posted) == posted
        assert await edit(page, draft("You said: hello"), posted) == posted
        (said,) = page.playground._chats.changed("c1")
        assert (said.text, said.tone, said.edits) == ("You said: hello", "answer", 2)
        assert said.first_edit_at is not None
        assert said.last_edit_at is not None
        assert said.at <= said.first_edit_at <= said.last_edit_at

    visit(tmp_path, visitor)


def test_what_does_not_stand_cannot_be_edited(tmp_path: Path) -> None:
    """An edit of nothing, or of what a person wrote, says that it is gone."""

    async def visitor(page: Page) -> None:
        said = await page.say("hello")
        for gone in ("99", str(said["message"])):
            with pytest.raises(ConversationGone):
                await edit(page, draft("x"), Receipt(gone))

    visit(tmp_path, visitor)


def test_the_codec_without_the_token_is_refused(tmp_path: Path) -> None:
    """Another token is an error that only the operator can mend."""

    async def visitor(page: Page) -> None:
        using = replace(page.credentials(), secrets={"api_token": "another-token"})
        with pytest.raises(CredentialsRejected) as refused:
            await call(page, PLATFORM.post(draft("x"), to(page), using, NONCE))
        assert "another-token" not in str(refused.value)

    visit(tmp_path, visitor)


@pytest.mark.parametrize(
    "fault",
    [
        Draft(""),
        Draft(" "),
        Draft("x" * 8_001),
        Draft("x", {"tone": "loud"}),
        Draft("x", {"options": '"red"'}),
        Draft("x", {"options": '[""]'}),
        Draft("x", {"options": "[1]"}),
        Draft("x", {"options": '["' + "x" * 201 + '"]'}),
        Draft("x", {"options": "[" + '"x",' * 12 + '"x"]'}),
    ],
)
def test_the_api_is_strict(tmp_path: Path, fault: Draft) -> None:
    """A draft that no reply is rendered to is refused for good, posted or edited."""

    async def visitor(page: Page) -> None:
        posted = await post(page, draft("hello"), nonce=NONCE[::-1])
        with pytest.raises(PostRejected):
            await post(page, fault)
        with pytest.raises(PostRejected):
            await edit(page, fault, posted)
        with pytest.raises(PostRejected):
            await post(page, draft("x"), chat="a.b")

    visit(tmp_path, visitor)


def test_an_attached_file_is_fetched_whole(tmp_path: Path) -> None:
    """A file from the page is saved byte for byte; one that is gone or too long is said to be."""

    async def visitor(page: Page) -> None:
        body = bytes(range(256)) * 5_000
        page.playground._chats.keep("f1", StoredFile("a.bin", "application/octet-stream", body), 1)
        file = FileRef("f1", "a.bin", "application/octet-stream", len(body))
        using, save_to = page.credentials(), SaveTo("files/t/0", 2_000_000)
        blob = await call(page, PLATFORM.fetch(file, using, save_to))
        assert page.world.blobs.get(blob.name) == body
        for other, limit in ((replace(file, id="f2"), 2_000_000), (replace(file, size=1), 1_000)):
            with pytest.raises((PostRejected, ConversationGone)):
                await call(page, PLATFORM.fetch(other, using, SaveTo("files/t/1", limit)))

    visit(tmp_path, visitor)


def test_a_question_offers_its_answers(tmp_path: Path) -> None:
    """Options go with the last part of a question, short ones only, and stay until it is edited."""
    many = tuple(str(number) for number in range(13))
    assert OPTIONS not in PLATFORM.render(Reply("Which?", Tone.QUESTION, many))[-1].facts
    long = PLATFORM.render(Reply("x " * 5_000, Tone.QUESTION, ("red",)))
    assert [OPTIONS in part.facts for part in long] == [False, True]

    async def visitor(page: Page) -> None:
        (asked,) = PLATFORM.render(Reply("Which?", Tone.QUESTION, ("red", "green", "x" * 201)))
        posted = await post(page, asked)
        (said,) = page.playground._chats.changed("c1")
        assert (said.tone, said.options) == ("question", ("red", "green"))
        await edit(page, draft("Never mind."), posted)
        (said,) = page.playground._chats.changed("c1")
        assert said.options == ()

    visit(tmp_path, visitor)
