from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.contract.platforms.github import CREDENTIALS
from tests.unit.github.deliveries import association, by, message, put, said
from threadline.core.ids import AgentName, AppName, BindingName, OwnerId, PlatformName
from threadline.core.message import Message
from threadline.core.reasons import Reason
from threadline.core.settings import Allow, Binding, ReplyMode, Trigger
from threadline.platforms.github import PLATFORM
from threadline.platforms.github.threads import thread_id

MEMBERS = Allow(members=True)
COMMENT, ISSUES, PULL = "issue_comment", "issues", "pull_request"
REVIEW, REVIEW_COMMENT = "pull_request_review", "pull_request_review_comment"


def bound(
    *triggers: Trigger,
    agent: str = "coder",
    chats: Sequence[str] = ("acme/widgets",),
    allow: Allow = MEMBERS,
    mention: str = "acme-coder",
    owner: str = "",
    reply: ReplyMode = ReplyMode.COMMENT,
) -> Binding:
    """Make a binding of one agent to a repository."""
    return Binding(
        name=BindingName(f"{agent}-binding"),
        platform=PlatformName("github"),
        app=AppName("default"),
        agent=AgentName(agent),
        chats=frozenset(chats),
        owner=OwnerId(owner),
        allow=allow,
        mention_name=mention,
        triggers=triggers,
        reply=reply,
    )


def verdict(found: Message, binding: Binding, *others: Binding) -> str:
    """Give the first binding's reason, "" where it fires."""
    return PLATFORM.choose(found, (binding, *others))[0].reason


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("issue_comment.created", ""),
        ("issue_comment.on_pull_request", ""),
        ("issues.opened", ""),
        ("pull_request_review_comment.with_review", ""),
        ("pull_request_review_comment.in_thread", ""),
        ("pull_request.opened", Reason.MENTION_REQUIRED),
        ("pull_request_review.submitted", Reason.MENTION_REQUIRED),
        ("issue_comment.edited", Reason.ACTION_NOT_BOUND),
        ("pull_request.synchronize", Reason.ACTION_NOT_BOUND),
        ("issues.labeled_by_stranger", Reason.ACTION_NOT_BOUND),
        ("issue_comment.other_bot", Reason.BOT_SENDER),
        ("issue_comment.stranger", Reason.AUTHOR_NOT_TRUSTED),
        ("issue_comment.quoted_mention", Reason.MENTION_REQUIRED),
        ("issue_comment.team_mention", Reason.MENTION_REQUIRED),
    ],
)
def test_a_binding_without_triggers_answers_mentions(case: str, reason: str) -> None:
    """Where no trigger is written, new text of a member that mentions the agent fires it."""
    assert verdict(message(case), bound()) == reason


def test_an_event_that_is_not_bound_does_not_fire() -> None:
    """Triggers name the events that count; the others are left out."""
    binding = bound(Trigger(ISSUES))
    assert verdict(message("issue_comment.created"), binding) == Reason.EVENT_NOT_BOUND


@pytest.mark.parametrize(
    ("actions", "case", "reason"),
    [
        (None, "pull_request.opened", ""),
        (None, "pull_request.synchronize", Reason.ACTION_NOT_BOUND),
        (["synchronize"], "pull_request.opened", Reason.ACTION_NOT_BOUND),
        (["synchronize"], "pull_request.synchronize", ""),
        ([], "pull_request.opened", Reason.ACTION_NOT_BOUND),
        ([], "pull_request.synchronize", Reason.ACTION_NOT_BOUND),
    ],
)
def test_actions_decide(actions: list[str] | None, case: str, reason: str) -> None:
    """Written actions count as written, none at all block; unwritten means something new."""
    trigger = Trigger(PULL, None if actions is None else frozenset(actions))
    assert verdict(message(case), bound(trigger)) == reason


