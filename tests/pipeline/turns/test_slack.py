"""Slack's own ways over the whole path: copies of one post, threads, commands, buttons, doubt."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.slack import ADA_IM, GENERAL, SlackSimulation, slack_settings
from tests.stubs.slack import ADA
from tests.stubs.slack_channels import BOT
from threadline.app.outbox import doubts
from threadline.core.settings import Allow
from threadline.core.texts import say

MENTION = f"<@{BOT}>"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[SlackSimulation]:
    """A workspace whose app answers everybody."""
    simulation = SlackSimulation(tmp_path)
    yield simulation
    simulation.close()


def test_a_direct_message_is_answered_where_it_was_asked(world: SlackSimulation) -> None:
    """The answer grows in the channel itself, in the post that first said that work began."""
    event = world.hear("hello")
    world.run()
    question, answer = world.slack.shown(ADA_IM)
    assert (answer.text, answer.thread) == ("echo: hello", "")
    assert answer.edits >= 1
    assert question.ts == event["event"]["ts"]
    assert question.reactions == ["eyes", "white_check_mark"]


def test_a_mention_is_answered_in_its_thread(world: SlackSimulation) -> None:
    """In a channel the answer stands below the post that mentioned the bot."""
    event = world.hear(f"{MENTION} hello", channel=GENERAL)
    world.run()
    (answer,) = [one for one in world.slack.shown(GENERAL) if one.by_bot]
    assert (answer.text, answer.thread) == (f"echo: {ADA}: hello", event["event"]["ts"])


def test_three_deliveries_of_one_event_are_one_run(world: SlackSimulation) -> None:
    """The event, its first retry after 3 s and its second after a minute: one run, one answer."""
    event = world.hear("sleep 2")
    for number, wait in ((1, 3.0), (2, 57.0)):
        world.run(wait)
        world.clock.advance(wait)
        assert world.deliver(event, retry=number)["statusCode"] == 200
    world.run()
    assert world.asked() == ["sleep 2"]
    assert world.said() == ["slept 2"]


def test_a_retry_may_be_all_that_ever_came(world: SlackSimulation) -> None:
    """A first delivery that was never kept leaves no trace: its retry is answered."""
    event = world.slack.say(ADA_IM, "hello")
    world.deliver(event, retry=1)
    world.run()
    assert world.said() == ["echo: hello"]


@pytest.mark.parametrize(
    ("order", "apart"),
    [(("message", "mention"), 0.25), (("mention", "message"), 0.25), (("message", "mention"), 0)],
)
def test_both_copies_of_a_mention_are_one_run(
    world: SlackSimulation, order: tuple[str, ...], apart: float
) -> None:
    """A post that comes as `message` and `app_mention`, in either order or at once, runs once."""
    event = world.slack.say(GENERAL, f"{MENTION} status?")
    copies = {"message": event, "mention": world.slack.mention_of(event)}
    for name in order:
        world.deliver(copies[name])
        if apart:
            world.run(apart)
    world.run()
    assert world.asked() == [f"{ADA}: status?"]
    assert world.said(GENERAL) == [f"echo: {ADA}: status?"]
    assert world.steps().count("duplicate") == 1


def test_a_command_by_mention_is_a_command_in_both_copies(world: SlackSimulation) -> None:
    """`@bot /help` is answered once, by us, whichever copy comes first."""
    event = world.slack.say(GENERAL, f"{MENTION} /help")
    for copy in (event, world.slack.mention_of(event)):
        world.deliver(copy)
    world.run()
    assert world.asked() == []
    assert world.said(GENERAL) == [say("help", "en")]


def test_without_a_mention_nothing_runs_and_a_later_mention_does(world: SlackSimulation) -> None:
    """Talk among people starts nothing, and does not stand in the way of what follows."""
    world.hear("status?", channel=GENERAL)
    world.run()
    assert (world.asked(), world.said(GENERAL)) == ([], [])
    assert "not_addressed" in world.steps()
    world.hear(f"{MENTION} status?", channel=GENERAL)
    world.run()
    assert world.asked() == [f"{ADA}: status?"]


def test_who_was_asked_answers_without_a_mention(world: SlackSimulation) -> None:
    """In a thread the asked person's next post is the answer; other talk is not heard."""
    root = world.hear(f"{MENTION} ask", channel=GENERAL)["event"]["ts"]
    world.run(60.0)
    assert world.said(GENERAL) == ["Which colour?"]
    world.hear("blue, I think", channel=GENERAL, thread=root, user="U0BOB0001")
    world.hear("what was that?", channel=GENERAL)
    world.run(60.0)
    assert len(world.asked()) == 1
    world.hear("red", channel=GENERAL, thread=root)
    world.run(60.0)
    answers = world.said(GENERAL)
    world.hear("thanks, all", channel=GENERAL, thread=root)
    world.run(60.0)
    assert len(answers) == 2
    assert world.said(GENERAL) == answers
    assert world.steps().count("not_addressed") == 3


