from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.contract.platforms.github import CREDENTIALS
from tests.unit.github.deliveries import (
    NOW,
    Change,
    association,
    by,
    message,
    parsed,
    put,
    request,
    without,
)
from threadline.core.message import Handshake, Ignored, MessageKind, Trust
from threadline.core.reasons import Reason
from threadline.platforms.github import PLATFORM

OTHER = {"login": "someone-else", "id": 5, "type": "User"}


@pytest.mark.parametrize(
    ("name", "trust"),
    [
        ("OWNER", Trust.OWNER),
        ("MEMBER", Trust.MEMBER),
        ("COLLABORATOR", Trust.MEMBER),
        ("CONTRIBUTOR", Trust.NONE),
        ("FIRST_TIME_CONTRIBUTOR", Trust.NONE),
        ("FIRST_TIMER", Trust.NONE),
        ("MANNEQUIN", Trust.NONE),
        ("NONE", Trust.NONE),
        ("", Trust.NONE),
        ("owner", Trust.NONE),
    ],
)
def test_trust_is_what_github_says_of_the_author(name: str, trust: Trust) -> None:
    """Owners, members and collaborators belong to the repository; nobody else does."""
    assert message("issue_comment.created", association(name)).sender.trust is trust


def test_trust_is_the_actors_not_the_authors() -> None:
    """A stranger who touches a member's issue gains nothing from its author."""
    labeled = message("issues.labeled_by_stranger")
    assert (labeled.sender.id, labeled.sender.trust) == ("sam-outside", Trust.NONE)
    assert message("issue_comment.created", by(OTHER)).sender.trust is Trust.NONE


def test_the_owner_of_a_repository_is_known_by_it() -> None:
    """Whoever owns the repository is trusted whatever they act on."""
    owner = put("repository", "owner", value=OTHER)
    assert message("issues.labeled_by_stranger", owner, by(OTHER)).sender.trust is Trust.OWNER
    nobody = {"login": "x", "id": 0}
    no_owner = put("repository", "owner", value=nobody)
    assert message("issues.labeled_by_stranger", no_owner, by(nobody)).sender.trust is Trust.NONE


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([by(None)], Ignored(Reason.NO_SENDER)),
        ([without("sender")], Ignored(Reason.NO_SENDER)),
        ([put("sender", "login", value="")], Ignored(Reason.NO_SENDER)),
        ([without("repository")], Ignored(Reason.NO_TARGET, "no repository")),
        ([put("repository", "full_name", value="x")], Ignored(Reason.NO_TARGET, "no repository")),
        (
            [put("repository", "full_name", value="a/b/../c")],
            Ignored(Reason.NO_TARGET, "no repository"),
        ),
        ([without("issue")], Ignored(Reason.NO_TARGET, "nothing that issue_comment is about")),
        ([without("comment")], Ignored(Reason.NO_TARGET, "nothing that issue_comment is about")),
        ([put("issue", "number", value="42")], Ignored(Reason.UNREADABLE)),
        ([put("comment", "id", value=None)], Ignored(Reason.UNREADABLE)),
        ([put("comment", "body", value=7)], Ignored(Reason.UNREADABLE)),
    ],
)
def test_what_is_missing_is_named(changes: Sequence[Change], expected: Ignored) -> None:
    """A delivery without sender, repository or subject leads to nothing, and says why."""
    assert parsed("issue_comment.created", *changes) == expected


def test_a_deleted_author_does_no_harm() -> None:
    """A comment whose author's account is gone is read; its author is shown as ghost."""
    left = message("issue_comment.created", put("comment", "user", value=None))
    assert left.sender.trust is Trust.NONE
    assert "Comment's author: ghost" in left.prompt


def test_events_that_are_not_ours_are_not_read() -> None:
    """An event we know nothing of is ignored by its name, whatever its body is."""
    odd = replace(request("issue_comment.created", x_github_event="workflow_run"), body=b"\xff")
    assert PLATFORM.parse(odd, CREDENTIALS, NOW) == Ignored(Reason.UNKNOWN_EVENT, "workflow_run")


def test_an_event_without_a_name_is_unreadable() -> None:
    """Without the event's header nobody can say what a body is."""
    found = parsed("issue_comment.created", x_github_event=None)
    assert found == Ignored(Reason.UNREADABLE, "no X-GitHub-Event header")


def test_a_ping_is_answered_in_person() -> None:
    """GitHub's page of recent deliveries shows the answer's body: it tells who answered."""
    assert parsed("ping") == Handshake(b'{"pong": "threadline"}')


