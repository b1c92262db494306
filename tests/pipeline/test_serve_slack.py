"""A Slack app of `threadline serve`: Socket Mode or a webhook, the demo agent, its thread."""

import json
import time
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import Served, command, serving, until
from tests.stubs.slack import ADA, SlackStub
from tests.stubs.slack_channels import BOT, TEAM
from tests.stubs.slack_socket import SlackSockets
from threadline.core.ids import AppName
from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.slack import PLATFORM

pytestmark = pytest.mark.langgraph

IM, GENERAL = "D0ADA00001", "C0GENERAL1"
SIGNING = "a-signing-secret-of-nobody"
FORM = "application/x-www-form-urlencoded"
EVENTS = Path(__file__).resolve().parents[2] / "events"


def folder(root: Path, slack: SlackStub, apps: str, **entries: dict[str, str]) -> Path:
    """Write the configuration of apps at the stub, and their secrets."""
    slack.add_channel(IM)
    slack.add_channel(GENERAL)
    (root / ".threadline").mkdir(mode=0o700)
    (root / "threadline.yaml").write_text(
        "platforms:\n  slack:\n    allow: everyone\n    apps:\n" + apps
    )
    secrets = root / ".threadline" / "secrets.json"
    secrets.write_text(json.dumps({f"slack/{name}": entry for name, entry in entries.items()}))
    secrets.chmod(0o600)
    return root


def test_a_new_app_answers_over_socket_mode(tmp_path: Path, demo_server: AgentServer) -> None:
    """From two tokens alone: connected, acknowledged, a mention answered once in its thread."""
    with SlackStub() as slack, SlackSockets() as sockets:
        slack.socket_url = sockets.url
        tokens = {"bot_token": slack.token, "app_token": slack.app_token}
        app = f"      default: {{base_url: '{slack.url}'}}\n"
        root = folder(tmp_path, slack, app, default=tokens)
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            served.says("slack/default is connected")
            event = slack.say(GENERAL, f"<@{BOT}> hello from the phone")
            copies = [event, slack.mention_of(event), event]
            sent = [sockets.send("events_api", copy) for copy in copies]
            until(lambda: sockets.acknowledged == sent, "the acknowledgements")
            command_ = {
                "command": "/ask", "text": "status", "channel_id": IM, "team_id": TEAM,
                "user_id": ADA, "user_name": "ada", "trigger_id": "1.2.a",
            }  # fmt: skip
            sockets.send("slash_commands", command_)
            until(lambda: len(answers(slack, IM)) == 1, "the answer to the command")
            done = ["eyes", "white_check_mark"]
            until(lambda: slack.shown(GENERAL)[0].reactions == done, "the reactions")
            served.says("run_ended")
            assert served.interrupt() == 0
        question, answer = slack.shown(GENERAL)
        assert (answer.thread, answer.edits >= 1) == (question.ts, True)
        assert "hello from the phone" in answer.text
        text = "".join(served.said)
        text += "".join(path.read_text() for path in (root / ".threadline" / "log").iterdir())
        assert slack.token not in text
        assert slack.app_token not in text
        assert "from the phone" not in text


