from dataclasses import replace

import pytest

from tests.unit.configure.compiling import (
    GITHUB,
    LOCAL,
    NAMESPACE,
    REMOTE,
    TELEGRAM,
    binding,
    compiled,
    row,
)
from threadline.app.configure.kinds import KINDS
from threadline.app.configure.surroundings import Surroundings
from threadline.core.settings import Allow, Busy, ReplyMode, Trigger

AGENT = "agents: {coder: {url: 'http://127.0.0.1:2024'}}\n"
BARE = Surroundings(namespace=NAMESPACE, demo_url="http://127.0.0.1:21024", local=True)


@pytest.mark.parametrize("text", ["", "# nothing\n", "agents:\nplatforms:\nbindings:\nlimits:\n"])
def test_an_empty_file_gives_a_playground_with_the_demo_agent(text: str) -> None:
    """Without a word of configuration the demo agent answers on the playground."""
    result = compiled(text, BARE)
    assert [agent.url for agent in result.settings.agents.values()] == ["http://127.0.0.1:21024"]
    assert [app.platform for app in result.settings.apps] == ["playground"]
    (only,) = result.settings.bindings
    assert (only.platform, only.agent, only.allow) == ("playground", "demo", Allow(everyone=True))
    assert result.settings.namespace == NAMESPACE
    on = {one.platform: one.on for one in result.platforms}
    assert on == {name: name == "playground" for name in KINDS}


def test_a_bot_token_alone_gives_a_working_bot() -> None:
    """With only a token, Telegram polls, the only agent answers, and nobody is let in yet."""
    around = replace(BARE, present={"telegram/default": frozenset({"bot_token"})})
    result = compiled("", around)
    bot = result.settings.app("telegram", "default")
    assert bot is not None
    assert bot.transport == "polling"
    assert row(result, "telegram").on
    assert row(result, "telegram").webhook == ""
    (found,) = [one for one in result.settings.bindings if one.platform == "telegram"]
    assert (found.agent, found.mention, found.chats) == ("demo", True, frozenset())
    assert found.allow == Allow(admitted=True)


def test_a_platform_without_secrets_is_off_and_says_which() -> None:
    """What is missing is named with the command that brings it."""
    around = replace(BARE, program=".venv/bin/threadline")
    result = compiled(AGENT + "platforms: {telegram: {apps: {work: }}}", around)
    off = row(result, "telegram", "work")
    assert not off.on
    assert off.why == "no bot_token: .venv/bin/threadline secrets set telegram/work"
    assert result.settings.app("telegram", "work") is None


def test_a_webhook_needs_its_secret_too() -> None:
    """Away from this machine Telegram comes by webhook, which is off without its secret."""
    around = replace(REMOTE, present={"telegram/default": frozenset({"bot_token"})})
    assert "no webhook_secret" in row(compiled(AGENT, around), "telegram").why
    assert row(compiled(AGENT, REMOTE), "telegram").webhook == "/webhooks/telegram"


def test_a_written_transport_holds() -> None:
    """On this machine too a webhook may be chosen."""
    text = "platforms: {telegram: {apps: {default: {transport: webhook}}}}"
    assert row(compiled(text), "telegram").webhook == "/webhooks/telegram"


@pytest.mark.parametrize(
    "text",
    [
        "platforms: {telegram: {enabled: false}}",
        "platforms: {telegram: {apps: {default: {enabled: false}}}}",
    ],
)
def test_a_platform_or_app_can_be_switched_off(text: str) -> None:
    """What is switched off has no route, whatever secrets there are."""
    result = compiled(text)
    assert row(result, "telegram").why == "switched off in threadline.yaml"
    assert result.settings.app("telegram", "default") is None


def test_the_playground_is_only_on_this_machine() -> None:
    """Even when asked for, the playground stays off where others could reach it."""
    result = compiled(AGENT + "platforms: {playground: {enabled: true}}", REMOTE)
    assert not row(result, "playground").on
    assert not row(compiled("platforms: {playground: {enabled: false}}"), "playground").on


def test_github_is_off_until_a_binding_names_repositories() -> None:
    """Secrets alone say nothing of repositories, and the row says what to write."""
    assert "no binding names its repositories" in row(compiled(""), "github").why
    text = "bindings: {code: {platform: github, repositories: [acme/widgets]}}"
    on = row(compiled(text), "github")
    assert (on.on, on.webhook) == (True, "/webhooks/github")


def test_github_posts_only_with_a_token_or_an_app() -> None:
    """Without credentials to post with, answers are logged, and that is said."""
    text = "bindings: {code: {platform: github, repositories: [acme/widgets]}}"
    bare = replace(LOCAL, present={"github/default": frozenset({"webhook_secret"})})
    assert binding(text, "code").reply is ReplyMode.COMMENT
    assert binding(text, "code", bare).reply is ReplyMode.LOG
    assert "only logged" in row(compiled(text, bare), "github").why
    wanted = text.replace("widgets]", "widgets], reply: comment")
    assert "cannot post: threadline secrets set github" in row(compiled(wanted, bare), "github").why


def test_githubs_own_defaults() -> None:
    """A binding that only names a repository leaves to GitHub which events call its agent."""
    found = binding("bindings: {code: {platform: github, repositories: [acme/widgets]}}", "code")
    assert found.busy is Busy.COLLECT
    assert found.chats == {"acme/widgets"}
    assert found.mention_name == "demo"
    assert found.triggers == ()


