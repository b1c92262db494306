import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import boto3
import httpx
import pytest

from tests import planted
from tests.aws import ministack
from tests.aws.deployment import STACK, Emulator, deploy, route, written
from tests.pipeline.agent_server import agent_server
from tests.pipeline.serving import CHAT, PATIENCE, PROGRAM, WEBHOOK_SECRET, environ_of, until
from tests.pipeline.setting import setting
from tests.stubs.telegram import TelegramStub
from threadline.backends.aws import stack

pytestmark = [pytest.mark.sam, pytest.mark.aws]

SAID = "hello to the deployed stack"


@dataclass(frozen=True)
class Deployed:
    """The deployed stack, and what `sam deploy` said."""

    emulator: Emulator
    said: str


@pytest.fixture(scope="module")
def deployed(built: Path) -> Iterator[Deployed]:
    """Give the deployed stack; for this module the process works in its account."""
    emulator = Emulator(ministack.for_stacks().endpoint)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in emulator.environ.items():
            patch.setenv(name, value)
        yield Deployed(emulator, deploy(emulator, built))


def test_the_stack_deploys(deployed: Deployed) -> None:
    """`sam deploy` ends in CREATE_COMPLETE, and prints the address of every webhook."""
    (found,) = deployed.emulator.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
    assert found["StackStatus"] == "CREATE_COMPLETE"
    for platform in ("telegram", "github", "slack", "feishu", "discord"):
        assert f"/webhooks/{platform}" in deployed.said


def test_a_second_deploy_changes_nothing(deployed: Deployed, built: Path) -> None:
    """Deployed again as it is, nothing is changed and nothing fails."""
    assert "is up to date" in deploy(deployed.emulator, built)


@pytest.mark.langgraph
def test_a_delivery_goes_through_the_deployed_functions(deployed: Deployed, tmp_path: Path) -> None:
    """A signed delivery at the API becomes an answer in the chat."""
    outputs = stack.outputs(boto3.Session(), STACK)
    host, address = route(deployed.emulator, outputs["PublicUrl"])
    with agent_server(tmp_path / "agent") as agent, TelegramStub(edit_interval=0) as telegram:
        telegram.add_chat(CHAT, "private")
        planted.heard("the stack's logs", partial(written, deployed.emulator))
        planted.hidden(lambda: (telegram.token, WEBHOOK_SECRET))
        (tmp_path / "threadline.yaml").write_text(
            "platforms: {telegram: {allow: everyone, apps: {default: "
            f"{{base_url: '{telegram.url}', transport: webhook}}}}}}}}\n"
        )
        environ = {**deployed.emulator.environ, "THREADLINE_AGENT_URL": agent.url}
        given = f"bot_token={telegram.token}\nwebhook_secret={WEBHOOK_SECRET}\n"
        told = threadline(tmp_path, environ, "secrets", "set", "telegram", stdin=given)
        assert "as threadline/dev/telegram/default" in told
        assert "pushed to threadline-dev" in threadline(tmp_path, environ, "config", "push")
        assert "is what is in force" in threadline(tmp_path, environ, "config", "push")
        threadline(tmp_path, environ, "webhook", "set", "telegram")
        doctor_finds_all_well(threadline(tmp_path, environ, "doctor"), outputs)
        words = ("telegram", "--stack", STACK, "--wait", f"{PATIENCE:g}")
        with setting(tmp_path, *words, environ=environ) as setup:
            setup.says("Waiting for the first delivery")
            assert f"sent to {outputs['TelegramWebhookUrl']}:" in " ".join(setup.text.split())
            assert f"threadline webhook set telegram --stack {STACK}\n" in setup.text
            answer = httpx.post(
                f"{address}/webhooks/telegram",
                json=telegram.say(CHAT, SAID),
                headers={"host": host, "x-telegram-bot-api-secret-token": WEBHOOK_SECRET},
                timeout=60.0,
            )
            assert (answer.status_code, answer.text) == (200, "{}")
            until(
                lambda: posts(telegram) == [f"You said: {SAID}"],
                partial(written, deployed.emulator),
            )
            assert setup.ends() == 0
        assert "It works: a delivery arrived and was taken" in setup.text
        assert setup.text.rstrip().endswith("telegram works.")


def test_the_task_comes_and_goes(deployed: Deployed, built: Path) -> None:
    """With an image one task runs and may follow runs for watch; without one all is as it was."""
    image = (
        f"{ministack.ACCOUNT}.dkr.ecr.{ministack.REGION}.amazonaws.com/threadline@sha256:{0:064}"
    )
    place = {"LongRunningVpc": "vpc-1", "LongRunningSubnets": "subnet-1"}
    emulator = deployed.emulator
    deploy(emulator, built, LongRunningImage=image, WatchHost="task", **place)
    assert (tasks(emulator), hints(emulator)) == ([(1, 0, 100, image)], "Disabled")
    deploy(emulator, built, LongRunningImage="", WatchHost="function", **place)
    assert (tasks(emulator), hints(emulator)) == ([], "Enabled")


def tasks(emulator: Emulator) -> list[tuple[int, int, int, str]]:
    """Tell how many tasks are wanted, at least and at most in percent while one is replaced."""
    ecs, found = emulator.client("ecs"), []
    for cluster in ecs.list_clusters()["clusterArns"]:
        names = ecs.list_services(cluster=cluster)["serviceArns"]
        for one in ecs.describe_services(cluster=cluster, services=names)["services"]:
            rollout = one["deploymentConfiguration"]
            task = ecs.describe_task_definition(taskDefinition=one["taskDefinition"])
            (container,) = task["taskDefinition"]["containerDefinitions"]
            least, most = rollout["minimumHealthyPercent"], rollout["maximumPercent"]
            found.append((one["desiredCount"], least, most, container["image"]))
    return found


def hints(emulator: Emulator) -> str:
    """Tell whether watch gets the hints of the queue of runs."""
    (state,) = (
        one["State"]
        for one in emulator.client("lambda").list_event_source_mappings()["EventSourceMappings"]
        if one["EventSourceArn"].endswith(f"{STACK}-runs")
    )
    return str(state)


def doctor_finds_all_well(seen: str, outputs: Mapping[str, str]) -> None:
    """Check that account, stack, address, webhook and agent were looked at."""
    for line in (
        f"account: {ministack.ACCOUNT} in {ministack.REGION}",
        f"stack: {STACK} is CREATE_COMPLETE",
        f"address: {outputs['PublicUrl']}",
        f"telegram/default webhook: is {outputs['TelegramWebhookUrl']}",
        "agent default: offers",
    ):
        assert f"ok  {line}" in seen


def threadline(root: Path, environ: Mapping[str, str], *words: str, stdin: str = "") -> str:
    """Run a command on the stack and return what it printed."""
    done = subprocess.run(
        [*PROGRAM, *words, "--stack", STACK], cwd=root, env=environ_of(environ), input=stdin,
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def posts(telegram: TelegramStub) -> list[str]:
    """List the bot's posts in the chat."""
    return [one.text for one in telegram.shown(CHAT) if one.by_bot]
