import pytest

from tests.unit.configure.compiling import LOCAL, binding, compiled, faults
from threadline.core.settings import Allow

TELEGRAM = "bindings: {b: {platform: telegram%s}}"
GITHUB = "bindings: {b: {platform: github, repositories: [a/b]%s}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TELEGRAM % "", Allow(admitted=True)),
        (TELEGRAM % ", chats: [-100, 5]", Allow(admitted=True, chats=frozenset({"-100", "5"}))),
        (GITHUB % "", Allow(members=True)),
        ("bindings: {b: {platform: playground}}", Allow(everyone=True)),
    ],
)
def test_who_may_talk_where_nothing_is_written(text: str, expected: Allow) -> None:
    """Telegram: whom a code let in, and the chats a binding names; GitHub: members; never all."""
    assert binding(text, "b").allow == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("everyone", Allow(everyone=True)),
        ("admitted", Allow(admitted=True)),
        ("nobody", Allow()),
        ("{}", Allow()),
        ("{senders: []}", Allow()),
        ("{senders: [1, '2']}", Allow(senders=frozenset({"1", "2"}))),
        (
            "{admitted: true, chats: [-5], bots: [9]}",
            Allow(admitted=True, chats=frozenset({"-5"}), bots=frozenset({"9"})),
        ),
    ],
)
def test_a_written_list_replaces_the_default(written: str, expected: Allow) -> None:
    """What is not in the list is not allowed, also when the binding names chats."""
    assert binding(TELEGRAM % f", chats: [-7], allow: {written}", "b").allow == expected


def test_a_platforms_list_holds_where_its_bindings_have_none() -> None:
    """The platform's list serves its bindings, and a binding's own wins, an empty one too."""
    text = """
        platforms: {telegram: {allow: {senders: [1]}}}
        bindings:
          plain: {platform: telegram, chats: [-1]}
          open: {platform: telegram, chats: [-2], allow: everyone}
          shut: {platform: telegram, allow: {}}
    """
    assert binding(text, "plain").allow == Allow(senders=frozenset({"1"}))
    assert binding(text, "open").allow == Allow(everyone=True)
    assert binding(text, "shut").allow == Allow()


def test_a_platforms_list_holds_for_a_bot_without_a_binding() -> None:
    """A list is enough: no binding has to be written for it."""
    found = compiled("platforms: {telegram: {allow: {senders: [1]}}}").settings
    assert found.bindings[-1].allow == Allow(senders=frozenset({"1"}))


@pytest.mark.parametrize(
    "written",
    [
        "",
        "null",
        "true",
        "everybody",
        "[1, 2]",
        "7",
        "members",
        "{senders: 1}",
        "{senders: }",
        "{senders: [ada]}",
        "{senders: ['@ada']}",
        "{senders: [1.5]}",
        "{senders: [true]}",
        "{senders: ['']}",
        "{senders: [{id: 1}]}",
        "{chats: [team]}",
        "{bots: [helper]}",
        "{everyone: yes}",
        "{members: true}",
        "{sender: [1]}",
    ],
)
@pytest.mark.parametrize("where", ["bindings: {b: {platform: telegram, allow: %s}}",
                                   "platforms: {telegram: {allow: %s}}"])  # fmt: skip
def test_a_list_that_cannot_be_read_admits_nobody(where: str, written: str) -> None:
    """Such a list never becomes a default: nothing is compiled, and the fault says so in words."""
    (fault,) = faults(where % written, LOCAL)
    assert "admits nobody" in fault


def test_github_lists_are_logins_and_repositories() -> None:
    """On GitHub people go by login, and nobody is let in by a code."""
    written = "{members: true, senders: [Ada, dependabot], bots: ['renovate[bot]']}"
    found = binding(GITHUB % f", allow: {written}", "b")
    assert found.allow.senders == {"Ada", "dependabot"}
    (fault,) = faults(GITHUB % ", allow: admitted")
    assert "means nothing on github; write one of everyone, members, nobody" in fault