def test_triggers_keep_what_is_written_and_leave_the_rest_open() -> None:
    """An event without words leaves actions and mention to the platform's defaults."""
    found = binding(
        """
        platforms: {github: {mention_login: "@helper"}}
        bindings:
          code:
            platform: github
            repositories: [acme/widgets]
            triggers:
              issues:
              pull_request: {actions: [], require_mention: true}
              issue_comment: {actions: [created], allow_authors: ["@Ada"], mention_login: fixer}
        """,
        "code",
    )
    assert found.mention_name == "helper"
    assert found.triggers == (
        Trigger("issues"),
        Trigger("pull_request", frozenset(), require_mention=True),
        Trigger("issue_comment", frozenset({"created"}), None, frozenset({"ada"}), "fixer"),
    )


@pytest.mark.parametrize(
    ("platform", "own", "name"),
    [
        ("mention_login: all, apps: {default: {identity_name: bot}}", "mention_login: me, ", "me"),
        ("mention_login: all, apps: {default: {identity_name: bot}}", "", "bot"),
        ("mention_login: all", "", "all"),
        ("", "", "demo"),
    ],
)
def test_the_name_to_mention(platform: str, own: str, name: str) -> None:
    """The binding's, else the app's, else the platform's, else the agent's own name."""
    text = (
        f"platforms: {{github: {{{platform}}}}}\n"
        f"bindings: {{code: {{{own}platform: github, repositories: [acme/widgets]}}}}"
    )
    assert binding(text, "code").mention_name == name


def test_the_given_address_becomes_the_default_agent() -> None:
    """An address from outside replaces the demo agent and wins over the file's `default`."""
    around = replace(LOCAL, agent_url="http://10.0.0.5:2024/")
    assert list(compiled("", around).settings.agents) == ["default"]
    both = compiled("agents: {default: {url: 'http://x', assistant_id: graph}}", around).settings
    assert (both.agents["default"].url, both.agents["default"].assistant) == (
        "http://10.0.0.5:2024",
        "graph",
    )
    beside = compiled(AGENT, around).settings
    assert list(beside.agents) == ["coder", "default"]
    assert {one.agent for one in beside.bindings} == {"default"}


def test_several_agents_and_no_word_which_one() -> None:
    """An app whose agent cannot be guessed is off, and the row names the agents."""
    text = "agents: {a: {url: 'http://a'}, b: {url: 'http://b'}}"
    result = compiled(text)
    assert row(result, "telegram").why == (
        "several agents (a, b): say under `bindings:` which one answers"
    )
    assert result.settings.bindings == ()
    assert result.settings.apps == ()


def test_an_app_that_is_bound_gets_no_binding_of_its_own() -> None:
    """Where the file binds an app, it says all: other chats of it reach nobody."""
    found = compiled("bindings: {team: {platform: telegram, chats: [-100]}}").settings.bindings
    assert [one.name for one in found if one.platform == "telegram"] == ["team"]


def test_bindings_that_name_their_chats_come_first() -> None:
    """Whoever takes the first that fits finds the nearest."""
    found = compiled(
        """
        bindings:
          rest: {platform: telegram}
          team: {platform: telegram, chats: [-100]}
        """
    ).settings.bindings
    assert [one.name for one in found if one.platform == "telegram"] == ["team", "rest"]


def test_several_apps_of_one_platform() -> None:
    """An app of the file and one that only has secrets are both there, each with its route."""
    around = replace(
        REMOTE, present=TELEGRAM | {"telegram/work": TELEGRAM["telegram/default"]} | GITHUB
    )
    result = compiled(AGENT + "platforms: {telegram: {apps: {default: {identity: 77}}}}", around)
    assert row(result, "telegram", "work").webhook == "/webhooks/telegram/work"
    first = result.settings.app("telegram", "default")
    assert first is not None
    assert first.identity == "77"
    names = [one.name for one in result.settings.bindings]
    assert names == ["telegram/default", "telegram/work"]


def test_entries_of_odd_names_are_no_apps() -> None:
    """A secret stored under a name no app can have changes nothing."""
    around = replace(LOCAL, present={"telegram/a b": frozenset({"bot_token"})})
    assert not row(compiled("", around), "telegram").on


def test_limits_and_what_is_written_in_their_place() -> None:
    """Limits hold for all; an agent's and a binding's own win."""
    settings = compiled(
        """
        limits: {backlog: 5, rate: 30, time_limit: 60, give_up: 90, image_limit: 0}
        agents:
          a: {url: http://a, time_limit: 7200, image_limit: 100}
          default: {url: http://b, webhook: true}
        bindings:
          one: {platform: telegram, backlog: 3, rate: 0, owner: "team/ä", busy: reject}
          two: {platform: github, repositories: [a/b]}
        """
    ).settings
    first, second = settings.agents["a"], settings.agents["default"]
    assert (first.time_limit, first.give_up, first.image_limit) == (7200, 90, 100)
    assert (second.time_limit, second.give_up, second.image_limit) == (60, 90, 0)
    one, two = settings.binding("one"), settings.binding("two")
    assert one is not None
    assert two is not None
    assert (one.backlog, one.rate, one.busy) == (3, 0, Busy.REJECT)
    assert one.owner.startswith("team--")
    assert (two.backlog, two.rate, two.owner) == (5, 30, "")


def test_the_version_follows_the_content() -> None:
    """The same configuration has the same version on any machine, another one another."""
    first = compiled(AGENT).settings.version
    assert compiled("# words\n" + AGENT).settings.version == first
    assert compiled(AGENT, replace(LOCAL, namespace="other")).settings.version == first
    assert compiled("language: zh\n" + AGENT).settings.version != first


def test_public_address() -> None:
    """The address from outside wins over the file's, and neither ends in a slash."""
    text = "public_url: https://file.example.com/"
    assert compiled(text).settings.public_url == "https://file.example.com"
    around = replace(LOCAL, public_url="https://tunnel.example.com/")
    assert compiled(text, around).settings.public_url == "https://tunnel.example.com"
