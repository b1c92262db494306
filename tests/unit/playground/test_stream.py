import asyncio
from pathlib import Path
from typing import Any

from tests.unit.playground.codec import draft, edit, post
from tests.unit.playground.page import Events, Page, visit
from threadline.core.posting import Tone


def test_an_answer_is_told_as_it_grows(tmp_path: Path) -> None:
    """The placeholder, every edit and the final text reach an open page, each once."""

    async def visitor(page: Page) -> None:
        await page.say("hello")
        stream = await page.events()
        posted = await post(page, draft("…", Tone.PROGRESS))
        for text in ("You", "You said", "You said **hello**"):
            tone = Tone.ANSWER if "*" in text else Tone.PROGRESS
            await edit(page, draft(text, tone), posted)
        seen = await until(stream, posted.id, "You said **hello**")
        assert seen["tree"] == [["p", {}, "You said ", ["strong", {}, "hello"]]]
        assert (seen["growing"], seen["reply_to"], seen["tone"]) == (False, 1, "answer")

    visit(tmp_path, visitor)


def test_a_page_that_comes_back_gets_what_it_missed_and_nothing_else(tmp_path: Path) -> None:
    """Resuming after the last event's id gives the later changes only, by either way of asking."""

    async def visitor(page: Page) -> None:
        await page.say("one", key="k1")
        known, _ = await (await page.events()).next("messages")
        await page.say("two", key="k2")
        _, missed = await (await page.events(after=known)).next("messages")
        assert [message["text"] for message in missed] == ["two"]
        again = await page.get("/playground/events?chat=c1&after=0", last_event_id=str(known))
        _, missed = await Events(again).next("messages")
        assert [message["text"] for message in missed] == ["two"]

    visit(tmp_path, visitor)


def test_chats_do_not_hear_of_each_other(tmp_path: Path) -> None:
    """A page gets the messages of its own chat, and the list of all chats, the latest first."""

    async def visitor(page: Page) -> None:
        await page.say("first chat", chat="c1", key="k1")
        await page.say("second chat", chat="c2", key="k2")
        stream = await page.events("c2")
        _, shown = await stream.next("messages")
        assert [message["text"] for message in shown] == ["second chat"]
        _, titles = await stream.next("chats")
        assert [one["title"] for one in titles] == ["second chat", "first chat"]

    visit(tmp_path, visitor)


def test_the_journey_of_the_latest_message_is_told(tmp_path: Path) -> None:
    """The stream tells the steps so far in words; asked for by number they are the same."""

    async def visitor(page: Page) -> None:
        said = await page.say("hello")
        _, told = await (await page.events()).next("journey")
        assert told["delivery"] == said["delivery"]
        assert [step["title"] for step in told["steps"]] == [
            "Sent by you",
            "Accepted at the front door",
        ]
        assert told["steps"][0]["after"] == 0
        assert told["over"] is False
        assert await (await page.get("/playground/journeys/1")).json() == told
        assert (await page.get("/playground/journeys/2")).status == 404

    visit(tmp_path, visitor)


def test_a_stream_needs_a_chat_and_a_number(tmp_path: Path) -> None:
    """What cannot be a chat or a revision is refused."""

    async def visitor(page: Page) -> None:
        for query in ("", "?chat=", "?chat=a.b&after=0", "?chat=c1&after=-1", "?chat=c1&after=x"):
            assert (await page.get(f"/playground/events{query}")).status == 422

    visit(tmp_path, visitor)


def test_closing_ends_every_stream(tmp_path: Path) -> None:
    """An open page does not hold up the end of the process."""

    async def visitor(page: Page) -> None:
        stream = await page.events()
        await stream.next("chats")
        page.playground.close()
        async with asyncio.timeout(10):
            await stream.answer.content.read()

    visit(tmp_path, visitor)


async def until(stream: Events, message: str, text: str) -> dict[str, Any]:
    """Read events until a message has this text; what it had before may have been skipped."""
    revision = 0
    while True:
        _, shown = await stream.next("messages")
        for one in shown:
            assert one["revision"] > revision or str(one["id"]) != message
            if str(one["id"]) == message:
                revision = one["revision"]
                if one["text"] == text:
                    return dict(one)
