from dataclasses import replace

import pytest

from tests.unit.configure.compiling import LOCAL, REMOTE, faults
from threadline.app.configure.faults import nearest, spell

AGENT = "agents: {coder: {url: 'http://127.0.0.1:2024'}}\n"
TWO = "agents: {coder: {url: 'http://a:1'}, chat: {url: 'http://b:1'}}\n"
BINDING = AGENT + "bindings: {team: {platform: telegram, "
REPOSITORY = AGENT + "bindings: {team: {platform: github, repositories: [acme/widgets], "

SHAPE = [
    ("langage: en", "langage: unknown key; did you mean `language`?"),
    ("zzz: en", "zzz: unknown key; write one of: agents, bindings, language, limits, platforms"),
    ("language: de", "language: write one of: en, zh"),
    ("stage: Dev", "stage: a stage has small letters, digits and `-`, such as `dev` or `prod`"),
    ("public_url: example.com", "public_url: wants an address such as"),
    ("public_url: https://x y", "public_url: wants an address such as"),
    ("public_url: https://[::1", "public_url: wants an address such as"),
    ("public_url: https://x:99999", "public_url: wants an address such as"),
    ("public_url: https://x?a=b", "public_url: wants an address such as"),
    ("limits: {backlog: 0}", "limits.backlog: greater than or equal to 1 is wanted"),
    ("limits: {backlog: 41}", "limits.backlog: less than or equal to 40 is wanted"),
    ("limits: {time_limit: yes}", "limits.time_limit: wants a number"),
    ("limits: {rate: 1.5}", "limits.rate: wants a whole number"),
    ("limits: {rate: true}", "limits.rate: wants a whole number"),
    ("agents: [a]", "agents: wants `key: value` lines below it"),
    ("agents: {a: }", "agents.a: wants `key: value` lines below it"),
    ("agents: {a: {}}", "agents.a.url: is missing: its address, such as http://127.0.0.1:2024"),
    ("agents: {a: {url: ftp://x}}", "agents.a.url: wants an address such as"),
    ("agents: {a: {url: file:///etc}}", "agents.a.url: wants an address such as"),
    ("agents: {a b: {url: http://x}}", "agents.a b: a name has letters, digits, `-` and `_`"),
    ("agents: {a: {url: http://x, dialect: x}}", "agents.a.dialect: write one of: langgraph"),
    ("agents: {a: {url: http://x, assistant_id: ''}}", "agents.a.assistant_id: is empty;"),
    ("session: {config: {recursion_limit: 0}}", "session.config: recursion_limit wants a whole"),
    ("session: {config: {recursion_limit: many}}", "session.config: recursion_limit wants a"),
    ("platforms: {telegarm: }", "platforms.telegarm: unknown platform; did you mean `telegram`?"),
    ("bindings: {b: {}}", "bindings.b.platform: is missing: the platform it is on"),
    ("bindings: {b: {platform: pigeon}}", "bindings.b.platform: unknown platform; write one of:"),
]
CROSS = [
    (
        BINDING + "agent: codr}}",
        "bindings.team.agent: no agent has this name; did you mean `coder`",
    ),
    (BINDING + "app: work}}", "bindings.team.app: telegram has no such app; write one of: default"),
    (BINDING + "busy: wait}}", "bindings.team.busy: write one of: queue, collect, interrupt, rej"),
    (BINDING + "reply: coment}}", "bindings.team.reply: write one of: chat, comment, log"),
    (BINDING + "chats: }}", "bindings.team.chats: wants a list such as `[a, b]`"),
    (
        BINDING + "chats: []}}",
        "bindings.team.chats: is an empty list; fill it or leave the key out",
    ),
    (BINDING + "chats: ['@team']}}", "bindings.team.chats[0]: wants a chat's number, such as -100"),
    (BINDING + "chats: [1, 1]}}", "bindings.team.chats[1]: is in this list already"),
    (BINDING + "repositories: [a/b]}}", "bindings.team.repositories: is not for telegram; write"),
    (BINDING + "triggers: {issues: }}}", "bindings.team.triggers: is not for telegram; remove it"),
    (BINDING + "mention_login: x}}", "bindings.team.mention_login: is not for telegram; remove it"),
    (BINDING + "session: {users: {ada: }}}}", "bindings.team.session.users.ada: no id of a person"),
    (
        AGENT + "bindings: {team: {platform: github}}",
        "bindings.team: names no place; write `repositories:` with `owner/name` each",
    ),
    (REPOSITORY + "chats: [1]}}", "bindings.team.chats: is not for github; write `repositories:`"),
    (REPOSITORY + "reply: chat}}", "bindings.team.reply: github answers in one of: comment, log"),
    (
        REPOSITORY + "mention: true}}",
        "bindings.team.mention: is for chats; write `require_mention`",
    ),
    (REPOSITORY + "triggers: {}}}", "bindings.team.triggers: nothing fires; write some of: issues"),
    (
        REPOSITORY + "triggers: {issue_coment: }}}",
        "bindings.team.triggers.issue_coment: unknown event; did you mean `issue_comment`?",
    ),
    (
        REPOSITORY + "triggers: {ping: }}}",
        "bindings.team.triggers.ping: unknown event; write one of: issue_comment",
    ),
    (
        AGENT + "bindings: {team: {platform: github, repositories: ['https://github.com/a/b']}}",
        "bindings.team.repositories[0]: wants `owner/name`",
    ),
    (TWO + "bindings: {b: {platform: telegram}}", "bindings.b: say which agent answers: `agent: "),
    (
        TWO + "bindings:\n  a: {platform: telegram, agent: chat}\n"
        "  b: {platform: telegram, agent: coder}",
        "bindings.b: every other chat of telegram/default belongs to binding `a` already",
    ),
    (
        AGENT + "bindings:\n  a: {platform: telegram, chats: [-5]}\n"
        "  b: {platform: telegram, chats: [-5]}",
        "bindings.b.chats[0]: this chat belongs to binding `a` already",
    ),
    (
        AGENT + "bindings:\n  a: {platform: github, repositories: [acme/widgets]}\n"
        "  b: {platform: github, repositories: [Acme/Widgets]}",
        "bindings.b.repositories[0]: this repository with agent `coder` belongs to binding `a`",
    ),
    (
        "platforms: {telegram: {mention_login: x}}",
        "platforms.telegram.mention_login: is for platforms where agents are mentioned by login",
    ),
    (
        "platforms: {telegram: {apps: {work: {transport: poling}}}}",
        "platforms.telegram.apps.work.transport: did you mean `polling`?",
    ),
    (
        "platforms: {github: {apps: {default: {transport: polling}}}}",
        "platforms.github.apps.default.transport: write one of: webhook",
    ),
    (
        "stage: prod\nplatforms: {telegram: {apps: {work: {base_url: 'http://127.0.0.1:1'}}}}",
        "platforms.telegram.apps.work.base_url: is read in stage dev only; remove it",
    ),
    ("stage: prod\npublic_url: http://x", "public_url: wants https outside stage dev"),
    (
        "agents: {d: {url: 'http://x', dialect: deerflow, event_streaming: true}}",
        "agents.d.event_streaming: wants dialect `langgraph`",
    ),
]


