"""The simulation with a Feishu organisation instead of a Telegram bot."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from functions.ingest import handler as ingest_handler
from tests.simulation.network import Stubs
from tests.simulation.world import Killed, Simulation, settings_with
from tests.stubs.feishu import FeishuStub
from tests.stubs.feishu_chats import BOT, BOT_NAME
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Joined, Lost
from threadline.core.ids import AppName, PlatformName
from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings, Settings
from threadline.platforms.feishu import PLATFORM

FEISHU = "http://feishu.test"
SECRETS = {"verification_token": "a-verification-token", "encrypt_key": "an-encrypt-key"}
ADA_CHAT, GROUP, TOPICS = "oc_ada", "oc_group", "oc_topics"


def feishu_settings(binding: Mapping[str, Any] | None = None, **agent: Any) -> Settings:
    """Give settings with one agent and a Feishu app that answers everybody."""
    at_feishu = {"platform": PlatformName("feishu"), **(binding or {})}
    app = AppSettings(
        platform=PlatformName("feishu"), app=AppName("default"), identity=BOT,
        identity_name=BOT_NAME, base_url=FEISHU,
    )  # fmt: skip
    return replace(settings_with(at_feishu, **agent), apps=(app,))


@dataclass(slots=True)
class FeishuStubs(Stubs):
    """Everything outside, with Feishu."""

    feishu: FeishuStub = field(default_factory=FeishuStub)

    def respond(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer a request as the addressed stub does."""
        if not request.url.startswith(FEISHU):
            return Stubs.respond(self, request)
        assert request.configured, "only configured addresses exist here"
        parts = urlsplit(request.url)
        target = f"{parts.path}?{parts.query}"
        body = self._whole(request.body)
        answer = self.feishu.respond(request.method, target, request.headers, body)
        if answer.status == 0:
            return Lost("reset", sent=True)
        told = answer.content
        if request.save_to is None or answer.status != 200:
            return HttpResponse(answer.status, answer.headers, told)
        if len(told) > request.save_to.limit:
            return Lost("too_large", sent=True)
        return HttpResponse(200, answer.headers, saved=self.blobs.put(request.save_to.name, told))

    def _whole(self, body: bytes | BlobRef | Joined) -> bytes:
        parts = body.parts if isinstance(body, Joined) else (body,)
        return b"".join(
            part if isinstance(part, bytes) else self.blobs.get(part.name) or b"" for part in parts
        )


@dataclass(slots=True)
class FeishuSimulation(Simulation):
    """One installation with an app in an organisation."""

    settings: Settings = field(default_factory=feishu_settings)
    feishu: FeishuStub = field(init=False)

    def __post_init__(self) -> None:
        self.feishu = FeishuStub(clock=self.clock.now)
        for chat, kind in ((ADA_CHAT, "p2p"), (GROUP, "group"), (TOPICS, "topic")):
            self.feishu.add_chat(chat, kind)
        Simulation.__post_init__(self)
        self.ports.ports.secrets.put("feishu/default", {**self.feishu.secrets, **SECRETS})

    def stubs(self) -> FeishuStubs:
        """Give what stands outside."""
        blobs = self.ports.ports.blobs
        return FeishuStubs(self.clock, self.agent, self.telegram, blobs, self.feishu)

    def deliver(self, event: Mapping[str, Any], *, signed_at: float = 0.0) -> dict[str, Any]:
        """Send an event, sealed and signed now or then; give the answer, status 0 on our death."""
        plain = Webhook("POST", "/webhooks/feishu", {}, {}, json.dumps(event).encode())
        known = Credentials(PLATFORM.name, AppName("default"), secrets=SECRETS)
        signed = PLATFORM.stamp(plain, known, signed_at or self.clock.now())
        try:
            return ingest_handler.handler(_event_of(signed), None)
        except Killed:
            self._loop.run_until_complete(self._die())
            return {"statusCode": 0}

    def hear(self, text: str, chat: str = ADA_CHAT, **more: Any) -> dict[str, Any]:
        """Let a person write, and deliver it; in a group the bot is mentioned."""
        event = self.feishu.say(chat, text, mention=chat != ADA_CHAT, **more)
        assert self.deliver(event)["statusCode"] == 200
        return event

    def said(self, chat: str = ADA_CHAT) -> list[str]:
        """Give what the app's cards in a chat say, oldest first."""
        return [one.text for one in self.feishu.shown(chat) if one.by_bot]

    def asked(self) -> list[str]:
        """Give what each run was asked, in order."""
        return [str(run.human["content"]) for run in self.agent.runs()]

    def steps(self) -> list[str]:
        """Give the steps that were logged."""
        return [str(line["step"]) for line in self.lines if "step" in line]


def _event_of(request: Webhook) -> dict[str, Any]:
    return {
        "version": "2.0",
        "rawPath": request.path,
        "headers": {"content-type": "application/json", **request.headers},
        "requestContext": {"http": {"method": "POST", "path": request.path}},
        "pathParameters": {"platform": "feishu"},
        "body": request.body.decode(),
        "isBase64Encoded": False,
    }
