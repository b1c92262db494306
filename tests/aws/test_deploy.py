import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.aws import ministack
from tests.aws.blocks import blocks, carried_out
from tests.aws.conftest import Deployed
from tests.aws.deployment import STACK, Emulator, deploy, sweep, written
from tests.aws.installation import Installation
from tests.aws.test_pipeline import runs
from tests.pipeline.serving import CHAT, PATIENCE, WEBHOOK_SECRET
from tests.pipeline.setting import setting

pytestmark = [pytest.mark.sam, pytest.mark.aws]

SAID = "hello to the deployed stack"
AGAIN = "and once more, after the drill"


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
def test_a_delivery_goes_through_the_deployed_functions(installation: Installation) -> None:
    """A signed delivery at the API becomes an answer in the chat."""
    installation.watched()
    outputs, telegram = installation.outputs, installation.telegram
    given = f"bot_token={telegram.token}\nwebhook_secret={WEBHOOK_SECRET}\n"
    told = installation.threadline("secrets", "set", "telegram", stdin=given)
    assert "as threadline/dev/telegram/default" in told
    assert "pushed to threadline-dev" in installation.threadline("config", "push")
    assert "is what is in force" in installation.threadline("config", "push")
    installation.threadline("webhook", "set", "telegram")
    doctor_finds_all_well(installation.threadline("doctor"), outputs)
    words = ("telegram", "--stack", STACK, "--wait", f"{PATIENCE:g}")
    with setting(installation.folder, *words, environ=installation.environ) as setup:
        setup.says("Waiting for the first delivery")
        assert f"sent to {outputs['TelegramWebhookUrl']}:" in " ".join(setup.text.split())
        assert f"threadline webhook set telegram --stack {STACK}\n" in setup.text
        installation.write(SAID)
        installation.until_posted(f"You said: {SAID}")
        assert setup.ends() == 0
    assert "It works: a delivery arrived and was taken" in setup.text
    assert setup.text.rstrip().endswith("telegram works.")


@pytest.mark.langgraph
def test_the_restore_drill_works_as_it_is_written(installation: Installation) -> None:
    """A conversation that was lost comes back by the page's commands, and goes on where it was."""
    installation.watched()
    environ, folder = installation.environ, installation.folder
    copy, back = blocks("operate.md", "Restoring")
    carried_out(folder, environ, copy)
    table = installation.outputs["ConversationsTable"]
    dynamodb = installation.emulator.client("dynamodb")
    (key,) = [
        {"pk": row["pk"], "sk": row["sk"]}
        for row in dynamodb.scan(TableName=table)["Items"]
        if row["sk"]["S"] == "conversation"
    ]
    assert key["pk"]["S"].startswith("telegram/default//")
    dynamodb.delete_item(TableName=table, Key=key)
    restore, *rest = back.splitlines()
    said = carried_out(folder, environ, f"{restore} --yes", *rest)
    assert re.search(r"^ +1  missing in the table$", said, re.MULTILINE)
    assert "1 items are back." in said
    installation.write(AGAIN)
    installation.until_posted(f"You said: {SAID}", f"You said: {AGAIN}")
    assert runs(installation.agent) == [[SAID, AGAIN]]
    assert "threadline-drill" not in dynamodb.list_tables()["TableNames"]


@pytest.mark.timeout(600)
@pytest.mark.langgraph
def test_an_upgrade_loses_no_message(installation: Installation, built: Path) -> None:
    """What is written while everything is replaced is answered once, in order.

    The upgrade has a task follow runs, which nothing starts here: they wait until the next one
    gives them back to the function.
    """
    installation.watched()
    emulator = installation.emulator
    image = (
        f"{ministack.ACCOUNT}.dkr.ecr.{ministack.REGION}.amazonaws.com/threadline@sha256:{0:064}"
    )
    # The endpoint is one that functions know anyway, and with it each of them is replaced.
    both = {
        "LongRunningVpc": "vpc-1",
        "LongRunningSubnets": "subnet-1",
        "Endpoint": emulator.endpoint,
    }
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(written_slowly, installation)
        deploy(emulator, built, LongRunningImage=image, WatchHost="task", **both)
        texts = writing.result()
    assert (tasks(emulator), hints(emulator)) == ([(1, 0, 100, image)], "Disabled")
    deploy(emulator, built, LongRunningImage="", WatchHost="function", **both)
    assert (tasks(emulator), hints(emulator)) == ([], "Enabled")
    answers = [f"You said: {text}" for text in texts]
    until_swept(installation, lambda: set(answers) <= set(installation.posts()))
    posts = installation.posts()
    assert [posts.count(answer) for answer in answers] == [1] * len(answers)
    # Signs of waiting may stand in the chat before that of the turn they wait for.
    assert runs(installation.agent)[0][-len(texts) :] == texts


@pytest.mark.timeout(600)
@pytest.mark.langgraph
def test_a_person_is_forgotten(installation: Installation) -> None:
    """The operator sees the person's runs and forgets them: no table names them afterwards."""
    installation.watched()
    seen = installation.threadline("agent", "runs", f"telegram/default//{CHAT}/")
    assert " success " in seen
    assert str(CHAT) in rests(installation)
    until_swept(installation, lambda: is_forgotten(installation))
    assert str(CHAT) not in rests(installation)
    assert runs(installation.agent) == []


def until_swept(installation: Installation, reached: Callable[[], bool]) -> None:
    """Wait, and sweep: a function that the emulator replaces dies at its work, lease in hand."""
    deadline = time.monotonic() + 300.0
    while not reached():
        assert time.monotonic() < deadline, written(installation.emulator)
        sweep(installation.emulator)
        time.sleep(5.0)


def is_forgotten(installation: Installation) -> bool:
    """Forget the person, with the agent's thread; tell whether nothing of theirs was in work."""
    try:
        installation.threadline("forget", f"telegram:{CHAT}", "--threads", "--yes")
    except AssertionError as refused:
        if "in work" not in str(refused):
            raise
        return False
    return True


def rests(installation: Installation) -> str:
    """Give every item of the stack's tables, as they lie there."""
    dynamodb = installation.emulator.client("dynamodb")
    tables = [one for name, one in installation.outputs.items() if name.endswith("Table")]
    return "".join(str(dynamodb.scan(TableName=one)["Items"]) for one in tables)


def written_slowly(installation: Installation) -> list[str]:
    """Let a person write while something else happens, and give what they wrote."""
    texts = [f"message {number} of an upgrade" for number in range(5)]
    for text in texts:
        installation.write(text)
        time.sleep(2.0)
    return texts


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


def test_the_stack_is_taken_down_as_it_is_written(deployed: Deployed, tmp_path: Path) -> None:
    """The page's commands empty the bucket, delete the stack and list what was made beside it."""
    emulator = deployed.emulator
    down, beside = blocks("deploy.md", "Taking it down")
    emulator.client("secretsmanager").create_secret(
        Name="threadline/dev/slack/default", SecretString="{}"
    )
    emulator.client("ecr").create_repository(repositoryName="threadline")
    # SAM asks before it deletes.
    carried_out(tmp_path, emulator.environ, down.replace(" delete ", " delete --no-prompts "))
    assert "threadline/dev/slack/default" in carried_out(tmp_path, emulator.environ, beside)
    stacks = emulator.client("cloudformation").describe_stacks()["Stacks"]
    assert [one for one in stacks if one["StackName"] == STACK] == []
    assert emulator.client("dynamodb").list_tables()["TableNames"] == []
    assert emulator.client("ecr").describe_repositories()["repositories"] == []
