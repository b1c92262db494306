from dataclasses import replace

import pytest

from tests.stubs.github import Fault, GitHubStub
from tests.unit.github.conftest import Talk
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.posting import Draft, Receipt, Reply, Stage
from threadline.platforms.github import PLATFORM
from threadline.platforms.github.api import REACTIONS
from threadline.platforms.github.facts import Target
from threadline.platforms.github.marker import bears
from threadline.platforms.github.render import MAX_COMMENT

NONCE = "0123456789abcdef0123456789abcdef"
OTHER_NONCE = "fedcba9876543210fedcba9876543210"
ANSWER = Draft("The **answer**.")


def test_an_answer_is_a_comment_with_a_hidden_line(talk: Talk) -> None:
    """What is posted stands in the conversation, and bears the part's nonce unseen."""
    receipt = talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, NONCE))
    (comment,) = talk.github.comments("acme/widgets", 42)
    assert receipt.id == str(comment.id)
    assert comment.body == f"<!-- threadline:{NONCE} -->\nThe **answer**."


def test_an_answer_to_a_review_comment_stands_in_its_thread(talk: Talk) -> None:
    """In a review thread the answer replies to the comment that began it."""
    pull = talk.github.add("acme/widgets", 7)
    first = talk.github.state.add(pull, "mona-member", "why?", review=True)
    talk.run(PLATFORM.post(ANSWER, talk.in_thread(first.id), talk.credentials, NONCE))
    reply = talk.github.comments("acme/widgets", 7)[-1]
    assert (reply.review, reply.reply_to) == (True, first.id)


def test_an_answer_to_a_vanished_review_comment_is_not_lost(talk: Talk) -> None:
    """Where the thread is gone the answer stands in the pull request's conversation."""
    receipt = talk.run(PLATFORM.post(ANSWER, talk.in_thread(404_404), talk.credentials, NONCE))
    (comment,) = talk.github.comments("acme/widgets", 7)
    assert (comment.review, str(comment.id)) == (False, receipt.id)


def test_the_longest_answer_is_taken(talk: Talk) -> None:
    """Every comment of an answer of any length is within GitHub's limit, hidden line included."""
    talk.github.state.apps.add("bot")
    drafts = PLATFORM.render(Reply("@bot " + "x @bot " * 30_000))
    assert len(drafts) > 1
    for draft in drafts:
        talk.run(PLATFORM.post(draft, talk.to, talk.credentials, NONCE))
    lengths = [len(comment.body) for comment in talk.github.comments("acme/widgets", 42)]
    assert max(lengths) <= MAX_COMMENT


@pytest.mark.parametrize("review", [False, True])
def test_an_edit_replaces_the_text_and_keeps_the_line(talk: Talk, *, review: bool) -> None:
    """An edited comment has the new text and can still be found by its nonce."""
    to = talk.to
    if review:
        pull = talk.github.add("acme/widgets", 7)
        to = talk.in_thread(talk.github.state.add(pull, "mona-member", "why?", review=True).id)
    receipt = talk.run(PLATFORM.post(ANSWER, to, talk.credentials, NONCE))
    again = talk.run(PLATFORM.edit(Draft("Better."), receipt, to, talk.credentials))
    body = talk.github.comments("acme/widgets", 7 if review else 42)[-1].body
    assert again == receipt
    assert body.endswith("\nBetter.")
    assert bears(body, NONCE)


@pytest.mark.parametrize("stage", Stage)
def test_a_stage_is_a_reaction_that_may_be_repeated(talk: Talk, stage: Stage) -> None:
    """Each stage reacts to the comment that asked; saying it twice is no error."""
    issue = talk.github.add("acme/widgets", 42)
    asked = talk.github.state.add(issue, "mona-member", "@acme-coder?")
    to = replace(talk.to, facts={**talk.to.facts, "target_id": str(asked.id)})
    for _ in range(2):
        talk.run(PLATFORM.signal(stage, to, talk.credentials))
    assert asked.reactions == [("acme-coder[bot]", REACTIONS[stage])]


def test_stages_are_those_with_a_reaction() -> None:
    """Every stage is announced as shown, and has a reaction that stands for it."""
    assert frozenset(REACTIONS) == PLATFORM.stages == frozenset(Stage)


@pytest.mark.parametrize("target", [Target.ISSUE, Target.PULL, Target.REVIEW])
def test_what_is_no_comment_is_marked_at_the_top(talk: Talk, target: Target) -> None:
    """An issue or pull request takes the reaction itself, and so for a review, which cannot."""
    to = replace(talk.to, facts={**talk.to.facts, "target": str(target)})
    talk.run(PLATFORM.signal(Stage.ACCEPTED, to, talk.credentials))
    assert talk.github.add("acme/widgets", 42).reactions == [("acme-coder[bot]", "eyes")]


def test_a_review_comment_takes_its_own_reaction(talk: Talk) -> None:
    """A comment on a diff is marked there."""
    pull = talk.github.add("acme/widgets", 7)
    asked = talk.github.state.add(pull, "mona-member", "why?", review=True)
    talk.run(PLATFORM.signal(Stage.FAILED, talk.in_thread(asked.id), talk.credentials))
    assert asked.reactions == [("acme-coder[bot]", "confused")]


def test_a_lost_post_is_found_again(talk: Talk) -> None:
    """A post whose answer was lost is unknown, and then found by its nonce: not posted twice."""
    talk.github.fault("POST", "/comments", Fault.drop("after"))
    with pytest.raises(PostUnknown):
        talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, NONCE))
    found = talk.run(PLATFORM.find_posted(ANSWER, talk.to, talk.credentials, NONCE))
    (comment,) = talk.github.comments("acme/widgets", 42)
    assert found is not None
    assert found.id == str(comment.id)
    assert talk.run(PLATFORM.edit(Draft("Then."), found, talk.to, talk.credentials)) == found


