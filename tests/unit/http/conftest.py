"""Both drivers, so that every promise is checked on each."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from threadline.backends.files import FileBlobs
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import HttpRequest, HttpResponse, Lost

type Perform = Callable[..., list[HttpResponse | Lost]]

MOST_BYTES = 1000


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    """A blob store of the test's own."""
    return FileBlobs(tmp_path)


@pytest.fixture(params=["blocking", "asyncio"])
def perform(request: pytest.FixtureRequest, blobs: FileBlobs) -> Iterator[Perform]:
    """Perform requests one after the other by one driver, over the same connections."""
    if request.param == "blocking":
        http = BlockingHttp(blobs, most_bytes=MOST_BYTES)
        yield lambda *requests: [http.perform(one) for one in requests]
        http.close()
        return

    async def in_turn(*requests: HttpRequest) -> list[HttpResponse | Lost]:
        http = AsyncioHttp(blobs, most_bytes=MOST_BYTES)
        answers = [await http.perform(one) for one in requests]
        await http.close()
        return answers

    yield lambda *requests: asyncio.run(in_turn(*requests))
