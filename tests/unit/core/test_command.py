import time

import pytest

from threadline.core.command import CommandName, connect_code, recognise


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("/connect Ab-_9", "Ab-_9"),
        ("@bot /connect Ab-_9", "Ab-_9"),
        ("<@123> <@!9> /CONNECT x extra", "x"),
        ("  /start\nAb-_9 ", "Ab-_9"),
        ("connect x", ""),
        ("/connect", ""),
        ("/connected x", ""),
        ("please /connect x", ""),
        ("@ /connect x", ""),
        ("", ""),
    ],
)
def test_a_code_is_read_behind_mentions_alone(text: str, code: str) -> None:
    """The word with its slash, in any case, and the next one as it was written."""
    assert connect_code(text) == code


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/NEW now", CommandName.NEW),
        ("/new", CommandName.NEW),
        ("/Help\nme", CommandName.HELP),
        (" /new", None),
        ("/mnt/user-data/uploads/a.pdf", None),
        ("/newer", None),
        ("new", None),
        ("@bot /new", None),
    ],
)
def test_a_command_stands_at_the_very_start(text: str, name: CommandName | None) -> None:
    """In any case; paths, skills and what stands behind a blank are chat."""
    command = recognise(text)
    assert (command.name if command else None) == name


def test_mentions_may_stand_before_a_command_where_they_address_us() -> None:
    """In an addressed message leading mentions are passed over, and only they."""
    for text in ("@bot /new", "<@1> <@!2> /new", "@a @b /new"):
        command = recognise(text, addressed=True)
        assert command is not None
        assert command.name is CommandName.NEW
    assert recognise("hello @bot /new", addressed=True) is None
    assert recognise("@bot/new", addressed=True) is None


@pytest.mark.parametrize("end", ["/new", "x"])
def test_very_many_mentions_cost_by_their_number(end: str) -> None:
    """A message of nothing but mentions takes a moment; by their square it took minutes."""
    text, began = "@a " * 900_000 + end, time.process_time()
    command = recognise(text, addressed=True)
    assert (command and str(command.name)) == ("new" if end == "/new" else None)
    assert connect_code(text) == ""
    assert time.process_time() - began < 5
