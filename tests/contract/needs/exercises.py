"""Every call that a platform's code makes, made at a strict stub that grants only some scopes."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tests.contract.platforms import discord as discord_app
from tests.contract.platforms import github as github_app
from tests.stubs.discord import GENERAL, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.stubs.feishu import FeishuStub
from tests.stubs.github import GitHubStub
from tests.stubs.slack import SlackStub
from tests.unit.feishu import apps as feishu_apps
from tests.unit.slack import apps as slack_apps
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.errors import PostError
from threadline.core.http import BlobRef, Flow, HttpRequest, HttpResponse, Lost, SaveTo
from threadline.core.message import FileRef
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Draft, FileDraft, Receipt, Stage
from threadline.platforms.discord import PLATFORM as DISCORD
from threadline.platforms.discord import needs as discord_needs
from threadline.platforms.feishu import PLATFORM as FEISHU
from threadline.platforms.github import PLATFORM as GITHUB
from threadline.platforms.slack import PLATFORM as SLACK

NONCE: Final = "0123456789abcdef0123456789abcdef"
MADE: Final = FileDraft("made.txt", BlobRef("made", 6, "text/plain"))
NOT_PERMITTED: Final = (
    b"missing_scope",
    b"99991672",
    b"Resource not accessible",
    b"Missing Permissions",
    b"Missing Access",
    b"without permission",
)
"""By what an answer shows that a scope or permission is missing."""


@dataclass(slots=True)
class Calls:
    """Performs flows one after the other and notes which requests were not permitted."""

    http: BlockingHttp
    root: str
    refused: list[str] = field(default_factory=list)

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Send a request, and note its label where it was not permitted."""
        answer = self.http.perform(request)
        if isinstance(answer, HttpResponse) and _not_permitted(answer):
            self.refused.append(request.label)
        return answer

    def __call__[T](self, flow: Flow[T]) -> T | None:
        """Run a flow to its end, whichever that is."""
        policy = Policy(base_urls=(self.root,))
        try:
            return drive(guarded(flow, policy), self.perform, VirtualClock())
        except PostError:
            return None


def _not_permitted(answer: HttpResponse) -> bool:
    return any(word in answer.body for word in NOT_PERMITTED)


@contextmanager
def _calls(folder: Path, root: str) -> Iterator[Calls]:
    blobs = FileBlobs(folder)
    blobs.put("made", b"a file", "text/plain")
    http = BlockingHttp(blobs)
    try:
        yield Calls(http, root)
    finally:
        http.close()


def slack(granted: Collection[str], folder: Path) -> list[str]:
    """Post, edit, react, look up, fetch and upload in a channel and in a direct message."""
    ticks = iter(range(1_790_000_000, 1_900_000_000, 60))
    with (
        SlackStub(scopes=set(granted), clock=lambda: float(next(ticks))) as stub,
        slack_apps.speaking(stub, folder) as app,
        _calls(folder, stub.url) as calls,
    ):
        stub.add_file("F1", b"read me")
        for place in ("C0GENERAL1", "D0ADA00001", "G0GROUP001"):
            stub.add_channel(place)
            thread = stub.say(place, "hello")["event"]["ts"]
            to = slack_apps.to(place, thread, anchor=thread)
            posted = calls(SLACK.post(Draft("one"), to, app.credentials, NONCE))
            calls(SLACK.edit(Draft("two"), posted or Receipt("1.1"), to, app.credentials))
            calls(SLACK.signal(Stage.DONE, to, app.credentials))
            calls(SLACK.find_posted(Draft(""), to, app.credentials, NONCE))
            calls(SLACK.upload(MADE, to, app.credentials))
        file = FileRef("F1", "F1", "text/plain", 7)
        calls(SLACK.fetch(file, app.credentials, SaveTo("got", 99)))
        return calls.refused