@pytest.mark.parametrize(("text", "said"), SHAPE + CROSS)
def test_a_fault_says_what_is_wrong_and_what_to_write(text: str, said: str) -> None:
    """One mistake gives one fault, which begins with its line and its path."""
    (fault,) = faults(text)
    assert fault.startswith("threadline.yaml:")
    assert fault.split(": ", 1)[1].startswith(said)


def test_every_fault_is_told_at_once() -> None:
    """A mistake in one place does not hide those elsewhere, nor bring up false ones."""
    told = faults("""
        langage: en
        agents:
          coder: {url: nowhere}
          chat: {url: http://127.0.0.1:2024}
        platforms:
          telegram:
            allow: all
            apps: {work: {enabld: true}}
        bindings:
          one: {platform: telegram, app: work, agent: coder, chats: }
          two: {platform: telegram, app: work, agent: chta}
          three: {platform: telegram, app: home, agent: coder}
    """)
    assert [fault.split(": ")[:2] for fault in told] == [
        ["threadline.yaml:1", "langage"],
        ["threadline.yaml:3", "agents.coder.url"],
        ["threadline.yaml:7", "platforms.telegram.allow"],
        ["threadline.yaml:8", "platforms.telegram.apps.work.enabld"],
        ["threadline.yaml:10", "bindings.one.chats"],
        ["threadline.yaml:11", "bindings.two.agent"],
        ["threadline.yaml:12", "bindings.three.app"],
    ]


def test_an_installation_without_any_agent_is_a_fault() -> None:
    """Where no demo agent is at hand, a file that names none cannot be used."""
    assert faults("", REMOTE) == [
        "threadline.yaml: agents: none; write `agents: {NAME: {url: https://…}}`"
    ]


def test_an_agent_that_calls_back_needs_an_address_to_call() -> None:
    """Away from this machine, a callback without a public address could never arrive."""
    (fault,) = faults("agents: {a: {url: 'https://a', webhook: true}}", REMOTE)
    assert "agents.a.webhook: wants `public_url`" in fault


@pytest.mark.parametrize("url", ["localhost:2024", "ftp://x", "http://", "https://u:p@x"])
def test_addresses_from_outside_the_file_are_checked_too(url: str) -> None:
    """A wrong address in the environment is told by the variable's name, without the value."""
    (fault,) = faults("", replace(LOCAL, agent_url=url))
    assert fault.startswith("threadline.yaml: THREADLINE_AGENT_URL: wants an address")
    assert url not in fault


def test_more_than_the_store_takes_at_once_is_a_fault() -> None:
    """Settings are written in one step, so their number has a bound that is said."""
    text = (
        AGENT
        + "bindings:\n"
        + "".join(f"  b{n}: {{platform: telegram, chats: [{n + 1}]}}\n" for n in range(95))
    )
    (fault,) = faults(text)
    assert "bindings: more than 95 agents, apps and bindings" in fault


def test_paths_are_spelt_as_people_write_them() -> None:
    """Keys are joined by dots, entries of lists are numbered."""
    assert spell(("bindings", "team", "chats", 0)) == "bindings.team.chats[0]"


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("telegarm", ["github", "telegram"], "did you mean `telegram`?"),
        ("x", ["b", "a"], "write one of: a, b"),
        ("x", [], "nothing can be written here"),
    ],
)
def test_the_nearest_word_is_suggested(word: str, known: list[str], said: str) -> None:
    """A near miss is named; otherwise everything that could be written is."""
    assert nearest(word, known) == said