def test_an_edit_may_add_the_mention(world: SlackSimulation) -> None:
    """A post that mentions the bot only after an edit runs once, though the edit comes twice."""
    event = world.hear("status?", channel=GENERAL)
    world.run()
    for copy in edited(world, event, f"{MENTION} status?"):
        world.deliver(copy)
    world.run()
    assert len(world.asked()) == 1


def test_an_edit_of_an_answered_post_is_one_follow_up(world: SlackSimulation) -> None:
    """Both copies of an edit are one message to the agent, marked as an edit."""
    event = world.hear(f"{MENTION} delpoy", channel=GENERAL)
    world.run()
    for copy in edited(world, event, f"{MENTION} deploy"):
        world.deliver(copy)
    world.run()
    assert [text.split(": ")[-1] for text in world.asked()] == ["delpoy", "(edited) deploy"]


def edited(world: SlackSimulation, event: dict[str, Any], text: str) -> list[dict[str, Any]]:
    """Make the two events of an edit: the message changed, and the bot mentioned (again)."""
    before = event["event"]
    changed = {"text": text, "edited": {"user": ADA, "ts": f"{int(world.clock.now())}.000000"}}
    message = {k: v for k, v in before.items() if k not in {"channel", "channel_type"}} | changed
    about = {
        "type": "message", "subtype": "message_changed", "message": message, "hidden": True,
        "previous_message": before, "channel": GENERAL, "channel_type": "channel",
        "ts": world.slack.channels.take_ts(),
    }  # fmt: skip
    mention = {**before, **changed, "type": "app_mention"}
    return [world.slack.envelope(about), world.slack.envelope(mention)]


def test_the_second_copy_is_silent_while_the_thread_is_busy(world: SlackSimulation) -> None:
    """A copy that comes during its own or another turn queues nothing and says nothing."""
    first = world.hear(f"{MENTION} sleep 20", channel=GENERAL)
    world.run(2)
    world.deliver(world.slack.mention_of(first))
    second = world.hear(f"{MENTION} next", channel=GENERAL, thread=first["event"]["ts"])
    world.run(1)
    world.deliver(world.slack.mention_of(second))
    world.run(1)
    queued = say("queued", "en")
    assert world.said(GENERAL)[1:] == [queued]
    world.run()
    assert len(world.asked()) == 2
    assert len(world.said(GENERAL)) == 2


def test_a_redelivery_after_the_queues_memory_is_no_second_run(world: SlackSimulation) -> None:
    """The same event after six minutes, its run still going on, changes nothing."""
    event = world.hear("sleep 600")
    world.run(360)
    world.deliver(event)
    world.run()
    assert world.asked() == ["sleep 600"]
    assert world.said() == ["slept 600"]


def test_direct_messages_are_one_conversation(world: SlackSimulation) -> None:
    """Everything outside a thread goes on in one agent thread; a thread has its own."""
    first = world.hear("one")
    world.run()
    world.hear("two")
    world.run()
    world.hear("three", thread=first["event"]["ts"])
    world.run()
    one, two, three = world.agent.runs()
    assert one.thread == two.thread != three.thread
    assert world.slack.shown(ADA_IM)[-1].thread == first["event"]["ts"]


def test_a_thread_is_one_conversation_and_posts_beside_it_are_others(
    world: SlackSimulation,
) -> None:
    """A mention within the thread goes on in it, a new post in the channel begins anew."""
    first = world.hear(f"{MENTION} one", channel=GENERAL)
    world.run()
    world.hear(f"{MENTION} two", channel=GENERAL, thread=first["event"]["ts"])
    world.run()
    world.hear(f"{MENTION} three", channel=GENERAL)
    world.run()
    one, two, three = world.agent.runs()
    assert one.thread == two.thread != three.thread


def test_a_question_by_slash_command_goes_on_in_its_answers_thread(world: SlackSimulation) -> None:
    """A command is echoed at once; what people write below the answer belongs to it."""
    answer = world.deliver(slash("/ask", "what is up"), form=True)
    assert (answer["statusCode"], answer["body"]) == (200, '{"response_type":"in_channel"}')
    world.run()
    (posted,) = world.slack.shown(GENERAL)
    assert (posted.text, posted.thread) == ("echo: ada: what is up", "")
    world.hear("and then?", channel=GENERAL, thread=posted.ts)
    world.run()
    one, two = world.agent.runs()
    assert one.thread == two.thread
    assert world.slack.shown(GENERAL)[-1].thread == posted.ts


