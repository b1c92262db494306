"""Files that the agent made stand behind the words that name them, or it is said why not."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.turns.test_deaths import dies_at
from tests.simulation.deerflow import GatewaySimulation, PersonalSimulation
from tests.simulation.deerflow_chats import FeishuOfDeerFlow, SlackOfDeerFlow
from tests.simulation.world import Killed
from tests.stubs.feishu import Fault as FeishuFault
from tests.stubs.feishu_rules import Do
from tests.stubs.slack import Fault as SlackFault
from tests.stubs.telegram import Fault
from threadline.app.handing import LARGEST, sent_as
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.texts import say

type World = GatewaySimulation
type Make = Callable[..., World]

KINDS = (GatewaySimulation, SlackOfDeerFlow, FeishuOfDeerFlow)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Give a maker of simulations of a kind."""
    made: list[GatewaySimulation] = []

    def made_of(kind: type[GatewaySimulation], **how: Any) -> GatewaySimulation:
        made.append(kind(tmp_path / str(len(made)), **how))
        return made[-1]

    yield made_of
    for one in made:
        one.close()


@pytest.fixture(params=KINDS, ids=["telegram", "slack", "feishu"])
def simulate(request: pytest.FixtureRequest, make: Callable[..., Any]) -> Make:
    """Give a maker of simulations of each platform that takes files."""
    return lambda **how: make(request.param, **how)


def ask(world: World, text: str) -> None:
    """Let a person write in private."""
    (world.hear if isinstance(world, SlackOfDeerFlow | FeishuOfDeerFlow) else world.write)(text)


def words(world: World) -> list[str]:
    """Give what the bot says, files left out."""
    if isinstance(world, SlackOfDeerFlow):
        return [text for text in world.said() if text]
    if isinstance(world, FeishuOfDeerFlow):
        return [one.text for one in world.feishu.shown("oc_ada") if one.by_bot and one.text not in
                world.feishu.uploads]  # fmt: skip
    return [text for text in world.shown() if text]


def files(world: World) -> list[bytes]:
    """Give the contents of the files that stand in the chat, oldest first."""
    if isinstance(world, SlackOfDeerFlow):
        shown = world.slack.shown("D0ADA00001")
        return [world.slack.contents[one.file] for one in shown if one.file]
    if isinstance(world, FeishuOfDeerFlow):
        ours = [one.text for one in world.feishu.shown("oc_ada") if one.by_bot]
        return [world.feishu.uploads[key][1] for key in ours if key in world.feishu.uploads]
    return [one.file for one in world.telegram.shown(77) if one.file is not None]


def unsent(name: str, why: str, **values: int) -> str:
    """Give the sentence about a file that was not sent."""
    return say("file_not_sent", "en", name=name, reason=say(why, "en", **values))


def content(name: str) -> bytes:
    """Give what a Gateway's file holds unless a test says otherwise."""
    return f"content of /mnt/user-data/outputs/{name}".encode()


def test_a_file_stands_behind_the_words_that_name_it(simulate: Make) -> None:
    """Two files, once each, in the order they were presented, also with the next question."""
    world = simulate()
    ask(world, "present a.txt,b.csv,a.txt")
    world.run()
    assert words(world) == [
        f"Made a.txt,b.csv,a.txt.\n\n{say('files', 'en', names='a.txt, b.csv')}"
    ]
    assert files(world) == [content("a.txt"), content("b.csv")]
    ask(world, "hello")
    world.run()
    assert words(world)[1:] == ["echo: hello"]
    assert len(files(world)) == 2


def test_a_file_that_cannot_be_had_is_said_with_the_reason(simulate: Make) -> None:
    """Too large, gone and empty ones are named in the answer itself; the others are sent."""
    world = simulate()
    world.gateway.made |= {"big.bin": b"x" * (LARGEST + 1), "gone.txt": None, "empty.txt": b""}
    ask(world, "present big.bin,gone.txt,empty.txt,good.txt")
    world.run()
    (said,) = words(world)
    assert unsent("big.bin", "file_large", limit=LARGEST // 1_000_000) in said
    assert unsent("gone.txt", "file_gone") in said
    assert unsent("empty.txt", "file_empty") in said
    assert unsent("good.txt", "file_gone") not in said
    assert files(world) == [content("good.txt")]


def test_a_file_of_the_largest_size_is_sent(simulate: Make) -> None:
    """The limit itself is within it."""
    world = simulate()
    world.gateway.made["big.bin"] = b"x" * LARGEST
    ask(world, "present big.bin")
    world.run()
    assert [len(one) for one in files(world)] == [LARGEST]


def test_more_files_than_ten_are_named_and_not_sent(simulate: Make) -> None:
    """No answer floods a chat."""
    world = simulate()
    ask(world, "present " + ",".join(f"{n}.txt" for n in range(30)))
    world.run()
    assert len(files(world)) == 10
    assert "19.txt, +10" in words(world)[0]


@pytest.mark.parametrize(
    "path",
    [
        "!/etc/passwd",
        "!/mnt/user-data/uploads/theirs.txt",
        "!/mnt/user-data/outputs/../../secret",
        "!/mnt/user-data/outputs",
        "!relative.txt",
    ],
)
def test_nothing_but_what_was_made_is_read(simulate: Make, path: str) -> None:
    """A path outside the outputs is named and never asked for."""
    world = simulate()
    ask(world, f"present {path}")
    world.run()
    assert files(world) == []
    assert path.rpartition("/")[2].lstrip("!") in words(world)[0]
    assert not [one for _, one in world.gateway.calls if "artifacts" in one]


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("a.txt", "a.txt"),
        ("数据" * 100 + ".csv", ("数据" * 100)[:76] + ".csv"),
        ("x" * 200, "x" * 80),
        ("a." + "y" * 100, "a." + "y" * 78),
        ("two\nlines\t.txt", "two lines .txt"),
        ("\ud800.txt", "txt"),
        ("...", "file"),
        ("", "file"),
        (".env", "env"),
    ],
)
def test_a_name_is_one_that_any_platform_takes(name: str, sent: str) -> None:
    """In one line and of eighty characters at most, with its ending."""
    assert sent_as(name) == sent