@pytest.mark.parametrize(
    ("trigger", "case", "reason"),
    [
        (Trigger(ISSUES), "issues.opened", ""),
        (Trigger(REVIEW), "pull_request_review.submitted", ""),
        (Trigger(COMMENT), "issue_comment.team_mention", Reason.MENTION_REQUIRED),
        (Trigger(COMMENT, require_mention=False), "issue_comment.team_mention", ""),
        (
            Trigger(REVIEW, require_mention=True),
            "pull_request_review.submitted", Reason.MENTION_REQUIRED,
        ),
        (Trigger(COMMENT, frozenset({"edited"})), "issue_comment.edited", ""),
    ],
)  # fmt: skip
def test_mentions_are_wanted_where_people_talk(trigger: Trigger, case: str, reason: str) -> None:
    """Comments want a mention and other events do not, unless the trigger says otherwise."""
    assert verdict(message(case), bound(trigger)) == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@acme-coder please", ""),
        ("@ACME-Coder, please", ""),
        ("@acme-coder[bot] please", ""),
        ("**@acme-coder**", ""),
        ("请@acme-coder看看", ""),
        ("@acme-coder-x please", Reason.MENTION_REQUIRED),
        ("me@acme-coder", Reason.MENTION_REQUIRED),
        ("acme-coder", Reason.MENTION_REQUIRED),
        ("> @acme-coder", Reason.MENTION_REQUIRED),
        ("`@acme-coder`", Reason.MENTION_REQUIRED),
        ("```\n@acme-coder\n```", Reason.MENTION_REQUIRED),
        ("https://x.example/@acme-coder", Reason.MENTION_REQUIRED),
        ("<!-- @acme-coder -->", Reason.MENTION_REQUIRED),
        ("@acme-coder/team", Reason.MENTION_REQUIRED),
        ("@coder please", Reason.MENTION_REQUIRED),
    ],
)
def test_only_a_mention_in_ones_own_words_counts(text: str, reason: str) -> None:
    """A name fires where its writer calls it, not where it is quoted, shown or part of another."""
    assert verdict(said(text), bound(Trigger(COMMENT))) == reason


@pytest.mark.parametrize(
    ("in_trigger", "in_binding", "agent", "called"),
    [
        ("tr", "bi", "ag", "tr"),
        ("", "bi", "ag", "bi"),
        ("  ", "  ", "ag", "ag"),
        ("", "@bi", "ag", "bi"),
    ],
)
def test_the_nearest_name_is_the_one_to_call(
    in_trigger: str, in_binding: str, agent: str, called: str
) -> None:
    """The trigger's name goes before the binding's, and that before the agent's own."""
    binding = bound(Trigger(COMMENT, mention=in_trigger), agent=agent, mention=in_binding)
    fired = [name for name in ("tr", "bi", "ag") if not verdict(said(f"@{name}"), binding)]
    assert fired == [called]


def test_listed_authors_need_no_mention_and_no_standing() -> None:
    """`allow_authors` fires at once, in any letter case, for whoever acts."""
    binding = bound(Trigger(COMMENT, allow_authors=frozenset({"Sam-Outside"})), allow=Allow())
    assert verdict(message("issue_comment.stranger"), binding) == ""
    assert verdict(message("issue_comment.created"), binding) == Reason.AUTHOR_NOT_TRUSTED


def test_listed_authors_are_those_who_act() -> None:
    """A stranger who labels a listed author's issue does not pass as that author."""
    listed = frozenset({"mona-member"})
    binding = bound(Trigger(ISSUES, frozenset({"labeled"}), allow_authors=listed))
    assert verdict(message("issues.labeled_by_stranger"), binding) == Reason.AUTHOR_NOT_TRUSTED


@pytest.mark.parametrize(
    ("allow", "standing", "reason"),
    [
        (Allow(), "OWNER", Reason.AUTHOR_NOT_TRUSTED),
        (MEMBERS, "OWNER", ""),
        (MEMBERS, "MEMBER", ""),
        (MEMBERS, "COLLABORATOR", ""),
        (MEMBERS, "CONTRIBUTOR", Reason.AUTHOR_NOT_TRUSTED),
        (MEMBERS, "NONE", Reason.AUTHOR_NOT_TRUSTED),
        (Allow(everyone=True), "NONE", ""),
        (Allow(senders=frozenset({"MONA-member"})), "NONE", ""),
        (Allow(senders=frozenset({"910001"})), "NONE", Reason.AUTHOR_NOT_TRUSTED),
        (Allow(chats=frozenset({"Acme/Widgets"})), "NONE", ""),
        (Allow(chats=frozenset({"acme/gadgets"})), "OWNER", Reason.AUTHOR_NOT_TRUSTED),
        (Allow(admitted=True), "NONE", Reason.AUTHOR_NOT_TRUSTED),
    ],
)
def test_only_the_allowed_may_call(allow: Allow, standing: str, reason: str) -> None:
    """An empty list admits nobody; members by GitHub's word, others by name, repository or all."""
    found = message("issue_comment.created", association(standing))
    assert verdict(found, bound(allow=allow)) == reason


@pytest.mark.parametrize(
    ("allow", "authors", "reason"),
    [
        (MEMBERS, "", Reason.BOT_SENDER),
        (Allow(everyone=True), "", Reason.BOT_SENDER),
        (Allow(senders=frozenset({"helper"})), "", Reason.BOT_SENDER),
        (Allow(bots=frozenset({"helper"})), "", ""),
        (Allow(bots=frozenset({"Helper[bot]"})), "", ""),
        (MEMBERS, "helper[bot]", ""),
        (MEMBERS, "helper", Reason.BOT_SENDER),
    ],
)
def test_bots_must_be_listed(allow: Allow, authors: str, reason: str) -> None:
    """A bot fires nothing unless it is named as one, also where everyone may call."""
    trigger = Trigger(COMMENT, allow_authors=frozenset({authors} - {""}))
    assert verdict(message("issue_comment.other_bot"), bound(trigger, allow=allow)) == reason