def test_slash_new_starts_over_in_a_direct_message(world: SlackSimulation) -> None:
    """A registered command does what its name says: the next message has a thread of its own."""
    world.hear("one")
    world.run()
    world.deliver(slash("/ask", "new", channel=ADA_IM), form=True)
    world.run()
    world.hear("two")
    world.run()
    one, two = world.agent.runs()
    assert one.thread != two.thread
    assert say("new", "en") in world.said()


@pytest.mark.parametrize(
    ("binding", "sentence"),
    [
        ({"allow": Allow(senders=frozenset({"U0NOBODY01"}))}, "not_allowed"),
        ({"paused": True}, "paused"),
    ],
)
def test_who_gives_a_refused_slash_command_is_told_alone(
    tmp_path: Path, binding: dict[str, Any], sentence: str
) -> None:
    """In a channel nobody else sees it, in a direct message it is said, each time one is given."""
    world = SlackSimulation(tmp_path, settings=slack_settings(binding))
    world.hear("good morning", channel=GENERAL)
    for channel in (GENERAL, ADA_IM):
        for trigger in ("1.1.a", "1.1.b"):
            fields = slash("/ask", "what is up", channel)
            world.deliver({**fields, "trigger_id": f"{trigger}{channel}"}, form=True)
            world.run()
    assert [one.text for one in world.slack.shown(GENERAL) if one.by_bot] == []
    whispers = world.slack.channels.find(GENERAL).whispers
    assert whispers == [(ADA, "", say(sentence, "en"))] * 2
    assert world.said() == [say(sentence, "en")] * 2
    assert world.asked() == []
    world.close()


def test_a_refusal_that_nobody_can_be_told_is_no_trouble_of_the_operators(tmp_path: Path) -> None:
    """In a channel the app is not in, a stranger's command leaves a line in the log alone."""
    stranger = {"allow": Allow(senders=frozenset({"U0NOBODY01"}))}
    world = SlackSimulation(tmp_path, settings=slack_settings(stranger))
    world.deliver(slash("/ask", "what is up", "C0ELSEWHERE"), form=True)
    world.run()
    assert [line["reason"] for line in world.lines if line.get("state") == "failed"]
    assert doubts(world.ports.ports.store, world.clock.now()) == ()
    world.close()


def slash(command: str, text: str, channel: str = GENERAL) -> dict[str, str]:
    """Make the fields of a slash command."""
    return {
        "command": command, "text": text, "channel_id": channel, "team_id": "T0ACME001",
        "user_id": ADA, "user_name": "ada", "trigger_id": "700.800.abc", "api_app_id": "A0APP0001",
    }  # fmt: skip


def test_a_shared_file_reaches_the_agent_with_its_text(world: SlackSimulation) -> None:
    """What was typed beside a file is the question; a file that cannot be had is named in it."""
    world.slack.add_file("F0NOTES001", b"numbers", "text/plain")
    listed = [
        {"id": "F0NOTES001", "name": "notes.txt", "mimetype": "text/plain", "size": 7},
        {"id": "F0GONE0001", "name": "gone.pdf", "mimetype": "application/pdf", "size": 9},
    ]
    world.hear("read these", subtype="file_share", files=listed)
    world.run()
    (asked,) = world.asked()
    assert asked.startswith("read these")
    assert "notes.txt (text/plain)" in asked
    assert "gone.pdf: could not be read" in asked
    assert len(world.said()) == 1


@pytest.mark.parametrize("channel", ["G0MPIM0001", "C0PRIVATE1"])
def test_group_messages_and_private_channels_are_like_channels(
    world: SlackSimulation, channel: str
) -> None:
    """A mention begins a thread; without one nothing is heard."""
    world.slack.add_channel(channel)
    event = world.hear(f"{MENTION} hello", channel=channel)
    world.hear("lunch?", channel=channel)
    world.run()
    assert world.asked() == [f"{ADA}: hello"]
    assert [one.thread for one in world.slack.shown(channel) if one.by_bot] == [
        event["event"]["ts"]
    ]


def test_strangers_of_other_companies_are_not_let_in(tmp_path: Path) -> None:
    """Members of the workspace may talk; a person of a connected company may not."""
    world = SlackSimulation(
        tmp_path, settings=slack_settings({"allow": Allow(members=True)})
    )  # fmt: skip
    world.hear(f"{MENTION} in", channel=GENERAL)
    event = world.slack.say(GENERAL, f"{MENTION} out", user="U0EVE00001", user_team="T0OTHER01")
    world.deliver({**event, "is_ext_shared_channel": True})
    world.run()
    world.close()
    assert world.asked() == [f"{ADA}: in"]
    assert "not_allowed" in world.steps()
