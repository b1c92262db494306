from tests.unit.cli.conftest import Command


def test_a_folder_is_not_restored(threadline: Command) -> None:
    """Without a stack the command says what to do instead; without a copy, what it wants."""
    ended = threadline("restore", "conversations", "--from", "copy")
    assert ended.code == 1
    assert "a folder is copied back whole" in ended.err
    assert threadline("restore", "conversations").code == 2
    assert threadline("restore", "people", "--from", "copy").code == 2
