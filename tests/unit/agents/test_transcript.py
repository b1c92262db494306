"""A run's own part of the messages."""

from threadline.agents.transcript import Transcript, after_turn, since_last_human, up_to_next_human
from threadline.core.agent import Artifact
from threadline.core.json import Json


def human(id_: str, *, hidden: bool = False) -> dict[str, Json]:
    """A person's message, or one that only looks like it."""
    marks: Json = {"hide_from_ui": hidden}
    return {"type": "human", "id": id_, "content": id_, "additional_kwargs": marks}


def ai(text: str, **more: Json) -> dict[str, Json]:
    """An assistant's message."""
    return {"type": "ai", "id": f"ai-{text}", "content": text, **more}


def presents(*paths: Json) -> dict[str, Json]:
    """An assistant's message that presents files."""
    call: Json = {"name": "present_files", "args": {"filepaths": paths}}
    return ai("", tool_calls=[{"name": "search", "args": {"filepaths": ["/no"]}}, call])


def test_the_answer_is_the_last_text() -> None:
    """An empty last message and tool results do not hide the text before them."""
    tool: Json = {"type": "tool", "content": "result"}
    assert Transcript([ai("Let me look."), tool, ai("Found."), tool, ai("")]).text() == "Found."
    assert Transcript([ai("")]).text() == ""
    assert Transcript([]).text() == ""


def test_only_what_follows_the_turn_is_its_own() -> None:
    """Earlier answers are not taken for this turn's, and another's id is not taken for ours."""
    messages = [human("t1"), ai("one"), human("t2"), ai("two")]
    first, second = after_turn(messages, "t1"), after_turn(messages, "t2")
    assert first is not None
    assert second is not None
    assert up_to_next_human(first).text() == "one"
    assert second.text() == "two"
    assert after_turn(messages, "t3") is None
    assert after_turn([ai("x", id="t4")], "t4") is None


def test_hidden_people_do_not_end_a_turn() -> None:
    """Context that was slipped in as a person's message does not cut the answer off."""
    following = after_turn([human("t1"), human("memory", hidden=True), ai("answer")], "t1")
    assert following is not None
    assert up_to_next_human(following).text() == "answer"


def test_a_resumed_run_leaves_out_what_was_known() -> None:
    """Text from before the question is not given again as the answer to the reply."""
    before = ai("I have to ask.")
    messages = [human("t1"), before, ai("Done.")]
    own = since_last_human(messages)
    assert own.beyond({"ai-I have to ask.", "t1"}).text() == "Done."
    assert own.beyond({"ai-I have to ask.", "t1", "ai-Done."}).text() == ""
    assert since_last_human([ai("alone")]).text() == "alone"


def test_a_model_that_failed_gives_no_answer() -> None:
    """What a server says in a failed model's place is for the operator only."""
    failed = ai("Error code: 400", additional_kwargs={"deerflow_error_fallback": True})
    transcript = Transcript([ai("Half"), failed])
    assert transcript.text() == "Half"
    assert transcript.failure() == "Error code: 400"
    assert Transcript([failed, ai("Recovered.")]).failure() == ""


def test_presented_files_are_listed_once_in_order() -> None:
    """Only presented paths count, the name is the last part and the kind goes by the name."""
    transcript = Transcript([presents("/out/a.png", "/out/b"), presents("/out/a.png", "", 7)])
    assert transcript.artifacts() == (
        Artifact("/out/a.png", "a.png", "image/png"),
        Artifact("/out/b", "b"),
    )