def test_an_agent_does_not_answer_itself() -> None:
    """An agent's own account fires the others, not the agent; a person of its name may call."""
    account = by({"login": "acme-coder[bot]", "id": 1, "type": "Bot"})
    everyone = Allow(everyone=True, bots=frozenset({"acme-coder"}))
    coder = bound(Trigger(COMMENT, require_mention=False), allow=everyone)
    other = bound(
        Trigger(COMMENT, require_mention=False), agent="reviewer", mention="", allow=everyone
    )
    nobody = replace(CREDENTIALS, identity="", identity_name="")
    found = message("issue_comment.other_bot", account, credentials=nobody)
    assert [one.reason for one in PLATFORM.choose(found, (coder, other))] == [Reason.SELF_EVENT, ""]
    person = by({"login": "coder", "id": 2, "type": "User"})
    assert verdict(message("issue_comment.created", person), coder) == ""
    unnamed = bound(Trigger(COMMENT), mention="")
    assert verdict(message("issue_comment.created", person), unnamed) == Reason.SELF_EVENT


@pytest.mark.parametrize(
    ("case", "others", "reason"),
    [
        ("with_review", [Trigger(REVIEW)], Reason.REDUNDANT_REVIEW_COMMENT),
        ("in_thread", [Trigger(REVIEW)], ""),
        ("with_review", [], ""),
        ("with_review", [Trigger(REVIEW, require_mention=True)], ""),
        ("with_review", [Trigger(REVIEW, frozenset({"dismissed"}))], ""),
        ("with_review", [Trigger(REVIEW, frozenset())], ""),
    ],
)
def test_a_comment_that_comes_with_its_review_fires_once(
    case: str, others: list[Trigger], reason: str
) -> None:
    """A review's first comments do not call an agent that the review itself calls."""
    binding = bound(Trigger(REVIEW_COMMENT), *others)
    assert verdict(message(f"pull_request_review_comment.{case}"), binding) == reason


def test_redundancy_looks_at_the_same_agent_and_repository() -> None:
    """Another agent, owner or repository that reviews call does not silence this one."""
    found = message("pull_request_review_comment.with_review")
    coder = bound(Trigger(REVIEW_COMMENT))
    for other in (
        bound(Trigger(REVIEW), agent="reviewer"),
        bound(Trigger(REVIEW), owner="another"),
        bound(Trigger(REVIEW), chats=["acme/gadgets"]),
    ):
        assert verdict(found, coder, other) == ""
    assert verdict(found, coder, bound(Trigger(REVIEW))) == Reason.REDUNDANT_REVIEW_COMMENT


def test_a_comment_refused_anyway_keeps_its_own_reason() -> None:
    """Redundancy is told only of a comment that would have fired."""
    binding = bound(Trigger(REVIEW_COMMENT), Trigger(REVIEW))
    found = message(
        "pull_request_review_comment.with_review", put("comment", "body", value="no call")
    )
    assert verdict(found, binding) == Reason.MENTION_REQUIRED


def test_a_binding_elsewhere_is_not_asked() -> None:
    """Repositories are compared without regard to letter case; none written means every one."""
    found = message("issue_comment.created")
    assert PLATFORM.choose(found, [bound(chats=["acme/gadgets"])]) == ()
    assert len(PLATFORM.choose(found, [bound(chats=["ACME/Widgets"]), bound(chats=[])])) == 2


def test_each_agent_has_its_own_conversation() -> None:
    """One delivery that fires two agents leads to two topics and two threads."""
    found = message("issue_comment.created", put("comment", "body", value="@one and @two"))
    agents = [bound(agent="one", mention=""), bound(agent="two", mention="")]
    first, second = PLATFORM.choose(found, agents)
    assert (first.topic, second.topic) == ("42:one", "42:two")
    assert first.thread != second.thread
    assert (first.reason, second.reason) == ("", "")


@pytest.mark.parametrize(
    ("repository", "number", "agent", "expected"),
    [
        ("owner/repo", "7", "coder", "c61a3433-8940-5b34-87bb-6375ebf85fc2"),
        ("owner/repo", "7", "reviewer", "9966a795-d231-5359-82e1-c20559e97ea1"),
        ("acme/widgets", "42", "coder", "dc498b42-ad80-57b0-bf6f-7802e16fb91c"),
    ],
)
def test_threads_meet_those_of_other_bridges(
    repository: str, number: str, agent: str, expected: str
) -> None:
    """The thread of repository, number and agent is the known UUID, the same everywhere."""
    assert thread_id(repository, number, AgentName(agent)) == expected
