"""The simulation with a Slack workspace instead of a Telegram bot."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

from functions.ingest import handler as ingest_handler
from tests.simulation.network import Stubs
from tests.simulation.world import Killed, Simulation, settings_with
from tests.stubs.slack import ADA, SlackStub
from tests.stubs.slack_channels import APP, BOT, TEAM, Shown
from threadline.backends.http_exchange import outgoing
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ids import AppName, PlatformName
from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings, Settings
from threadline.platforms.slack import PLATFORM

SLACK = "http://slack.test"
SIGNING_SECRET = "a-signing-secret"
GENERAL, ADA_IM = "C0GENERAL1", "D0ADA00001"
FORM = "application/x-www-form-urlencoded"


def slack_settings(binding: Mapping[str, Any] | None = None, **agent: Any) -> Settings:
    """Give settings with one agent and a Slack app that answers everybody."""
    at_slack = {"platform": PlatformName("slack"), **(binding or {})}
    app = AppSettings(
        platform=PlatformName("slack"), app=AppName("default"), identity_name="threadline",
        base_url=SLACK,
    )  # fmt: skip
    return replace(settings_with(at_slack, **agent), apps=(app,))


@dataclass(slots=True)
class SlackStubs(Stubs):
    """Everything outside, with Slack."""

    slack: SlackStub = field(default_factory=SlackStub)

    def respond(self, request: HttpRequest) -> HttpResponse | Lost:
        """Answer a request as the addressed stub does."""
        if not request.url.startswith(SLACK):
            return Stubs.respond(self, request)
        assert request.configured, "only configured addresses exist here"
        path, sent = urlsplit(request.url).path, b"".join(outgoing(request, self.blobs))
        answer = self.slack.respond(request.method, path, request.headers, sent)
        if answer.status == 0:
            return Lost("reset", sent=True)
        body = answer.content
        if request.save_to is None:
            return HttpResponse(answer.status, answer.headers, body)
        return HttpResponse(200, answer.headers, saved=self.blobs.put(request.save_to.name, body))


@dataclass(slots=True)
class SlackSimulation(Simulation):
    """One installation with an app in a workspace."""

    settings: Settings = field(default_factory=slack_settings)
    slack: SlackStub = field(init=False)

    def __post_init__(self) -> None:
        self.slack = SlackStub(clock=self.clock.now)
        for channel in (GENERAL, ADA_IM):
            self.slack.add_channel(channel)
        Simulation.__post_init__(self)
        self.ports.ports.secrets.put(
            "slack/default", {"bot_token": self.slack.token, "signing_secret": SIGNING_SECRET}
        )

    def stubs(self) -> SlackStubs:
        """Give what stands outside."""
        blobs = self.ports.ports.blobs
        return SlackStubs(self.clock, self.agent, self.telegram, blobs, self.slack)

    def deliver(
        self, body: Mapping[str, Any], *, form: bool = False, retry: int = 0
    ) -> dict[str, Any]:
        """Send an event, or the fields of a form, signed now; give the answer."""
        raw = (urlencode(body) if form else json.dumps(body)).encode()
        headers = {"content-type": FORM if form else "application/json"}
        if retry:
            headers |= {"x-slack-retry-num": str(retry), "x-slack-retry-reason": "http_timeout"}
        request = Webhook("POST", "/webhooks/slack", {}, headers, raw)
        secrets = {"signing_secret": SIGNING_SECRET}
        known = Credentials(PLATFORM.name, AppName("default"), secrets=secrets)
        signed = PLATFORM.stamp(request, known, self.clock.now())
        try:
            return ingest_handler.handler(_event_of(signed), None)
        except Killed:
            self._loop.run_until_complete(self._die())
            return {"statusCode": 0}

    def press(self, post: Shown, value: str, *, channel: str = GENERAL, user: str = ADA) -> None:
        """Let somebody press the button of a value under a post, and deliver it."""
        assert value in post.buttons
        about = {"type": "message", "user": BOT, "ts": post.ts, "text": post.text}
        fields = {
            "type": "block_actions", "api_app_id": APP, "team": {"id": TEAM},
            "user": {"id": user, "username": user.lower(), "team_id": TEAM},
            "channel": {"id": channel}, "trigger_id": "1.2.x",
            "container": {"type": "message", "message_ts": post.ts, "channel_id": channel},
            "message": {**about, "thread_ts": post.thread} if post.thread else about,
            "actions": [{
                "type": "button", "action_id": "answer-0", "block_id": f"threadline-{TEAM}",
                "value": value, "action_ts": self.slack.channels.take_ts(),
            }],
        }  # fmt: skip
        answer = self.deliver({"payload": json.dumps(fields)}, form=True)
        assert (answer["statusCode"], answer["body"]) == (200, "")

    def hear(self, text: str, *, channel: str = ADA_IM, **more: Any) -> dict[str, Any]:
        """Let a person write, and deliver it."""
        event = self.slack.say(channel, text, **more)
        assert self.deliver(event)["statusCode"] == 200
        return event

    def said(self, channel: str = ADA_IM) -> list[str]:
        """Give what the app's posts in a channel say, oldest first."""
        return [one.text for one in self.slack.shown(channel) if one.by_bot]

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
        "headers": dict(request.headers),
        "requestContext": {"http": {"method": "POST", "path": request.path}},
        "pathParameters": {"platform": "slack"},
        "body": request.body.decode(),
        "isBase64Encoded": False,
    }