def test_a_redelivery_is_the_same_message() -> None:
    """The message's id comes from its content: another delivery id does not make another."""
    first = message("issue_comment.created")
    again = message("issue_comment.created", x_github_delivery="another-id")
    assert first.id == again.id
    assert first.delivery != again.delivery


def test_a_delivery_without_an_id_has_one() -> None:
    """Without the header the body's digest stands in, so that a repeat is still known."""
    first = message("issue_comment.created", x_github_delivery=None)
    again = message("issue_comment.created", x_github_delivery=None)
    assert first.delivery == again.delivery
    other = message("issue_comment.created", association("NONE"), x_github_delivery=None)
    assert first.delivery != other.delivery


def test_what_happens_to_one_thing_has_an_id_each_time() -> None:
    """Two labels put on in the same second are two messages, and so are opening and reopening."""
    first = message("issues.labeled_by_stranger")
    second = message("issues.labeled_by_stranger", put("label", "id", value=61002))
    opened = message("issues.opened")
    reopened = message("issues.opened", put("action", value="reopened"))
    assert len({first.id, second.id, opened.id, reopened.id}) == 4
    assert reopened.kind is MessageKind.CHAT


def test_each_edit_names_what_it_edits() -> None:
    """Two edits of a comment are two messages of kind edit, both naming the comment."""
    first = message("issue_comment.edited")
    later = put("comment", "updated_at", value="2026-09-21T15:00:00Z")
    second = message("issue_comment.edited", later)
    assert first.id != second.id
    assert first.edits == second.edits == message("issue_comment.created").id
    assert first.order < second.order


def test_order_is_githubs() -> None:
    """Messages sort as text by time, then by GitHub's own count, however many digits it has."""
    first = message("issue_comment.created", put("comment", "id", value=999))
    second = message("issue_comment.created", put("comment", "id", value=1000))
    later = message(
        "issue_comment.created", put("comment", "created_at", value="2026-09-21T14:13:11Z")
    )
    assert first.order < second.order < later.order


@pytest.mark.parametrize("stamp", [None, "", "yesterday", "9999-12-31T23:59:59-99:99"])
def test_a_time_that_cannot_be_read_is_now(stamp: str | None) -> None:
    """A message without a readable time counts as sent when it arrived."""
    changed = put("comment", "created_at", value=stamp)
    assert message("issue_comment.created", changed).sent_at == NOW


@pytest.mark.parametrize(
    ("identity", "name", "own"),
    [
        ("41898282", "", True),
        ("", "acme-coder[bot]", True),
        ("", "ACME-Coder[bot]", True),
        ("", "acme-coder", True),
        ("", "", False),
        ("1", "another-app[bot]", False),
        ("", "acme", False),
    ],
)
def test_our_own_account_is_known(identity: str, name: str, *, own: bool) -> None:
    """A post of our account is ours by its id, or by its login with and without `[bot]`."""
    us = replace(CREDENTIALS, identity=identity, identity_name=name)
    found = parsed("issue_comment.own", credentials=us)
    assert (found == Ignored(Reason.OWN_MESSAGE)) is own


def test_a_person_is_not_the_app_of_that_name() -> None:
    """The person `acme-coder` and the app `acme-coder[bot]` are two accounts."""
    person = by({"login": "acme-coder", "id": 8, "type": "User"})
    assert message("issue_comment.created", person).sender.id == "acme-coder"


def test_our_hidden_line_marks_a_comment_as_ours() -> None:
    """Where we post with a person's token, what we wrote is not taken for that person's words."""
    us = replace(CREDENTIALS, identity="", identity_name="")
    assert parsed("issue_comment.own_by_token", credentials=us) == Ignored(Reason.OWN_MESSAGE)


def test_an_app_that_copies_the_hidden_line_is_still_an_app() -> None:
    """Another bot is judged as a bot; only a binding that lists it lets it in."""
    us = replace(CREDENTIALS, identity="", identity_name="")
    assert message("issue_comment.own", credentials=us).sender.bot


@pytest.mark.parametrize(
    "body", [b"payload", b"payload=", b"other=%7B%7D", b"payload=%5B%5D", b"\xff=1", b"&" * 50]
)
def test_a_form_without_a_payload_is_unreadable(body: bytes) -> None:
    """A form is read for its field `payload` alone."""
    form = replace(request("issue_comment.form_encoded"), body=body)
    assert PLATFORM.parse(form, CREDENTIALS, NOW) == Ignored(Reason.UNREADABLE)


def test_a_form_is_the_same_message() -> None:
    """The webhook's other content type makes no difference to what arrives."""
    form, plain = message("issue_comment.form_encoded"), message("issue_comment.created")
    assert replace(form, delivery=plain.delivery) == plain
