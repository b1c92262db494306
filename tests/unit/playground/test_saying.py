import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.playground.page import Page, visit
from threadline.app.world import World
from threadline.local.function import Handler
from threadline.local.playground import serving


def test_what_is_typed_becomes_a_delivery_in_the_mailbox(tmp_path: Path) -> None:
    """A message goes through the front door, signed, and waits in its mailbox under its ids."""

    async def visitor(page: Page) -> None:
        said = await page.say("  hello\n")
        assert said == {"message": 1, "delivery": "playground-default-1", "why": ""}
        (mail,) = page.world.queues.mailbox.receive(10, visibility=30)
        message = json.loads(mail.body)["message"]
        assert (message["text"], message["chat"], message["id"]) == ("hello", "c1", "1")
        assert message["delivery"] == said["delivery"]
        _, (shown,) = await (await page.events()).next("messages")
        assert (shown["text"], shown["state"], shown["who"]) == ("hello", "accepted", "you")

    visit(tmp_path, visitor)


def test_sending_twice_is_saying_it_once(tmp_path: Path) -> None:
    """The same key, as after an answer that was lost, gives the same message and one delivery."""

    async def visitor(page: Page) -> None:
        first, second = await page.say("hello", key="k"), await page.say("hello", key="k")
        assert first == second
        assert len(page.world.queues.mailbox.receive(10, visibility=30)) == 1
        _, shown = await (await page.events()).next("messages")
        assert len(shown) == 1

    visit(tmp_path, visitor)


@pytest.mark.parametrize(
    "body",
    [
        {"key": "k", "text": ""},
        {"key": "k", "text": " \n"},
        {"key": "k", "text": "x" * 8_001},
        {"key": "", "text": "hello"},
        {"key": "../k", "text": "hello"},
        {"text": "hello"},
        {"key": "k", "text": ["hello"]},
        {"key": "k", "text": "hello", "files": "f"},
        {"key": "k", "text": "hello", "files": ["gone"]},
        {"key": "k", "text": "hello", "files": [None] * 5},
        ["hello"],
        "hello",
    ],
)
def test_what_cannot_be_sent_is_refused_in_words(tmp_path: Path, body: object) -> None:
    """Empty, too long or broken messages are refused with a sentence and leave nothing."""

    async def visitor(page: Page) -> None:
        answer = await page.post("/playground/chats/c1/messages", body)
        assert answer.status == 422
        assert (await answer.json())["error"].endswith(".")
        assert (await page.post("/playground/chats/a.b/messages", {})).status == 422
        assert page.playground._chats.titles() == ()

    visit(tmp_path, visitor)


def test_a_refused_message_says_why_and_can_be_sent_again(tmp_path: Path) -> None:
    """Where the front door does not take it, the message stands as not taken, and once only."""
    answers = iter([503, 200])

    def handler(_: World) -> Handler:
        return lambda *_: {"statusCode": next(answers)}

    async def visitor(page: Page) -> None:
        refused = await page.say("hello", key="k")
        assert "try again" in refused["why"]
        stream = await page.events()
        _, (shown,) = await stream.next("messages")
        assert (shown["state"], shown["why"], shown["key"]) == ("refused", refused["why"], "k")
        assert (await page.say("hello", key="k")) == {**refused, "why": ""}
        _, (shown,) = await stream.next("messages")
        if shown["state"] == "sending":
            _, (shown,) = await stream.next("messages")
        assert shown["state"] == "accepted"

    visit(tmp_path, visitor, handler)


def test_what_was_not_sent_when_the_process_ended_is_not_forgotten(tmp_path: Path) -> None:
    """After a restart the chats are there, and what had not been sent says so."""

    async def before(page: Page) -> None:
        await page.say("hello", key="k1")
        page.playground._chats.say("c1", "lost", "k2", page.world.clock.now())

    async def after(page: Page) -> None:
        stream = await page.events()
        _, (first, second) = await stream.next("messages")
        assert (first["text"], first["state"]) == ("hello", "accepted")
        assert (second["text"], second["state"]) == ("lost", "refused")
        assert (await page.say("lost", key="k2"))["message"] == second["id"]
        _, titles = await stream.next("chats")
        assert [(one["chat"], one["title"]) for one in titles] == [("c1", "hello")]

    visit(tmp_path, before)
    visit(tmp_path, after)


def test_files_go_with_the_message(tmp_path: Path) -> None:
    """Files are put on the page first; the delivery names them with type and size."""

    async def visitor(page: Page) -> None:
        ids = [
            await attach(page, "a b.txt", "text/plain", b"hello"),
            await attach(page, "k.png", "image/png", b"\x89PNG"),
        ]
        await page.say("", files=ids)
        (mail,) = page.world.queues.mailbox.receive(10, visibility=30)
        files = json.loads(mail.body)["message"]["files"]
        assert [(f["name"], f["mime"], f["size"], f["image"]) for f in files] == [
            ("a b.txt", "text/plain", 5, False),
            ("k.png", "image/png", 4, True),
        ]
        text, image = [await page.get(f"/playground/files/{one}") for one in ids]
        assert text.headers["content-disposition"] == 'attachment; filename="a-b-txt"'
        assert "content-disposition" not in image.headers
        assert "sandbox" in image.headers["content-security-policy"]
        assert (await page.get("/playground/files/none")).status == 404

    visit(tmp_path, visitor)


def test_a_file_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte more than the limit is refused in words; the limit itself is taken."""
    monkeypatch.setattr(serving, "MAX_FILE", 3_000)

    async def visitor(page: Page) -> None:
        for size, status in ((3_001, 413), (3_000, 200)):
            async with page.session.post(
                f"{page.url}/playground/files?name=big",
                data=b"x" * size,
                headers={"x-threadline-token": page.token},
            ) as answer:
                assert answer.status == status
                assert ("error" in await answer.json()) == (status == 413)

    visit(tmp_path, visitor)


def test_a_page_that_was_attached_is_never_shown_as_one(tmp_path: Path) -> None:
    """HTML and SVG of a person are only saved: on our own address they would run as our page."""

    async def visitor(page: Page) -> None:
        for mime in ("text/html", "image/svg+xml", "nonsense", "text/html; charset=x"):
            file = await attach(page, "x", mime, b"<script>alert(1)</script>")
            answer = await page.get(f"/playground/files/{file}")
            assert answer.headers["content-disposition"].startswith("attachment")
            assert answer.headers["x-content-type-options"] == "nosniff"

    visit(tmp_path, visitor)


async def attach(page: Page, name: str, mime: str, body: bytes) -> Any:
    """Put a file on the page and give its id."""
    async with page.session.post(
        f"{page.url}/playground/files",
        params={"name": name},
        data=body,
        headers={"x-threadline-token": page.token, "content-type": mime},
    ) as answer:
        assert answer.status == 200
        return (await answer.json())["id"]
