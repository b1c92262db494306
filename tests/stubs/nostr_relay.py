"""A real relay of nostr-sdk in this process, that can be gone for a while, and what it holds."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from nostr_sdk import (
    LocalRelay,
    LocalRelayBuilder,
    LocalRelayBuilderNip42,
    LocalRelayBuilderNip42Mode,
    NostrSdkError,
    RateLimit,
)
from websockets.sync.client import ClientConnection, connect

from threadline.platforms.buzz import frames
from threadline.platforms.buzz.event import Event, Signer
from threadline.platforms.buzz.verify import verified


@dataclass(slots=True)
class NostrRelay:
    """The relay at `url`; what is published while it is gone stands there when it is back.

    `asks` everybody who they are: a proof names its own address, and is none behind another door.
    """

    port: int
    clerk: Signer
    loop: asyncio.AbstractEventLoop
    asks: bool = True
    relay: LocalRelay | None = None
    history: list[Event] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"ws://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Come back, with everything that was ever published."""
        self.relay = run(self.loop, started(self.port, asks=self.asks))
        self._store(self.history)

    def shut(self) -> None:
        """Be gone: every connection is cut, new ones are refused."""
        assert self.relay is not None
        known = {event.id for event in self.history}
        stored = [verified(one) for one in self.stored(kinds=[9, 40003])]
        self.history += [one for one in stored if one is not None and one.id not in known]
        self.relay.shutdown()
        self.relay = None

    def publish(self, *events: Event) -> None:
        """Let events stand on the relay, whoever signed them."""
        if self.relay is not None:
            self._store(events)
        self.history += events

    def _store(self, events: Iterable[Event]) -> None:
        with self._asking() as line:
            for event in events:
                line.send(frames.publish(event))
                answer = _until(line, "OK")
                assert answer[2] is True, answer

    def stored(self, **wanted: Any) -> list[dict[str, Any]]:
        """Give the stored events that fit a filter, the oldest first."""
        with self._asking() as line:
            line.send(json.dumps(["REQ", "look", wanted]))
            found = []
            while (words := json.loads(line.recv(10)))[0] != "EOSE":
                assert words[0] != "CLOSED", words
                if words[0] == "EVENT":
                    found.append(words[2])
        return sorted(found, key=lambda event: event["created_at"])

    @contextmanager
    def _asking(self) -> Iterator[ClientConnection]:
        """Connect and prove to be somebody: the relay lets nobody else read or write."""
        with connect(self.url, proxy=None) as line:
            if not self.asks:
                yield line
                return
            line.send(json.dumps(["REQ", "knock", {"kinds": [1], "limit": 1}]))
            challenge = _until(line, "AUTH")[1]
            proof = frames.proof(self.clerk, self.url, challenge, time.time())
            line.send(frames.authenticate(proof))
            assert _until(line, "OK")[2] is True
            yield line


@contextmanager
def nostr_relay(clerk: Signer, *, asks: bool = True) -> Iterator[NostrRelay]:
    """Run a relay that wants NIP-42 of everybody; `clerk` reads and writes for the test."""
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever, daemon=True)
    running.start()
    shown = NostrRelay(free_port(), clerk, loop, asks)
    shown.open()
    try:
        yield shown
    finally:
        if shown.relay is not None:
            shown.relay.shutdown()
        loop.call_soon_threadsafe(loop.stop)
        running.join(10)
        loop.close()


async def started(port: int, *, asks: bool = True) -> LocalRelay:
    """Start a relay, as soon as the port is free again."""
    nip42 = LocalRelayBuilderNip42(mode=LocalRelayBuilderNip42Mode.BOTH)
    rate = RateLimit(max_reqs=1_000, notes_per_minute=100_000)
    while True:
        builder = LocalRelayBuilder().addr("127.0.0.1").port(port)
        builder = builder.nip42(nip42) if asks else builder
        relay = builder.rate_limit(rate).build()
        try:
            await relay.run()
        except NostrSdkError:
            await asyncio.sleep(0.1)
        else:
            return relay


def run[T](loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Do something in the relay's loop."""
    return asyncio.run_coroutine_threadsafe(work, loop).result(20)


def free_port() -> int:
    """Find a port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def tag(event: Mapping[str, Any], name: str) -> str:
    """Give the first value of a tag of a stored event."""
    return next((str(one[1]) for one in event["tags"] if one[0] == name), "")


def _until(line: ClientConnection, word: str) -> list[Any]:
    while True:
        words: list[Any] = json.loads(line.recv(10))
        if words[0] == word:
            return words