def feishu(granted: Collection[str], folder: Path) -> list[str]:
    """Reply, write into the chat, change the card, react, look up, fetch and upload."""
    with (
        FeishuStub(scopes=set(granted)) as stub,
        feishu_apps.speaking(stub, folder) as app,
        _calls(folder, stub.url) as calls,
    ):
        stub.add_chat("oc_ada")
        said = stub.say("oc_ada", "hello")["event"]["message"]["message_id"]
        stub.add_file(said, "file_1", b"read me")
        to, bare = feishu_apps.to("oc_ada", said), feishu_apps.to("oc_ada")
        posted = calls(FEISHU.post(Draft("one"), to, app.credentials, NONCE))
        calls(FEISHU.post(Draft("one"), bare, app.credentials, NONCE[::-1]))
        known = posted or Receipt("om_1", {"element": "e1"})
        calls(FEISHU.edit(Draft("two"), known, to, app.credentials))
        calls(FEISHU.signal(Stage.DONE, to, app.credentials))
        calls(FEISHU.find_posted(Draft(""), to, app.credentials, NONCE))
        calls(FEISHU.upload(MADE, to, app.credentials))
        file = FileRef(f"{said}/file/file_1", "file_1", "text/plain", 7, message=said)
        calls(FEISHU.fetch(file, app.credentials, SaveTo("got", 99)))
        return calls.refused


def github(granted: Collection[str], folder: Path) -> list[str]:
    """Comment, change, react and look up on an issue and in a review thread."""
    with GitHubStub() as stub, _calls(folder, stub.url) as calls:
        spoken = stub.state.add(stub.add("acme/widgets", 42), "ada", "why?")
        diff = stub.add("acme/widgets", 7, pull=True)
        first = stub.state.add(diff, "ada", "why?", review=True)
        token = stub.tokens.plain("acme-coder[bot]", "acme/widgets")
        permissions = dict(one.split(":") for one in granted)
        stub.tokens.grants[token] = replace(stub.tokens.grants[token], permissions=permissions)
        as_app = replace(
            github_app.CREDENTIALS, base_url=stub.url, secrets={"token": token}
        )  # fmt: skip
        in_thread = {
            "number": "7", "target": "review_comment", "target_id": str(first.id),
            "thread": str(first.id),
        }  # fmt: skip
        in_issue = {**github_app.TO.facts, "target_id": str(spoken.id)}
        for facts in (in_issue, in_thread):
            to = replace(github_app.TO, facts=facts)
            posted = calls(GITHUB.post(Draft("one"), to, as_app, NONCE))
            known = posted or Receipt("1", {"kind": "issues", "nonce": NONCE})
            calls(GITHUB.edit(Draft("two"), known, to, as_app))
            calls(GITHUB.signal(Stage.DONE, to, as_app))
            calls(GITHUB.find_posted(Draft(""), to, as_app, NONCE))
        return calls.refused


def discord(granted: Collection[str], folder: Path) -> list[str]:
    """Open a thread, post in channel and thread, reply, look back, mark and upload."""
    stub = DiscordStub()
    stub.application.permissions = sum(discord_needs.PERMISSIONS[name][0] for name in granted)
    with DiscordServer(stub) as server, _calls(folder, server.url) as calls:
        app = replace(discord_app.CREDENTIALS, base_url=server.url)
        asked = stub.say(GENERAL, "hello")
        to = replace(discord_app.TO, anchor=asked["id"])
        threaded = replace(to, facts={"thread": asked["id"], "title": "hello"})
        calls(DISCORD.post(Draft("one"), to, app, NONCE))
        calls(DISCORD.post(Draft("two"), threaded, app, NONCE[::-1]))
        calls(DISCORD.signal(Stage.FAILED, to, app))
        calls(DISCORD.upload(MADE, to, app))
        lost = FileRef(
            "https://cdn.discordapp.com/gone", "gone", "text/plain", 7,
            message=f"{GENERAL}/{asked['id']}/1",
        )  # fmt: skip
        calls(DISCORD.fetch(lost, app, SaveTo("got", 99)))
        return calls.refused


@dataclass(frozen=True, slots=True)
class Exercise:
    """A platform's calls; `given` are scopes that the vendor adds by itself."""

    run: Callable[[Collection[str], Path], list[str]]
    given: frozenset[str] = frozenset()


EXERCISES: Final = MappingProxyType(
    {
        "slack": Exercise(slack),
        "feishu": Exercise(feishu),
        "github": Exercise(github, given=frozenset({"metadata:read"})),
        "discord": Exercise(discord),
    }
)
