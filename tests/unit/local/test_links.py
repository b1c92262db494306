from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession, web

from threadline.backends.clock import VirtualClock
from threadline.backends.files import FileBlobs, FileSecrets
from threadline.local.links import Links, links_key


async def status(links: Links, blobs: FileBlobs, path: str) -> int:
    """Ask for a path at a server with the links' route."""
    app = web.Application()
    app.router.add_routes(links.routes(blobs))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as answer:
        found = answer.status
    await runner.cleanup()
    return found


@pytest.mark.parametrize(
    ("change", "wait", "expected"),
    [
        (lambda path: path, 0, 200),
        (lambda path: path, 61, 404),
        (lambda path: path.replace("/00", "/01"), 0, 404),
        (lambda path: path[:-2] + "xx", 0, 404),
    ],
    ids=["good", "too late", "another file", "another name"],
)
def test_an_address_opens_its_file_for_a_while(
    tmp_path: Path, change: object, wait: float, expected: int
) -> None:
    """A signed address reads exactly its own file until it ends; any other is not found."""
    import asyncio

    clock = VirtualClock()
    links = Links(clock, b"k" * 32, "http://127.0.0.1:1")
    blobs = FileBlobs(tmp_path, links.make)
    blobs.put("files/turn/00", b"one")
    blobs.put("files/turn/01", b"two")
    address = urlsplit(blobs.link("files/turn/00", 60)).path
    clock.advance(wait)
    assert callable(change)
    assert asyncio.run(status(links, blobs, change(address))) == expected


def test_only_files_of_people_have_addresses() -> None:
    """Kept mail and waiting messages are never readable over HTTP."""
    links = Links(VirtualClock(), b"k" * 32, "http://127.0.0.1:1")
    assert links.make("unaccepted/1", 60) == ""
    assert links.make("files/turn/00", 60) != ""


def test_the_key_is_made_once(tmp_path: Path) -> None:
    """Addresses stay good over a restart."""
    kept = FileSecrets(tmp_path / "secrets.json", VirtualClock())
    assert links_key(kept) == links_key(FileSecrets(tmp_path / "secrets.json", VirtualClock()))