def test_a_personal_token_names_what_was_made(make: Callable[..., Any]) -> None:
    """It may read no artifact: the name is all there is."""
    world = make(PersonalSimulation)
    ask(world, "present a.txt")
    world.run()
    assert words(world) == [f"Made a.txt.\n\n{say('files', 'en', names='a.txt')}"]
    assert files(world) == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_death_on_the_way_loses_no_file(simulate: Make, after: bool) -> None:
    """Whoever takes over brings the file again: words and file stand there once."""
    world = simulate(gate=dies_at("http.download artifact", 1, after=after))
    ask(world, "present a.txt")
    world.run()
    assert world.deaths == 1
    assert len(words(world)) == 1
    assert files(world) == [content("a.txt")]


def test_a_slow_file_holds_up_its_words_for_a_minute(simulate: Make) -> None:
    """Then the answer stands there without it, saying so."""
    world = simulate()
    ask(world, "present a.txt")
    world.run(until=lambda: bool(world.agent.runs()))
    thread = world.agent.runs()[0].thread
    world.slow[f"http://agent.test/api/threads/{thread}/artifacts"] = 119.0
    world.run()
    assert unsent("a.txt", "file_slow") in words(world)[0]
    assert files(world) == []


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "files.completeUploadExternal"])
def test_slack_gets_a_file_later(make: Callable[..., Any], method: str) -> None:
    """While Slack is out of order the file waits; words of a later answer do not wait for it."""
    world: SlackOfDeerFlow = make(SlackOfDeerFlow)
    world.slack.fault(method, SlackFault.word("team_added_to_org"), times=6)
    ask(world, "present a.txt")
    world.run(20)
    ask(world, "hello")
    world.run()
    assert words(world)[1:] == ["echo: hello"]
    assert files(world) == [content("a.txt")]


def test_a_file_that_slack_refuses_is_said(make: Callable[..., Any]) -> None:
    """A name in an answer is no file: what was not taken is told below it."""
    world: SlackOfDeerFlow = make(SlackOfDeerFlow)
    refusal = SlackFault.word("file_uploads_disabled")
    world.slack.fault("files.getUploadURLExternal", refusal)
    ask(world, "present a.txt")
    world.run()
    assert words(world)[1:] == [unsent("a.txt", "file_not_taken")]
    assert files(world) == []


def test_a_file_that_is_refused_does_not_hold_up_the_next(make: Callable[..., Any]) -> None:
    """Of two files the first is refused: the second is sent."""
    world: SlackOfDeerFlow = make(SlackOfDeerFlow)
    refusal = SlackFault.word("file_uploads_disabled")
    world.slack.fault("files.getUploadURLExternal", refusal)
    ask(world, "present a.txt,b.txt")
    world.run()
    assert words(world)[1:] == [unsent("a.txt", "file_not_taken")]
    assert files(world) == [content("b.txt")]


def test_files_are_sent_though_the_words_are_refused(make: Callable[..., Any]) -> None:
    """What the chat does not take of an answer is left to the operator; its files still come."""
    world: GatewaySimulation = make(GatewaySimulation)
    world.telegram.fault("sendMessage", Fault.status(400), times=50)
    world.telegram.fault("editMessageText", Fault.status(400), times=50)
    ask(world, "present a.txt,b.txt")
    world.run()
    assert files(world) == [content("a.txt"), content("b.txt")]
    assert "failed" in {line.get("state") for line in world.lines}


def test_a_file_in_doubt_is_said_and_not_sent_again(make: Callable[..., Any]) -> None:
    """Where the answer to the last step was lost, it may stand there: it is never sent twice."""
    world: SlackOfDeerFlow = make(SlackOfDeerFlow)
    world.slack.fault("files.completeUploadExternal", SlackFault.drop("after"))
    ask(world, "present a.txt")
    world.run()
    assert words(world)[1:] == [say("file_unsure", "en", name="a.txt")]
    assert files(world) == [content("a.txt")]


def test_feishu_gets_a_file_once_whatever_is_lost(make: Callable[..., Any]) -> None:
    """Uploaded and shown again under the same key: one file, though the answers were lost."""
    world: FeishuOfDeerFlow = make(FeishuOfDeerFlow)
    world.feishu.fault(Do.FILE, FeishuFault.drop("after"), times=3)
    ask(world, "present a.txt")
    world.run()
    assert files(world) == [content("a.txt")]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_death_while_a_file_is_sent(simulate: Make, after: bool) -> None:
    """Its poster dies in the middle: the file is sent by another, or said to be in doubt."""
    point = {
        GatewaySimulation: "http.telegram sendDocument", SlackOfDeerFlow: "http.slack upload",
        FeishuOfDeerFlow: "http.feishu upload",
    }  # fmt: skip
    deaths: list[str] = []

    def plan(at: str) -> Passage:
        if at in point.values() and not deaths:
            deaths.append(at)
            return Passage(after=Killed()) if after else Passage(before=Killed())
        return Passage()

    world = simulate(gate=PlannedGate(plan))
    ask(world, "present a.txt")
    world.run()
    assert world.deaths == 1
    stands, told = len(files(world)), words(world)[1:]
    assert stands <= 1
    assert stands == 1 or told == [say("file_unsure", "en", name="a.txt")]
