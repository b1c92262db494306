"""What a verified delivery says, as a message or as a reason why it is none.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

import hashlib
import re
from datetime import datetime
from typing import Final, NamedTuple, assert_never

from threadline.core import keys
from threadline.core.ids import DeliveryId, MessageId
from threadline.core.message import (
    Handshake,
    Ignored,
    Message,
    MessageKind,
    Messages,
    Parsed,
    Sender,
    Trust,
    Webhook,
)
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.github import facts, marker, prompt
from threadline.platforms.github.facts import Event, Target
from threadline.platforms.github.payload import (
    Account,
    Comment,
    Delivery,
    Item,
    NotReadable,
    Repository,
    Written,
    decode,
)

_EVENTS: Final = {str(event): event for event in Event}
FORM: Final = "application/x-www-form-urlencoded"
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_ASSOCIATIONS: Final = {
    "OWNER": Trust.OWNER,
    "MEMBER": Trust.MEMBER,
    "COLLABORATOR": Trust.MEMBER,
}


class _Act(NamedTuple):
    """Who did something where; `spoken` is the comment or review, else the item itself."""

    sender: Account
    repository: Repository
    target: Target
    spoken: Written
    item: Item


def parse(request: Webhook, credentials: Credentials, now: float) -> Parsed:
    """Read a delivery; a ping is answered with a body, so that GitHub's page shows who answered."""
    parsed = _read(request, credentials, now)
    if isinstance(parsed, Ignored):
        return Ignored(parsed.reason, parsed.detail, _delivery(request, credentials))
    return parsed


def _delivery(request: Webhook, credentials: Credentials) -> DeliveryId:
    return DeliveryId(keys.join((facts.NAME, credentials.app, _guid(request))))


def _read(request: Webhook, credentials: Credentials, now: float) -> Parsed:
    name = request.headers.get("x-github-event", "")
    if not name:
        return Ignored(Reason.UNREADABLE, "no X-GitHub-Event header")
    event = _EVENTS.get(name)
    if event is None and name != "ping":
        return Ignored(Reason.UNKNOWN_EVENT, name[:60])
    try:
        delivery = decode(_json_of(request))
    except NotReadable:
        return Ignored(Reason.UNREADABLE)
    if event is None:
        return Handshake(b'{"pong": "threadline"}')
    return _message(event, delivery, request, credentials, now)


def _json_of(request: Webhook) -> bytes:
    """Give the JSON of a body of either content type a webhook can be set to."""
    if not request.headers.get("content-type", "").lower().startswith(FORM):
        return request.body
    from urllib.parse import parse_qs

    try:
        form = parse_qs(request.body.decode("ascii"), strict_parsing=True, max_num_fields=8)
    except ValueError:
        raise NotReadable("form") from None
    return form.get("payload", [""])[0].encode("utf-8", "replace")


def _message(
    event: Event, delivery: Delivery, request: Webhook, credentials: Credentials, now: float
) -> Parsed:
    act = _act(event, delivery)
    if isinstance(act, Ignored):
        return act
    text = act.spoken.body or ""
    if _is_ours(act.sender, credentials) or (marker.is_ours(text) and not _is_bot(act.sender)):
        return Ignored(Reason.OWN_MESSAGE)
    opening, edited = delivery.action in facts.OPENING, delivery.action == "edited"
    first = MessageId(f"{act.target}-{act.spoken.id}")
    when = _when(act.spoken, now, opening=opening)
    app, chat, number = credentials.app, act.repository.full_name, str(act.item.number)
    return Messages((Message(
        platform=facts.NAME,
        app=app,
        workspace=chat,
        chat=chat,
        topic=number,
        id=first if opening else MessageId(f"{first}-{_what_changed(delivery, when)}"),
        delivery=_delivery(request, credentials),
        mailbox=keys.mailbox_key(facts.NAME, app, str(act.repository.id), number),
        order=f"{int(when):012d}-{act.spoken.id:020d}",
        sent_at=when,
        sender=Sender(act.sender.login, act.sender.login, _is_bot(act.sender), _trust(act)),
        text=text,
        prompt=prompt.describe(event, delivery, act.item, chat),
        kind=MessageKind.EDIT if edited else MessageKind.CHAT,
        edits=first if edited else MessageId(""),
        event=event,
        action=delivery.action,
        anchor=first,
        facts=_facts(delivery, act),
    ),))  # fmt: skip


