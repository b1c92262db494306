import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from threadline.core.errors import StoreUnavailable
from threadline.local.playground import chats as module
from threadline.local.playground.chats import Chats, StoredFile, Words


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Chats]:
    """Give an empty list."""
    opened = Chats(tmp_path / "chats.db")
    yield opened
    opened.close()


def test_what_was_said_survives_the_process(tmp_path: Path) -> None:
    """Opened anew, the list has chats, messages, answers and revisions as they were."""
    path = tmp_path / "chats.db"
    before = Chats(path)
    said = before.say("c1", "hello", "k1", 1.0)
    before.settle(said.id, "accepted", 1.5)
    post = before.post("c1", Words("You said: hello", "answer", ("a",)), "n1", said.id, 2.0)
    known = before.changed("c1")
    before.close()
    after = Chats(path)
    assert after.changed("c1") == known
    assert [one.id for one in after.answers(said.id)] == [post]
    assert after.say("c1", "more", "k2", 3.0).revision > max(one.revision for one in known)
    after.close()


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Nobody else on the machine may read what was said."""
    Chats(tmp_path / "chats.db").close()
    assert stat.S_IMODE((tmp_path / "chats.db").stat().st_mode) == 0o600


def test_the_list_is_bounded(chats: Chats, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest messages of a chat, the longest unused chats and the oldest files go."""
    monkeypatch.setattr(module, "MOST_MESSAGES", 3)
    monkeypatch.setattr(module, "MOST_CHATS", 2)
    monkeypatch.setattr(module, "MOST_FILES", 2)
    for number in range(5):
        chats.say("c1", f"message {number}", f"k{number}", float(number))
    assert [said.text for said in chats.changed("c1")] == ["message 2", "message 3", "message 4"]
    for number, chat in enumerate(("c2", "c1", "c3"), 10):
        chats.say(chat, "hello", f"k{number}", float(number))
    assert [title.chat for title in chats.titles()] == ["c3", "c1"]
    assert chats.changed("c2") == ()
    for number in range(3):
        chats.keep(f"f{number}", StoredFile("a", "text/plain", b"x"), float(number))
    assert [chats.file(f"f{number}") is None for number in range(3)] == [True, False, False]


def test_every_change_has_a_later_revision(chats: Chats) -> None:
    """A page that knows a revision is given what changed since, and only that."""
    said = chats.say("c1", "hello", "k1", 1.0)
    post = chats.post("c1", Words("…", "progress"), "n1", said.id, 2.0)
    known = max(one.revision for one in chats.changed("c1"))
    assert chats.changed("c1", known) == ()
    assert chats.edit(post, Words("You", "progress"), 3.0)
    assert [one.id for one in chats.changed("c1", known)] == [post]
    chats.settle(said.id, "accepted", 4.0)
    assert [one.id for one in chats.changed("c1", known)] == [said.id, post]


def test_only_what_was_refused_is_sent_again(chats: Chats) -> None:
    """Under its key a refused message is on its way again; an accepted one stays as it is."""
    said = chats.say("c1", "hello", "k1", 1.0)
    chats.settle(said.id, "refused", 2.0, "why")
    again = chats.say("c1", "hello", "k1", 3.0)
    assert (again.id, again.state, again.why, again.at) == (said.id, "sending", "", 1.0)
    chats.settle(said.id, "accepted", 4.0)
    assert chats.say("c1", "hello", "k1", 5.0).state == "accepted"
    assert len(chats.changed("c1")) == 1


def test_what_a_dead_process_had_not_sent_is_marked(chats: Chats) -> None:
    """Only messages on their way are marked; everything else stays."""
    chats.settle(chats.say("c1", "sent", "k1", 1.0).id, "accepted", 1.1)
    chats.say("c1", "lost", "k2", 2.0)
    chats.give_up_sending("ended")
    assert [(said.state, said.why) for said in chats.changed("c1")] == [
        ("accepted", ""),
        ("refused", "ended"),
    ]


def test_a_chat_is_called_by_what_was_said_first(chats: Chats) -> None:
    """The title is one short line; an attached file gives its name where there is no text."""
    chats.say("c1", "two\n  lines " + "x" * 100, "k1", 1.0)
    chats.say("c1", "later", "k2", 2.0)
    chats.say("c2", "", "k3", 3.0, ({"id": "f", "name": "notes.txt"},))
    titles = {title.chat: title.title for title in chats.titles()}
    assert titles["c1"].startswith("two lines xxx")
    assert len(titles["c1"]) == 60
    assert titles["c2"] == "notes.txt"


def test_a_list_of_another_version_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an update that changes the tables the playground starts with an empty list."""
    path = tmp_path / "chats.db"
    before = Chats(path)
    before.say("c1", "hello", "k1", 1.0)
    before.close()
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    after = Chats(path)
    assert after.titles() == ()
    assert after.say("c1", "hello", "k1", 1.0).state == "sending"
    after.close()


def test_a_file_that_is_no_list_is_said_to_be_none(tmp_path: Path) -> None:
    """A broken file gives an error that names it, fit to be shown."""
    path = tmp_path / "chats.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreUnavailable, match=r"chats\.db cannot be used"):
        Chats(path)
