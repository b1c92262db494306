from functools import partial
from pathlib import Path

import pytest

from tests.aws.emulated import Emulated
from tests.aws.functions import QUEUES
from tests.aws.mapping import deployed
from tests.aws.test_pipeline import CHANNEL, configured, delivery, has_ended, output, posts
from tests.pipeline.agent_server import agent_server
from tests.pipeline.serving import until
from tests.stubs.slack import ADA, SlackStub
from tests.stubs.slack_channels import BOT

pytestmark = [pytest.mark.sam, pytest.mark.aws, pytest.mark.langgraph]

LONG = f"{'word ' * 1500}the end"
"""What the demo agent repeats word by word, for about half a minute."""


def test_an_invocation_takes_runs_that_begin_meanwhile(
    built: Path, emulated: Emulated, tmp_path: Path
) -> None:
    """One invocation at a time is allowed, and follows a long run: it answers a short one as well.

    With what the function's role may, at real queues; then no hint is left.
    """
    with agent_server(tmp_path / "agent") as agent, SlackStub() as slack:
        slack.add_channel(CHANNEL)
        configured(emulated, slack, agent)
        long, short = (
            slack.mention_of(slack.say(CHANNEL, f"<@{BOT}> {text}")) for text in (LONG, "short")
        )
        with deployed(built, emulated, tmp_path) as functions:
            ingest = functions["IngestFunction"]
            root, below = long["event"]["ts"], short["event"]["ts"]
            assert ingest.invoke(delivery(long))["statusCode"] == 200, ingest.output()
            until(lambda: "word word" in "".join(posts(slack, root)), partial(output, functions))
            assert ingest.invoke(delivery(short))["statusCode"] == 200, ingest.output()
            until(
                lambda: posts(slack, below) == [f"You said: {ADA}: short"],
                partial(output, functions),
            )
            assert "the end" not in "".join(posts(slack, root))
            until(partial(has_ended, functions, 2), partial(output, functions))
            assert "the end" in "".join(posts(slack, root))
        assert emulated.queue(QUEUES["Runs"]).receive(10, visibility=1, wait=1) == ()
