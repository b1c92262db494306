"""The simulation with a Discord server instead of a Telegram bot."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from functions.ingest import handler as ingest_handler
from tests.contract.platforms.discord import PUBLIC, SEED
from tests.simulation.network import Stubs
from tests.simulation.world import Simulation, settings_with
from tests.stubs.discord import BOT, GENERAL, ROLE, DiscordStub
from tests.stubs.discord_rules import respond
from threadline import wiring
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ids import AppName, PlatformName
from threadline.core.message import Webhook
from threadline.core.settings import AppSettings, Settings
from threadline.platforms.discord.known import Known, Thread
from threadline.platforms.discord.verify import SIGNATURE, TIME, sign

DISCORD = "http://discord.test"


def discord_settings(binding: Mapping[str, Any] | None = None, **options: str) -> Settings:
    """Give settings with one agent and a Discord app that answers everybody."""
    bound = {"platform": PlatformName("discord"), **(binding or {})}
    app = AppSettings(
        platform=PlatformName("discord"), app=AppName("default"), identity=BOT,
        identity_name="ThreadlineDemo", base_url=DISCORD, transport="gateway", options=options,
    )  # fmt: skip
    return replace(settings_with(bound), apps=(app,))


@dataclass(slots=True)
class DiscordStubs(Stubs):
    """Everything outside, with Discord."""

    discord: DiscordStub = field(default_factory=DiscordStub)

    def respond(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer a request as the addressed stub does."""
        if not request.url.startswith(DISCORD):
            return Stubs.respond(self, request)
        assert request.configured, "only configured addresses exist here"
        assert isinstance(request.body, bytes)
        parts = urlsplit(request.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        answer = respond(self.discord, request.method, path, request.headers, request.body)
        if answer.status == 0:
            return Lost("reset", sent=True)
        body = b"" if answer.body is None else json.dumps(answer.body).encode()
        return HttpResponse(answer.status, answer.headers, body)


@dataclass(slots=True)
class DiscordSimulation(Simulation):
    """One installation with a bot in a server."""

    settings: Settings = field(default_factory=discord_settings)
    discord: DiscordStub = field(init=False)

    def __post_init__(self) -> None:
        self.discord = DiscordStub(clock=self.clock.now)
        Simulation.__post_init__(self)
        secrets = {"bot_token": self.discord.token, "public_key": PUBLIC}
        self.ports.ports.secrets.put("discord/default", secrets)

    def stubs(self) -> DiscordStubs:
        """Give what stands outside."""
        blobs = self.ports.ports.blobs
        return DiscordStubs(self.clock, self.agent, self.telegram, blobs, self.discord)

    def hear(self, text: str, channel: str = GENERAL, **more: Any) -> dict[str, Any]:
        """Let Ada write, and hand it over as the gateway's session does."""
        message = self.discord.say(channel, text, **more)
        self.take("MESSAGE_CREATE", message)
        return message

    def take(self, kind: str, message: Mapping[str, Any]) -> None:
        """Hand an event to ingest."""
        threads = {
            name: Thread(one.guild, one.parent, one.owner == BOT)
            for name, one in self.discord.channels.items()
            if one.parent
        }
        known = Known({one.guild: (ROLE,) for one in threads.values()}, threads)
        body = json.dumps({"t": kind, "d": message, "place": known.place(message)}).encode()
        request = Webhook("POST", "/webhooks/discord", {}, {}, body)
        answer = wiring.ingest().fetched(request, "discord", "default")
        assert answer.status == 200

    def interact(self, interaction: Mapping[str, Any]) -> dict[str, Any]:
        """Send an interaction to the webhook, signed now, and give what it was answered with."""
        body, at = json.dumps(interaction), str(int(self.clock.now()))
        headers = {SIGNATURE: sign(body.encode(), at, SEED), TIME: at}
        event = {
            "version": "2.0", "rawPath": "/webhooks/discord", "headers": headers,
            "requestContext": {"http": {"method": "POST", "path": "/webhooks/discord"}},
            "pathParameters": {"platform": "discord"}, "body": body, "isBase64Encoded": False,
        }  # fmt: skip
        answered = ingest_handler.handler(event, None)
        assert answered["statusCode"] == 200
        told: dict[str, Any] = json.loads(answered["body"])
        if told == {"type": 5}:
            self.discord.deferred(interaction["token"])
        return told

    def asked(self) -> list[str]:
        """Give what each run was asked, in order."""
        return [str(run.human["content"]) for run in self.agent.runs()]
