"""Let slack_bolt's adapter for Lambda take a delivery, with a listener that does nothing."""

from types import SimpleNamespace
from typing import Any

from slack_bolt import App
from slack_bolt.adapter.aws_lambda import SlackRequestHandler
from slack_bolt.authorization import AuthorizeResult

from tests.bench.loops import case, tell

CASE = case()
CONTEXT = SimpleNamespace(function_name="ingest", invoked_function_arn="arn:ingest")
HEARD: list[str] = []


def authorize() -> AuthorizeResult:
    """Know the installation without asking Slack."""
    return AuthorizeResult(
        enterprise_id=None, team_id="T0ACME001", bot_token="xoxb-of-nobody", bot_id="B0BOT0001",
        bot_user_id="U0BOT0001",
    )  # fmt: skip


def hear(event: dict[str, str]) -> None:
    """Note that it came."""
    HEARD.append(event["ts"])


app = App(
    signing_secret=CASE["secrets"]["signing_secret"], process_before_response=True,
    authorize=authorize,
)  # fmt: skip
app.event("message")(hear)
HANDLER = SlackRequestHandler(app)


def take() -> dict[str, Any]:
    """Take the delivery once."""
    answer: dict[str, Any] = HANDLER.handle(CASE["event"], CONTEXT)
    return answer


if __name__ == "__main__":
    assert take()["statusCode"] == 200
    assert HEARD
    tell(take)