def test_two_apps_answer_by_their_own_addresses(tmp_path: Path, demo_server: AgentServer) -> None:
    """Each app has its route, its secret and its token; forms are answered well within 3 s."""
    other = "another-signing-secret"
    with SlackStub() as slack, SlackStub(token="xoxb-another-of-nobody") as second:
        second.add_channel(IM)
        apps = (
            f"      default: {{base_url: '{slack.url}', transport: webhook, identity: {BOT}}}\n"
            f"      second: {{base_url: '{second.url}', transport: webhook, identity: {BOT}}}\n"
        )
        root = folder(
            tmp_path, slack, apps,
            default={"bot_token": slack.token, "signing_secret": SIGNING},
            second={"bot_token": second.token, "signing_secret": other},
        )  # fmt: skip
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            event = json.dumps(slack.say(IM, "to the first")).encode()
            assert deliver(served, "", event, SIGNING).status_code == 200
            event = json.dumps(second.say(IM, "to the second")).encode()
            assert deliver(served, "/second", event, other).status_code == 200
            assert deliver(served, "/second", event, SIGNING).status_code == 401
            assert deliver(served, "/third", event, other).status_code == 404
            form = urlencode(
                {
                    "command": "/ask", "text": "what is up?", "channel_id": GENERAL,
                    "team_id": TEAM, "user_id": ADA, "user_name": "ada", "trigger_id": "7.8.c",
                }
            ).encode()  # fmt: skip
            began = time.monotonic()
            answer = deliver(served, "", form, SIGNING, FORM)
            assert (answer.status_code, answer.json()) == (200, {"response_type": "in_channel"})
            assert time.monotonic() - began < 3.0
            until(lambda: len(answers(slack, IM)) == 1, "the first app's answer")
            until(lambda: len(answers(second, IM)) == 1, "the second app's answer")
            until(lambda: "what is up?" in "".join(answers(slack, GENERAL)), "the command's")
            assert "to the second" in until(lambda: answers(second, IM)[-1], "the text")


SLACK = {"bot_token": "xoxb-of-nobody", "signing_secret": SIGNING}
FEISHU = {
    "app_id": "cli_of_nobody", "app_secret": "of-nobody-too",
    "verification_token": "a-token-of-nobody", "encrypt_key": "a-key-of-nobody",
}  # fmt: skip


@pytest.mark.parametrize(
    ("platform", "name", "entry"),
    [
        ("slack", "message.im", SLACK),
        ("slack", "slash_command.status", SLACK),
        ("feishu", "message.p2p", FEISHU),
    ],
)
def test_a_recording_is_replayed_and_explained(
    tmp_path: Path, demo_server: AgentServer, platform: str, name: str, entry: dict[str, str]
) -> None:
    """Any recording passes the front door as if sent just now, and its journey can be told."""
    with SlackStub() as slack:  # which refuses every post: nobody wrote that message
        (tmp_path / ".threadline").mkdir(mode=0o700)
        (tmp_path / "threadline.yaml").write_text(
            f"platforms:\n  {platform}:\n    allow: everyone\n    apps:\n"
            f"      default: {{base_url: '{slack.url}', transport: webhook, identity: U0BOT0001}}\n"
        )
        secrets = tmp_path / ".threadline" / "secrets.json"
        secrets.write_text(json.dumps({f"{platform}/default": entry}))
        secrets.chmod(0o600)
        with serving(tmp_path, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            assert served.url
            told = command(tmp_path, "replay", str(EVENTS / platform / f"{name}.json"))
            assert "answered 200" in told.stdout, told.stdout + told.stderr
            request = told.stdout.split("(request ")[1].split(")")[0]
            explained = command(tmp_path, "explain", request)
            assert explained.returncode == 0
            wanted = "command" if "command" in name else "run_created"
            assert wanted in explained.stdout
            assert not [secret for secret in entry.values() if secret in told.stdout]


def answers(slack: SlackStub, channel: str) -> list[str]:
    """Give what the app's posts in a channel say once they are no longer a sign of life."""
    posts = [one.text for one in slack.shown(channel) if one.by_bot]
    return [text for text in posts if not text.startswith("⏳") and not text.endswith("…")]


def deliver(
    served: Served, app: str, body: bytes, secret: str, kind: str = "application/json"
) -> httpx.Response:
    """Send a body as Slack does."""
    request = Webhook("POST", "/", {}, {"content-type": kind}, body)
    known = Credentials(PLATFORM.name, AppName("default"), secrets={"signing_secret": secret})
    signed = PLATFORM.stamp(request, known, time.time())
    url = f"{served.url}/webhooks/slack{app}"
    return httpx.post(url, content=body, headers=dict(signed.headers), timeout=10.0)
