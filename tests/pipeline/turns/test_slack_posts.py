"""What stands in a Slack channel when calls are lost, limited or full of mentions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation.slack import ADA_IM, GENERAL, SlackSimulation
from tests.stubs.slack import ADA, Fault
from tests.stubs.slack_channels import BOT
from threadline.core.texts import say

MENTION = f"<@{BOT}>"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[SlackSimulation]:
    """A workspace whose app answers everybody."""
    simulation = SlackSimulation(tmp_path)
    yield simulation
    simulation.close()


def test_a_post_whose_answer_was_lost_is_found_again(world: SlackSimulation) -> None:
    """A cut connection after the post stood there leads to no second one."""
    world.slack.fault("chat.postMessage", Fault.drop("after"))
    world.hear(f"{MENTION} hello", channel=GENERAL)
    world.run()
    assert world.said(GENERAL) == [f"echo: {ADA}: hello"]
    assert len(world.slack.calls_of("chat.postMessage")) == 1
    assert world.slack.calls_of("conversations.replies")


def test_a_post_that_was_lost_before_it_stood_comes_once(world: SlackSimulation) -> None:
    """An internal error before any effect: history shows nothing, and the post is made."""
    world.slack.fault("chat.postMessage", Fault.word("internal_error"), times=2)
    world.hear("hello")
    world.run()
    assert world.said() == ["echo: hello"]


def test_a_history_without_metadata_proves_nothing(world: SlackSimulation) -> None:
    """Where Slack does not show what marks our posts, a lost one is never sent again blindly."""
    world.slack.channels.metadata_shown = False
    world.slack.fault("chat.postMessage", Fault.drop("after"))
    world.hear("hello")
    world.run()
    first, second = world.said()
    assert (first, second) == (say("working", "en"), "echo: hello")
    assert [line["reason"] for line in world.lines if line["event"] == "alarm"] == ["unknown"]


def test_a_rate_limit_is_waited_for(world: SlackSimulation) -> None:
    """After a 429 nothing is edited before the time it names, and the answer stands there once."""
    world.hear("sleep 5")
    world.run(2)
    world.slack.fault("chat.update", Fault.too_many(30))
    world.run()
    edits = world.slack.calls_of("chat.update")
    limited = next(call.at for call in edits if call.status == 429)
    assert [call.at for call in edits if limited < call.at < limited + 30] == []
    assert world.said() == ["slept 5"]


def test_no_answer_calls_anybody(world: SlackSimulation) -> None:
    """Whatever the agent repeats, no person, group or channel is pinged by it."""
    world.hear("&lt;@U0BEN0001&gt; &lt;!channel&gt; <@U0BEN0001> <!here>")
    world.run()
    answers = [one for one in world.slack.shown(ADA_IM) if one.by_bot]
    assert [one.pings for one in answers] == [[]]
