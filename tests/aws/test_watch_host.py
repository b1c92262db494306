from functools import partial
from pathlib import Path

import pytest

from tests.aws import task
from tests.aws.container import State
from tests.aws.dockerfile import Dockerfile
from tests.aws.emulated import Emulated
from tests.aws.mapping import deployed
from tests.aws.test_pipeline import CHANNEL, configured, delivery, has_ended, output, posts
from tests.contract.platforms.slack import CREDENTIALS
from tests.pipeline.agent_server import agent_server
from tests.pipeline.serving import until
from tests.stubs.slack import ADA, SlackStub
from tests.stubs.slack_channels import BOT

pytestmark = [pytest.mark.sam, pytest.mark.aws, pytest.mark.langgraph]

SAID = "follow this one in the task"


def test_the_task_follows_runs_in_place_of_the_function(
    built: Path, dockerfile: Dockerfile, image: State, emulated: Emulated, tmp_path: Path
) -> None:
    """With WatchHost=task the container answers, with what its role may; watch is never called."""
    with agent_server(tmp_path / "agent") as agent, SlackStub() as slack:
        slack.add_channel(CHANNEL)
        configured(emulated, slack, agent)
        mention = slack.mention_of(slack.say(CHANNEL, f"<@{BOT}> {SAID}"))
        with (
            deployed(built, emulated, tmp_path, TaskFollows="yes") as functions,
            task.running(dockerfile, "", image, task.told(emulated, "task")) as container,
        ):
            assert "WatchFunction" not in functions
            ingest = functions["IngestFunction"]
            assert ingest.invoke(delivery(mention))["statusCode"] == 200, ingest.output()
            until(partial(has_ended, functions, 1), lambda: output(functions) + container.log)
            code, seconds = container.stop()
            assert (code, seconds < task.DRAINED_WITHIN) == (0, True), container.log
        assert posts(slack, mention["event"]["ts"]) == [f"You said: {ADA}: {SAID}"]
        assert '"step": "first_text"' in container.log
        assert "followers:" not in container.log
        for planted in (SAID, slack.token, CREDENTIALS.secret("signing_secret")):
            assert planted not in container.log + output(functions)