def _act(event: Event, delivery: Delivery) -> _Act | Ignored:
    if delivery.action == "deleted":
        return Ignored(Reason.NO_CONTENT, f"{event}.deleted")
    sender, repository = delivery.sender, delivery.repository
    if sender is None or not sender.login:
        return Ignored(Reason.NO_SENDER)
    if repository is None or not _REPOSITORY.fullmatch(repository.full_name):
        return Ignored(Reason.NO_TARGET, "no repository")
    target, item, spoken = _subject(event, delivery)
    if item is None or spoken is None:
        return Ignored(Reason.NO_TARGET, f"nothing that {event} is about")
    return _Act(sender, repository, target, spoken, item)


def _subject(event: Event, delivery: Delivery) -> tuple[Target, Item | None, Written | None]:
    pull, issue = delivery.pull_request, delivery.issue
    match event:
        case Event.ISSUES:
            return Target.ISSUE, issue, issue
        case Event.PULL_REQUEST:
            return Target.PULL, pull, pull
        case Event.ISSUE_COMMENT:
            return Target.COMMENT, issue, delivery.comment
        case Event.REVIEW_COMMENT:
            return Target.REVIEW_COMMENT, pull, delivery.comment
        case Event.REVIEW:
            return Target.REVIEW, pull, delivery.review
        case _:
            assert_never(event)


def _is_ours(sender: Account, credentials: Credentials) -> bool:
    """Tell our own account by its id, or by its login: `x[bot]` and a person `x` are two."""
    if credentials.identity and credentials.identity == str(sender.id):
        return True
    login, own = sender.login.lower(), credentials.identity_name.lower()
    return bool(own) and (login == own or (_is_bot(sender) and login == f"{own}[bot]"))


def _is_bot(account: Account) -> bool:
    return account.type == "Bot" or account.login.endswith("[bot]")


def _trust(act: _Act) -> Trust:
    """Trust whoever acts, not the author of what is acted on; GitHub tells only the latter's."""
    owner, author = act.repository.owner, act.spoken.user
    if owner is not None and owner.id == act.sender.id != 0:
        return Trust.OWNER
    if author is None or author.id != act.sender.id:
        return Trust.NONE
    return _ASSOCIATIONS.get(act.spoken.author_association, Trust.NONE)


def _when(spoken: Written, now: float, *, opening: bool) -> float:
    stamp = spoken.created_at if opening else spoken.updated_at or spoken.created_at
    try:
        return datetime.fromisoformat(stamp or "").timestamp()
    except (ValueError, OverflowError):
        return now


def _what_changed(delivery: Delivery, when: float) -> str:
    """Name a later event on the same thing, the same in every redelivery of it."""
    touched = (
        delivery.label,
        delivery.milestone,
        delivery.assignee,
        delivery.requested_reviewer,
        delivery.requested_team,
    )
    ids = [str(one.id) for one in touched if one is not None]
    return "-".join([delivery.action, str(int(when)), *ids])


def _guid(request: Webhook) -> str:
    """Give the delivery's id, kept by GitHub's own redelivery; without one, the body's digest."""
    return request.headers.get("x-github-delivery") or hashlib.sha256(request.body).hexdigest()


def _facts(delivery: Delivery, act: _Act) -> dict[str, str]:
    found = {
        facts.REPOSITORY_ID: str(act.repository.id),
        facts.NUMBER: str(act.item.number),
        facts.TARGET: str(act.target),
        facts.TARGET_ID: str(act.spoken.id),
    }
    if delivery.installation is not None and delivery.installation.id > 0:
        found[facts.INSTALLATION] = str(delivery.installation.id)
    if act.item is delivery.pull_request or act.item.pull_request is not None:
        found[facts.IS_PULL] = "yes"
    if act.target is Target.REVIEW_COMMENT and isinstance(act.spoken, Comment):
        found[facts.THREAD] = str(act.spoken.in_reply_to_id or act.spoken.id)
        if act.spoken.pull_request_review_id and not act.spoken.in_reply_to_id:
            found[facts.OF_REVIEW] = str(act.spoken.pull_request_review_id)
    return found