def test_a_post_that_never_arrived_is_not_found(talk: Talk) -> None:
    """A post that GitHub never saw certainly does not stand, nor does one of another nonce."""
    talk.github.fault("POST", "/comments", Fault.drop("before"))
    with pytest.raises(PostUnknown):
        talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, NONCE))
    talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, OTHER_NONCE))
    assert talk.run(PLATFORM.find_posted(ANSWER, talk.to, talk.credentials, NONCE)) is None


@pytest.mark.parametrize("before", [0, 1, 99, 100, 101, 250])
@pytest.mark.parametrize("after", [0, 1, 100])
def test_a_post_is_found_on_any_page(talk: Talk, before: int, after: int) -> None:
    """However many comments stand before and after it, a post is found, the newest pages first."""
    issue = talk.github.add("acme/widgets", 42)
    for _ in range(before):
        talk.github.state.add(issue, "mona-member", "older")
    receipt = talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, NONCE))
    for _ in range(after):
        talk.github.state.add(issue, "mona-member", "newer")
    assert talk.run(PLATFORM.find_posted(ANSWER, talk.to, talk.credentials, NONCE)) == receipt


@pytest.mark.parametrize("others", [0, 100, 150])
def test_a_post_in_a_review_thread_is_found(talk: Talk, others: int) -> None:
    """A reply in a review thread is found among the comments on the diff."""
    pull = talk.github.add("acme/widgets", 7)
    first = talk.github.state.add(pull, "mona-member", "why?", review=True)
    to = talk.in_thread(first.id)
    receipt = talk.run(PLATFORM.post(ANSWER, to, talk.credentials, NONCE))
    for _ in range(others):
        talk.github.state.add(pull, "mona-member", "newer", review=True)
    assert talk.run(PLATFORM.find_posted(ANSWER, to, talk.credentials, NONCE)) == receipt
    assert talk.run(PLATFORM.find_posted(ANSWER, to, talk.credentials, OTHER_NONCE)) is None


def test_a_post_that_left_its_thread_is_found(talk: Talk) -> None:
    """An answer that went to the conversation, its thread being gone, is found there."""
    to = talk.in_thread(404_404)
    receipt = talk.run(PLATFORM.post(ANSWER, to, talk.credentials, NONCE))
    assert talk.run(PLATFORM.find_posted(ANSWER, to, talk.credentials, NONCE)) == receipt


def test_a_renamed_repository_is_followed(talk: Talk) -> None:
    """A message from before a rename is still answered, within the same API."""
    talk.github.rename("acme/widgets", "acme/gizmos")
    receipt = talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, NONCE))
    assert [str(c.id) for c in talk.github.comments("acme/gizmos", 42)] == [receipt.id]
    assert talk.run(PLATFORM.find_posted(ANSWER, talk.to, talk.credentials, NONCE)) == receipt


@pytest.mark.parametrize(
    ("fault", "means"),
    [
        (Fault.limited(33), RateLimited),
        (Fault.limited(), RateLimited),
        (Fault.status(401, "Bad credentials"), CredentialsRejected),
        (Fault.status(403, "Resource not accessible by integration"), CredentialsRejected),
        (Fault.status(422, "Validation Failed"), PostRejected),
        (Fault.status(500), PostUnknown),
        (Fault.status(503), PlatformUnavailable),
    ],
)
def test_refusals_over_http_are_told_apart(
    talk: Talk, fault: Fault, means: type[PostError]
) -> None:
    """Each refusal becomes the error with the right retry decision, and nothing is posted."""
    talk.github.fault("POST", "/comments", fault)
    with pytest.raises(means):
        talk.run(PLATFORM.post(ANSWER, talk.to, talk.credentials, NONCE))
    assert talk.github.comments("acme/widgets", 42) == []


def test_the_real_refusals_of_a_conversation(talk: Talk, github: GitHubStub) -> None:
    """A locked, deleted or foreign conversation is never tried again."""
    github.add("acme/widgets", 43).locked = True
    github.add("acme/widgets", 44).deleted = True
    for number, means in (("43", PostRejected), ("44", ConversationGone), ("45", ConversationGone)):
        to = replace(talk.to, facts={**talk.to.facts, "number": number})
        with pytest.raises(means):
            talk.run(PLATFORM.post(ANSWER, to, talk.credentials, NONCE))
    github.add("acme/secret", 1, repository_id=2)
    elsewhere = replace(talk.to, chat="acme/secret", facts={"number": "1"})
    with pytest.raises(ConversationGone):
        talk.run(PLATFORM.post(ANSWER, elsewhere, talk.credentials, NONCE))


def test_a_destination_without_a_number_is_refused(talk: Talk) -> None:
    """Nothing is asked of GitHub where it is not known of which issue."""
    with pytest.raises(PostRejected):
        talk.run(PLATFORM.post(ANSWER, replace(talk.to, facts={}), talk.credentials, NONCE))
    assert talk.github.calls == []


def test_without_a_token_nothing_is_asked(talk: Talk) -> None:
    """Credentials without a token are the operator's concern, not GitHub's."""
    bare = replace(talk.credentials, secrets={})
    with pytest.raises(CredentialsRejected):
        talk.run(PLATFORM.post(ANSWER, talk.to, bare, NONCE))
    with pytest.raises(CredentialsRejected):
        talk.run(PLATFORM.edit(ANSWER, Receipt("1"), talk.to, bare))
