import itertools
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.screen import Screen

WORDS = "this message is long enough that its answer can be watched while it grows, " * 4 + "is it?"


def test_an_answer_grows_and_is_still_there_after_a_reload(screen: Screen) -> None:
    """What is typed is answered in one message that grows in place, and both survive a reload."""
    screen.watch()
    screen.say(WORDS)
    screen.answers(f"You said: {WORDS}")
    growing = [text for text in screen.seen() if text.startswith("You") and text.endswith("…")]
    assert len(set(growing)) >= 2
    assert all(len(one) < len(two) for one, two in itertools.pairwise(growing))
    expect(screen.page.locator(".message")).to_have_count(2)
    screen.page.reload()
    screen.answers(f"You said: {WORDS}")
    expect(screen.page.locator(".message")).to_have_count(2)
    expect(screen.page.locator(".mine .body")).to_have_text(WORDS)


def test_the_journey_tells_every_step_with_its_time(screen: Screen) -> None:
    """From sending to the post every step is told in order, with the run's id and the edits."""
    screen.say(WORDS)
    steps = screen.steps()
    told = [
        "sent", "accepted", "starting", "run_created", "placeholder", "first_text", "growing",
        "run success", "edit sent", "run_ended",
    ]  # fmt: skip
    assert steps == told
    times = screen.page.locator("#steps time").all_inner_texts()
    assert all(re.fullmatch(r"\+[0-9.]+ (ms|s)", time) for time in times)
    after = [float(one.split()[0]) * (1000 if one.endswith(" s") else 1) for one in times]
    assert after == sorted(after)
    panel = screen.page.locator("#journey")
    expect(panel).to_contain_text(re.compile(r"run [0-9a-f]{8}-[0-9a-f]{4}-"))
    expect(panel).to_contain_text(re.compile(r"\d+ edits"))
    expect(screen.page.locator("#command")).to_have_text(
        re.compile(r"threadline explain playground-default-\d+$")
    )
    expect(screen.page.locator("#underway")).to_be_hidden()


def test_an_earlier_journey_can_be_looked_up(screen: Screen) -> None:
    """Each message has its journey, and the panel stays on the one that was asked for."""
    screen.say("first")
    screen.answers("You said: first")
    screen.say("second")
    screen.answers("You said: second")
    first = screen.page.get_by_label("Show the journey of this message").first
    first.click()
    screen.wait("#journey-of", "first")
    assert first.get_attribute("aria-pressed") == "true"
    screen.say("third")
    screen.answers("You said: third")
    screen.wait("#journey-of", "first")


def test_an_empty_chat_offers_what_to_say(screen: Screen) -> None:
    """The demo agent understands the examples: one asks back and offers its answers as buttons."""
    expect(screen.page.locator("#examples button")).to_have_count(5)
    screen.page.get_by_role("button", name="ask").click()
    question = screen.answers("Which colour?")
    expect(question).to_have_class(re.compile("question"))
    expect(screen.page.locator("#empty")).to_be_hidden()
    screen.steps("asked")
    answers = screen.page.get_by_role("group", name="Answers").get_by_role("button")
    expect(answers).to_have_text(["red", "green", "blue"])
    answers.nth(1).click()
    screen.answers("You chose: green")
    expect(answers.first).to_be_hidden()


def test_an_answer_can_be_stopped(screen: Screen) -> None:
    """While an answer is under way there is a Stop button, which is the command /stop."""
    stop = screen.page.locator("#stop")
    expect(stop).to_be_hidden()
    screen.say("sleep 60")
    screen.steps("placeholder")
    stop.click()
    screen.answers("Stopped.")
    expect(screen.page.locator(".mine .body").last).to_have_text("/stop")
    expect(stop).to_be_hidden()


def test_commands_are_offered_when_a_slash_is_typed(screen: Screen) -> None:
    """A slash shows the commands that fit so far, and a click sends one."""
    screen.page.get_by_label("Your message").fill("/")
    offered = screen.page.locator("#commands button")
    expect(offered).to_have_count(4)
    screen.page.get_by_label("Your message").fill("/st")
    expect(offered).to_have_count(2)
    screen.page.get_by_role("button", name="/status").click()
    screen.answers("Nothing is running here.")
    expect(offered).to_have_count(0)


def test_a_failure_is_said_in_plain_words(screen: Screen) -> None:
    """An agent that fails gives a sentence in the chat, and its error in the journey only."""
    screen.say("boom")
    failed = screen.answers("Something went wrong while answering.")
    expect(failed).not_to_contain_text("ValueError")
    screen.wait("#steps", "ValueError")
    expect(screen.page.locator("#steps li.bad")).to_have_count(1)


def test_a_second_message_waits_and_says_so(screen: Screen) -> None:
    """A message that comes while another is answered shows that it waits, then is answered."""
    screen.say("sleep 3")
    screen.steps("placeholder")
    screen.say("and this")
    screen.wait("#messages", "Queued:")
    screen.answers("Slept for 3 seconds.")
    screen.answers("You said: and this")


def test_chats_are_apart(screen: Screen) -> None:
    """A new chat is empty, the list leads back, and the address keeps which one is open."""
    screen.say("in the first chat")
    screen.answers("You said: in the first chat")
    first = screen.page.url
    screen.page.get_by_role("button", name="New chat").click()
    expect(screen.page.locator("#empty")).to_be_visible()
    screen.say("in the second chat")
    screen.answers("You said: in the second chat")
    assert screen.page.url != first
    expect(screen.page.locator("#messages")).not_to_contain_text("first chat")
    screen.page.get_by_role("link", name="in the first chat").first.click()
    screen.answers("You said: in the first chat")
    expect(screen.page.locator("#messages")).not_to_contain_text("second chat")
    assert screen.page.url == first


def test_a_picture_can_be_attached(screen: Screen, tmp_path: Path) -> None:
    """A picture is shown with the message and reaches the agent; what was chosen can be removed."""
    picture, note = tmp_path / "dot.png", tmp_path / "note.txt"
    picture.write_bytes(
        bytes.fromhex(
            "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
            "0000000d49444154789c6360f8cf500f0003860180b4c6d1c50000000049454e44ae426082"
        )
    )
    note.write_text("a note")
    screen.page.set_input_files("#file", [picture, note])
    screen.page.get_by_label("Remove note.txt").click()
    screen.say("image?")
    screen.answers("You sent 1 image.")
    expect(screen.page.locator(".mine img")).to_have_attribute("alt", "dot.png")
    assert "fetching" in screen.steps()


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_two_windows_show_one_chat(screen: Screen) -> None:
    """A second window on the same chat sees it grow; one that was hidden catches up when shown."""
    other = Screen(screen.page.context.new_page())
    other.page.goto(screen.page.url)
    screen.say("for both")
    other.answers("You said: for both")
    other.ask(HIDE, argument=True)
    screen.say("while hidden")
    screen.answers("You said: while hidden")
    expect(other.page.locator(".mine")).to_have_count(1)
    other.ask(HIDE, argument=False)
    other.answers("You said: while hidden")
    other.say("from the other")
    screen.answers("You said: from the other")
