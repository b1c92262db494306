"""Feishu's own ways over the whole path: late copies, one card per turn, topics, tokens, doubt."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.pipeline.turns.test_deaths import dies_at
from tests.simulation.feishu import ADA_CHAT, GROUP, TOPICS, FeishuSimulation
from tests.simulation.making import making
from tests.stubs.feishu import Fault
from tests.stubs.feishu_rules import Do
from threadline.core.texts import say

type Make = Callable[..., FeishuSimulation]

LATE = (320.0, 3880.0, 21_000.0)
"""Seconds between copies, so that they come 5 min 20 s, 1 h 10 min and 7 h after the first."""


@pytest.fixture
def simulate(tmp_path: Path) -> Iterator[Make]:
    """Give a maker of organisations whose app answers everybody."""
    with making(FeishuSimulation, tmp_path) as make:
        yield make


@pytest.fixture
def world(simulate: Make) -> FeishuSimulation:
    """One such organisation."""
    return simulate()


def later(world: FeishuSimulation, seconds: float) -> None:
    """Let so much time pass, and everything that is to happen in it."""
    ends = world.clock.now() + seconds
    world.run(seconds)
    world.clock.advance(ends - world.clock.now())


def uuids(world: FeishuSimulation, what: Do = Do.REPLY) -> list[str]:
    """Give the keys against repetition of the calls of a kind, in order."""
    return [str(call.body["uuid"]) for call in world.feishu.calls_of(what)]


def test_one_card_grows_into_the_answer(world: FeishuSimulation) -> None:
    """The reply that first said that work began becomes the answer, changed where it stands."""
    event = world.hear("hello")
    world.run()
    question, answer = world.feishu.shown(ADA_CHAT)
    assert answer.texts[0] == say("working", "en")
    assert answer.text == "echo: hello"
    assert (answer.parent, question.reactions) == (question.id, ["OK", "DONE"])
    assert question.id == event["event"]["message"]["message_id"]
    assert '"update_multi":true' in answer.content
    assert len(world.feishu.calls_of(Do.TOKEN)) == 1


def test_a_queued_question_has_one_card_from_queued_to_answered(world: FeishuSimulation) -> None:
    """Its card says that it waits, then that it runs, then the answer: three states of one card."""
    world.hear("sleep 20")
    world.run(2)
    world.hear("ask")
    world.run(40)
    _, first, _, second = world.feishu.shown(ADA_CHAT)
    assert first.text == "slept 20"
    assert second.texts == [say("queued", "en"), say("working", "en"), "Which colour?"]


@pytest.mark.parametrize("signed", ["anew", "at first"])
@pytest.mark.parametrize("text", ["hello", "sleep 600"])
def test_late_copies_of_a_message_are_no_second_run(
    world: FeishuSimulation, text: str, signed: str
) -> None:
    """Feishu repeats what it thinks was not taken for hours: one run, one answer."""
    began = world.clock.now()
    event = world.hear(text)
    for wait in LATE:
        later(world, wait)
        answer = world.deliver(event, signed_at=0.0 if signed == "anew" else began)
        assert answer["statusCode"] == 200
    world.run()
    assert world.asked() == [text]
    assert len(world.said()) == 1
    assert world.steps().count("duplicate") == len(LATE)


@pytest.mark.parametrize("chat", [ADA_CHAT, GROUP])
def test_late_copies_of_a_command_are_no_second_command(world: FeishuSimulation, chat: str) -> None:
    """`/status` is answered once, however often and late it comes again."""
    event = world.hear("/status", chat)
    for wait in LATE:
        later(world, wait)
        assert world.deliver(event)["statusCode"] == 200
    world.run()
    assert world.asked() == []
    assert len(world.said(chat)) == 1


def test_a_late_copy_may_be_all_that_ever_came(world: FeishuSimulation) -> None:
    """A first delivery that was never kept leaves no trace: its copy an hour later is answered."""
    event = world.feishu.say(ADA_CHAT, "hello")
    later(world, 4200.0)
    world.deliver(event)
    world.run()
    assert world.said() == ["echo: hello"]


def test_a_copy_with_another_event_id_is_the_same_message(world: FeishuSimulation) -> None:
    """What counts is the message's own id, not the delivery's."""
    event = world.hear("hello")
    world.run()
    world.deliver(world.feishu.envelope("im.message.receive_v1", event["event"]))
    world.run()
    assert world.asked() == ["hello"]


@pytest.mark.parametrize("times", [1, 3, 5])
@pytest.mark.parametrize(
    ("text", "answer"), [("hello", "echo: hello"), ("sleep 90", "slept 90"), ("/status", "")]
)
def test_a_reply_whose_answer_was_lost_is_repeated_under_its_key(
    world: FeishuSimulation, text: str, answer: str, times: int
) -> None:
    """The card stands there though nobody heard of it: the same key is sent, and one card shown."""
    world.feishu.fault(Do.REPLY, Fault.drop("after"), times=times)
    world.hear(text)
    world.run()
    assert len(uuids(world)) == times + 1
    assert len(set(uuids(world))) == 1
    (said,) = world.said()
    assert said == (answer or said)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_another_worker_repeats_a_reply_under_its_key(simulate: Make, after: bool) -> None:
    """A worker that dies before or after its reply leaves it to the next, who uses the same key."""
    world = simulate(gate=dies_at("http.feishu reply", 1, after=after))
    world.hear("sleep 4")
    world.run()
    assert world.deaths == 1
    assert len(set(uuids(world))) == 1
    assert len(uuids(world)) == (2 if after else 1)
    assert world.said() == ["slept 4"]
    assert world.asked() == ["sleep 4"]


def test_a_reply_is_not_repeated_when_feishu_has_forgotten_its_key(world: FeishuSimulation) -> None:
    """After an hour the key proves nothing any more: the card is looked for, not posted again."""
    world.feishu.fault(Do.REPLY, Fault.drop("after"), times=3)
    world.hear("/status")
    world.run(until=lambda: len(uuids(world)) == 3)
    world.clock.advance(4000.0)
    world.run()
    assert len(uuids(world)) == 3
    assert len(world.said()) == 1
    assert world.feishu.calls_of(Do.HISTORY)


def test_where_history_is_closed_a_lost_reply_stays_unknown(world: FeishuSimulation) -> None:
    """Without the right to read the group nothing is posted blindly; the part is in doubt."""
    world.feishu.chats.history = False
    world.feishu.fault(Do.REPLY, Fault.drop("after"), times=3)
    world.hear("/status", GROUP)
    world.run(until=lambda: len(uuids(world)) == 3)
    world.clock.advance(4000.0)
    world.run()
    assert len(uuids(world)) == 3
    assert [line["state"] for line in world.lines if line["event"] == "part"] == ["unknown"]


def test_a_final_change_that_fails_is_tried_again(world: FeishuSimulation) -> None:
    """A fault at the last change of the card does not leave it saying that work goes on."""
    world.hear("sleep 30")
    world.run(20)
    world.feishu.fault(Do.PATCH, Fault.drop("before"), times=4)
    world.run()
    assert world.said() == ["slept 30"]


def test_a_card_that_is_gone_is_posted_anew(world: FeishuSimulation) -> None:
    """Where somebody recalled the card meanwhile, the answer comes in a new one, once."""
    world.hear("sleep 30")
    world.run(20)
    _, card = world.feishu.shown(ADA_CHAT)
    card.recalled = True
    world.run()
    assert world.said()[1:] == ["slept 30"]


def test_an_answer_that_feishu_does_not_let_through_is_said_to_be_one(
    world: FeishuSimulation,
) -> None:
    """The card says so instead of working for ever, and the operator hears why."""
    world.hear("sleep 30")
    world.run(20)
    world.feishu.chats.forbidden = "slept"
    world.run()
    (said,) = world.said()
    assert say("content_refused", "en") in said


def test_a_token_that_ended_is_renewed_once(world: FeishuSimulation) -> None:
    """A call under a token that is no longer good is repeated under a new one."""
    world.hear("one")
    world.run()
    world.feishu.expire_tokens()
    world.hear("two")
    world.run()
    assert world.said() == ["echo: one", "echo: two"]
    refused = [call for call in world.feishu.calls if call.code == 99991663]
    assert len(refused) == 1
    assert len(world.feishu.calls_of(Do.TOKEN)) == 2


def test_a_token_is_renewed_before_its_end(world: FeishuSimulation) -> None:
    """Over many hours nothing is ever called under a token that has ended."""
    for number in range(6):
        world.hear(str(number))
        world.run()
        world.clock.advance(3600.0)
    assert [call.code for call in world.feishu.calls if call.code != 0] == []
    assert 3 <= len(world.feishu.calls_of(Do.TOKEN)) <= 6


def test_a_wrong_secret_is_the_operators_business(world: FeishuSimulation) -> None:
    """An app secret that Feishu does not take alarms, and no secret is in what is logged."""
    world.feishu.secrets = {**world.feishu.secrets, "app_secret": "another"}
    world.hear("/status")
    world.run()
    alarms = [line for line in world.lines if line["event"] == "alarm"]
    assert alarms
    assert "an-app-secret" not in str(world.lines)


def test_a_reply_in_a_group_goes_on_in_its_conversation(world: FeishuSimulation) -> None:
    """A reply to the question or to the answer belongs to it; a new message begins anew."""
    first = world.hear("one", GROUP)
    world.run()
    answer = world.feishu.shown(GROUP)[-1]
    world.hear("two", GROUP, parent=answer.id)
    world.run()
    world.hear("three", GROUP, parent=first["event"]["message"]["message_id"])
    world.run()
    world.hear("four", GROUP)
    world.run()
    one, two, three, four = world.agent.runs()
    assert one.thread == two.thread == three.thread != four.thread
    assert [text.split(": ")[-1] for text in world.asked()] == ["one", "two", "three", "four"]


def test_a_topic_is_a_conversation(world: FeishuSimulation) -> None:
    """In a group of topics each topic is its own, and is answered within it."""
    first = world.hear("one", TOPICS)
    world.run()
    world.hear("two", TOPICS, parent=first["event"]["message"]["message_id"])
    world.run()
    world.hear("three", TOPICS)
    world.run()
    one, two, three = world.agent.runs()
    assert one.thread == two.thread != three.thread
    threads = [shown.thread for shown in world.feishu.shown(TOPICS)]
    assert threads[0] == threads[1] == threads[2] == threads[3] != threads[4] == threads[5]


def test_private_messages_are_one_conversation(world: FeishuSimulation) -> None:
    """Also a reply to something far above goes on in the one conversation; /new begins another."""
    first = world.hear("one")
    world.run()
    world.hear("two", parent=first["event"]["message"]["message_id"])
    world.run()
    world.hear("/new")
    world.run()
    world.hear("three")
    world.run()
    one, two, three = world.agent.runs()
    assert one.thread == two.thread != three.thread


def test_talk_among_people_starts_nothing(world: FeishuSimulation) -> None:
    """An app that may read everything in a group answers only what names it."""
    event = world.feishu.say(GROUP, "status?")
    world.deliver(event)
    world.run()
    assert (world.asked(), world.said(GROUP)) == ([], [])


def test_a_file_reaches_the_agent(world: FeishuSimulation) -> None:
    """A document of a message is fetched by this message's own id."""
    content = {"file_key": "file_v3_1", "file_name": "notes.txt"}
    event = world.feishu.say(ADA_CHAT, "", content=content, message_type="file")
    message = event["event"]["message"]["message_id"]
    world.feishu.add_file(message, "file_v3_1", b"six times seven")
    world.deliver(event)
    world.run()
    (call,) = world.feishu.calls_of(Do.RESOURCE)
    assert call.ids == (message, "file_v3_1")
    assert call.code == 0
    assert "notes.txt" in world.asked()[0]
    assert "could not be read" not in world.asked()[0]


def test_a_rate_limit_is_waited_for(world: FeishuSimulation) -> None:
    """After a refusal for calling too often nothing is changed before the time it names."""
    world.hear("sleep 60")
    world.run(5)
    world.feishu.fault(Do.PATCH, Fault.too_many(30))
    world.run()
    changes = world.feishu.calls_of(Do.PATCH)
    limited = next(call.at for call in changes if call.code == 99991400)
    assert [call.at for call in changes if limited < call.at < limited + 30] == []
    assert world.said() == ["slept 60"]


def test_no_answer_calls_anybody(world: FeishuSimulation) -> None:
    """Whatever the agent repeats, no person and not everybody is called by it."""
    world.hear('<at id=all></at> `<at id="ou_ben"></at>` <at email=a@b.example></at>')
    world.run()
    assert [one.pings for one in world.feishu.shown(ADA_CHAT) if one.by_bot] == [[]]
