import pytest

from tests.unit.configure.compiling import binding
from threadline.app.agents import session
from threadline.core.message import Sender
from threadline.core.settings import Session

LAYERED = """
    session: {assistant_id: default, config: {recursion_limit: 100}, context: {mode: slow, a: 1}}
    platforms:
      telegram:
        session:
          assistant_id: chat
          context: {mode: fast}
          users:
            7: {context: {mode: user, b: 2}}
            8: {assistant_id: eight}
    bindings:
      plain: {platform: telegram, chats: [1]}
      team:
        platform: telegram
        session:
          config: {recursion_limit: 150}
          context: {mode: team}
          users:
            7: {assistant_id: seven, context: {mode: person}}
"""


def merged(name: str, sender: str) -> Session:
    """Merge the layers as a run does."""
    return session(binding(LAYERED, name), Sender(sender))


@pytest.mark.parametrize(
    ("name", "sender", "expected"),
    [
        ("plain", "1", Session("chat", {"recursion_limit": 100}, {"mode": "fast", "a": 1})),
        ("team", "1", Session("chat", {"recursion_limit": 150}, {"mode": "team", "a": 1})),
        ("plain", "7", Session("chat", {"recursion_limit": 100}, {"mode": "user", "a": 1, "b": 2})),
        (
            "team",
            "7",
            Session("seven", {"recursion_limit": 150}, {"mode": "person", "a": 1, "b": 2}),
        ),
        ("team", "8", Session("eight", {"recursion_limit": 150}, {"mode": "team", "a": 1})),
    ],
)
def test_later_layers_win_key_by_key(name: str, sender: str, expected: Session) -> None:
    """All, the platform, the binding, the person: the last word on each key holds."""
    assert merged(name, sender) == expected


@pytest.mark.parametrize(
    ("written", "own", "limit"),
    [
        ("", "", 250),
        ("session: {config: {recursion_limit: 100}}", "", 250),
        ("session: {config: {recursion_limit: 400}}", "", 400),
        ("platforms: {github: {session: {config: {recursion_limit: 300}}}}", "", 300),
        ("session: {config: {recursion_limit: 400}}", "50", 50),
        ("", "1", 1),
    ],
)
def test_the_recursion_limit_on_github(written: str, own: str, limit: int) -> None:
    """An agent working alone gets at least 250 steps, unless its binding says another number."""
    layer = f", session: {{config: {{recursion_limit: {own}}}}}" if own else ""
    text = f"{written}\nbindings: {{b: {{platform: github, repositories: [a/b]{layer}}}}}"
    assert session(binding(text, "b"), Sender("ada")).config == {"recursion_limit": limit}


def test_the_recursion_limit_elsewhere() -> None:
    """A run of a chat gets 100 steps where nothing is written."""
    found = binding("bindings: {b: {platform: telegram}}", "b")
    assert session(found, Sender("1")).config == {"recursion_limit": 100}


def test_what_is_written_for_a_run_is_passed_on_unchanged() -> None:
    """Lists, numbers and null reach the run as they stand in the file."""
    text = "session: {context: {deep: {list: [1, 2.5, no, null, true]}}}\n"
    found = binding(text + "bindings: {b: {platform: telegram}}", "b")
    assert session(found, Sender("1")).context == {"deep": {"list": [1, 2.5, "no", None, True]}}
