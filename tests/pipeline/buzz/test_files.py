"""Files in both directions: a real relay, a strict media server, a strict Gateway, and `serve`."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.buzz.people import now, until
from tests.pipeline.serving import Served, serving
from tests.stubs.buzz_front import one_door
from tests.stubs.buzz_media import BuzzMedia
from tests.stubs.deerflow_http import Gateway
from tests.stubs.deerflow_rules import TOKEN
from tests.stubs.nostr_relay import NostrRelay, nostr_relay, tag
from tests.unit.buzz.bots import PDF
from tests.unit.buzz.relay import ANN, RELAY, US, channel
from threadline.core.bech32 import encode
from threadline.platforms.buzz.event import CHAT, EDIT, Event


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace with people and a bot in it."""

    relay: NostrRelay
    media: BuzzMedia
    gateway: Gateway
    served: Served

    def asks(self, text: str, *files: str, size: int = len(PDF)) -> Event:
        """Let Ann write something in private, with these files, and wait until it was answered."""
        described = [
            ("imeta", f"url {self.media.url}/media/{place}", "m application/pdf",
             f"x {place.partition('.')[0]}", f"size {size}", "filename Q3.pdf")
            for place in files
        ]  # fmt: skip
        links = [f"[Q3.pdf]({self.media.url}/media/{place})" for place in files]
        content = "\n".join([text, *links] if text else links)
        event = ANN.sign(now(), CHAT, (("h", "dm-1"), *described), content)
        self.relay.publish(event)
        return event

    def posts(self, kind: int = CHAT) -> list[dict[str, Any]]:
        """List what the bot posted."""
        return self.relay.stored(kinds=[kind], authors=[US.pubkey])

    def carrying(self) -> list[dict[str, Any]]:
        """List the bot's posts that carry files."""
        return [post for post in self.posts() if [one for one in post["tags"] if one[0] == "imeta"]]

    def prompts(self) -> list[str]:
        """List what the agent was asked."""
        return [json.dumps(one) for one in self.gateway.stub.sent]

    def uploaded(self) -> list[bytes]:
        """List the files of people that lie in the agent's folders."""
        folders = self.gateway.stub.files.folders.values()
        return [body for one in folders for path, body in one.items() if "/uploads/" in path]


@pytest.fixture(params=[False, True], ids=["usual", "strict"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Give a workspace, with and without enforced identities."""
    with _place(tmp_path, strict=request.param) as found:
        yield found


@contextmanager
def _place(root: Path, *, strict: bool) -> Iterator[Place]:
    with ExitStack() as open_until_then:
        relay = open_until_then.enter_context(nostr_relay(RELAY, asks=False))
        media = open_until_then.enter_context(BuzzMedia(members={US.pubkey}, strict=strict))
        gateway = open_until_then.enter_context(Gateway(speed=5.0))
        behind = int(media.url.rpartition(":")[2])
        door = open_until_then.enter_context(one_door(relay.port, behind))
        media.url = f"http://127.0.0.1:{door}"
        relay.publish(channel("dm-1", "dm", at=now()))
        root = _folder(root, f"ws://127.0.0.1:{door}", gateway.url)
        served = open_until_then.enter_context(serving(root))
        served.says("buzz/default is connected")
        yield Place(relay, media, gateway, served)


def _folder(root: Path, relay: str, gateway: str) -> Path:
    """Write what a person has who lets Ann talk to an agent of DeerFlow's."""
    state = root / ".threadline"
    state.mkdir(mode=0o700)
    ann = encode(bytes.fromhex(ANN.pubkey), "npub")
    (root / "threadline.yaml").write_text(
        "platforms:\n"
        "  buzz:\n"
        f"    allow: {{senders: [{ann}]}}\n"
        f"    apps: {{default: {{base_url: '{relay}'}}}}\n"
        "agents:\n"
        f"  deer: {{url: '{gateway}', dialect: deerflow, assistant_id: lead_agent}}\n"
    )
    secrets = state / "secrets.json"
    key = {"private_key": f"{3:064x}"}
    secrets.write_text(json.dumps({"buzz/default": key, "agent/deer": {"internal_token": TOKEN}}))
    secrets.chmod(0o600)
    return root


def test_files_go_both_ways(place: Place) -> None:
    """What Ann attached lies in the agent's folder, and what it made stands below its answer."""
    question = place.asks("present a.csv,b.csv", place.media.keep(PDF))
    until(lambda: len(place.carrying()) == 2, place.served.said)
    assert place.uploaded() == [PDF]
    posts = place.carrying()
    assert [post["content"].partition("]")[0] for post in posts] == ["[a.csv", "[b.csv"]
    for post in posts:
        assert place.media.faults(post["tags"]) == ""
        assert tag(post, "e") == question.id
        assert tag(post, "p") == ""
    made = [f"content of /mnt/user-data/outputs/{name}".encode() for name in ("a.csv", "b.csv")]
    kept = [one.body for one in place.media.kept.values()]
    assert kept == [PDF, *made]
    words = [post for post in place.posts() if post not in posts]
    assert len(words) == 1
    assert place.served.interrupt() == 0
    assert f"{3:064x}" not in "".join(place.served.said)


def test_a_file_without_words_is_answered(place: Place) -> None:
    """It reaches the agent, and what is no such file any more is said to it by its name."""
    place.asks("", place.media.keep(PDF))
    until(lambda: place.posts(EDIT), place.served.said)
    assert place.uploaded() == [PDF]
    place.asks("and this?", f"{'ab' * 32}.pdf")
    until(lambda: [one for one in place.prompts() if "404" in one], place.served.said)
    assert place.uploaded() == [PDF]
