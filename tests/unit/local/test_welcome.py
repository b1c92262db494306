"""The page at `/` of `threadline serve`."""

import asyncio
from dataclasses import replace

import aiohttp
import pytest

from tests.unit.playground import page
from threadline.backends.clock import SystemClock
from threadline.local import welcome
from threadline.local.front_door import FrontDoor, listen


@pytest.mark.parametrize("playground", [True, False])
def test_whoever_opens_the_address_reads_what_it_is(*, playground: bool) -> None:
    """What this is, where the playground is if it is on, and how health is seen; plain text."""
    settings = page.settings()
    if not playground:
        settings = replace(settings, apps=())

    async def run() -> tuple[int, str, str, int]:
        door = FrontDoor([], SystemClock(), lambda: "q1", welcome.routes(lambda: settings))
        listener = listen(28_700)
        await door.open(listener)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with aiohttp.ClientSession() as session:
            answer, other = await session.get(url), await session.post(url)
            read = answer.status, answer.content_type, await answer.text(), other.status
        await door.close()
        return read

    status, kind, text, posted = asyncio.run(run())
    assert (status, kind, posted) == (200, "text/plain", 404)
    assert text.startswith("This is Threadline.")
    assert "threadline doctor" in text
    assert ("/playground" in text) is playground
    assert not any(char.isdigit() for char in text)
