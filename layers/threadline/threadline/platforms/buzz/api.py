"""Posting: signed events handed in, and what the relay's OK says of them.

A request to the relay's `wss` address is one frame and the frame that answers it; see
`threadline.backends.frames_out`. https://github.com/nostr-protocol/nips/blob/master/01.md
"""

from dataclasses import dataclass
from typing import Final

from threadline.core.bech32 import encode
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, ask
from threadline.core.posting import Credentials, Destination, Draft, Receipt
from threadline.platforms.buzz import frames
from threadline.platforms.buzz.closed import for_good, wants_auth
from threadline.platforms.buzz.event import Event, Signer, Tags, signer
from threadline.platforms.buzz.parse import AUTHOR, ROOT
from threadline.platforms.buzz.render import CHUNK, GROWING

TOLD_BY: Final = "answer-holds"
RECEIVED_AT: Final = "received-at"
SLOW_DOWN: Final = 10.0
TOO_FAST: Final = "rate-limited:"
MOST_PROOFS: Final = 3
_GONE: Final = ("member", "not found", "does not exist", "archiv", "revoke")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the relay says of an event."""

    taken: bool
    reason: str = ""


def post(draft: Draft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Post a message: in its thread, mentioning who asked with the first chunk. Raises PostError.

    A mention that the relay does not take is left out: the answer matters more.
    """
    by = signer(credentials)
    chunk = int(draft.facts.get(CHUNK, "0"))
    at, mention = int(draft.at) + chunk, "" if chunk else to.facts.get(AUTHOR, "")
    event = frames.said(by, to.chat, draft.text, at, _replies(to), mention)
    verdict = yield from _hand_in(event, by, credentials)
    if mention and not verdict.taken and "member" in verdict.reason.lower():
        event = frames.said(by, to.chat, draft.text, at, _replies(to))
        verdict = yield from _hand_in(event, by, credentials)
    return _receipt(event, verdict)


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace a message's text; a final text whose edit is refused is posted anew, calling nobody.

    The last edit is dated a second later than any before it could be. Raises PostError.
    """
    by = signer(credentials)
    last = GROWING not in draft.facts
    at = int(draft.at) + last
    event = frames.edited(by, to.chat, posted.id, draft.text, at)
    verdict = yield from _hand_in(event, by, credentials)
    if verdict.taken:
        return posted
    if not last or not for_good(verdict.reason):
        raise _refused(verdict.reason)
    event = frames.said(by, to.chat, draft.text, at, _replies(to))
    return _receipt(event, (yield from _hand_in(event, by, credentials)))


def identify(credentials: Credentials) -> Flow[Credentials]:
    """Give the credentials with the public key that belongs to the private one. Asks nobody."""
    yield from ()
    pubkey = signer(credentials).pubkey
    return Credentials(
        credentials.platform, credentials.app, pubkey, encode(bytes.fromhex(pubkey), "npub"),
        credentials.base_url, credentials.secrets,
    )  # fmt: skip


def _replies(to: Destination) -> Tags:
    """Give the `e` tags: the root of the thread first, since many clients read only that."""
    if not to.anchor:
        return ()
    root = to.facts.get(ROOT, "")
    if not root:
        return (("e", to.anchor),)
    return (("e", root, "", "root"), ("e", to.anchor, "", "reply"))


def _hand_in(event: Event, by: Signer, credentials: Credentials) -> Flow[Verdict]:
    """Hand an event in, proving who we are where the relay asks for that first.

    Others post on the same connection, and each refusal may bring a newer challenge than ours.
    """
    verdict = yield from _publish(frames.publish(event), event, credentials)
    for _ in range(MOST_PROOFS):
        if verdict.taken or not wants_auth(verdict.reason):
            return verdict
        proven = yield from prove(by, credentials)
        if not proven.taken and proven.reason.lower().startswith(TOO_FAST):
            return proven
        verdict = yield from _publish(frames.publish(event), event, credentials)
    return verdict


def prove(by: Signer, credentials: Credentials) -> Flow[Verdict]:
    """Answer the relay's challenge, and give what it says to that. Raises PostError."""
    answer = yield from exchange("", '"AUTH"', "challenge", credentials)
    words = frames.decode(answer.body) or []
    if len(words) < 2 or not isinstance(words[1], str):
        raise PlatformUnavailable("the relay's challenge cannot be read")
    try:
        now = float(answer.headers.get(RECEIVED_AT, ""))
    except ValueError:
        raise PlatformUnavailable("the time of the relay's challenge is not known") from None
    proof = frames.proof(by, credentials.base_url, words[1], now)
    return (yield from _publish(frames.authenticate(proof), proof, credentials))


def _publish(frame: str, event: Event, credentials: Credentials) -> Flow[Verdict]:
    answer = yield from exchange(frame, event.id, f"kind {event.kind}", credentials)
    match frames.decode(answer.body):
        case ["OK", str(of), bool(taken), *rest] if of == event.id:
            reason = rest[0] if rest and isinstance(rest[0], str) else ""
            known = reason.strip().lower().startswith("duplicate:")
            return Verdict(taken or known, reason)
        case _:
            raise PostUnknown("the relay's answer cannot be read")


def exchange(frame: str, holds: str, label: str, credentials: Credentials) -> Flow[HttpResponse]:
    """Send a frame and give the first one that holds these words. Raises PostError."""
    request = HttpRequest(
        "POST", credentials.base_url, f"buzz {label}", {TOLD_BY: holds}, frame.encode(),
        repeatable=True,
    )  # fmt: skip
    answer = yield from ask(request)
    if isinstance(answer, Lost):
        what = f"buzz {label}: {answer.why}"
        raise PostUnknown(what) if answer.sent else PlatformUnavailable(what)
    if answer.status != 200:
        raise PlatformUnavailable(f"buzz {label}: {answer.status}")
    return answer


def _receipt(event: Event, verdict: Verdict) -> Receipt:
    if not verdict.taken:
        raise _refused(verdict.reason)
    return Receipt(event.id)


def _refused(reason: str) -> PostError:
    said = reason.strip().lower()
    what = f"the relay refused: {reason[:200]}"
    if said.startswith(TOO_FAST):
        return RateLimited(what, SLOW_DOWN)
    if wants_auth(reason):
        return CredentialsRejected(what)
    if any(word in said for word in _GONE):
        return ConversationGone(what)
    return PostRejected(what) if for_good(reason) else PlatformUnavailable(what)
