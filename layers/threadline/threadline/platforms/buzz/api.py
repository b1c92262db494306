"""Posting: signed events handed in, and what the relay's OK says of them.

A request to the relay's `wss` address is one frame and the frame that answers it; see
`threadline.backends.frames_out`. https://github.com/nostr-protocol/nips/blob/master/01.md
"""

import re
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
from threadline.core.legible import legible
from threadline.core.posting import Credentials, Destination, Draft, Receipt
from threadline.platforms.buzz import frames
from threadline.platforms.buzz.closed import TOO_FAST, for_good, too_fast, wants_auth
from threadline.platforms.buzz.event import LATEST, Event, Signer, Tags, signer
from threadline.platforms.buzz.parse import AUTHOR, ROOT
from threadline.platforms.buzz.render import CHUNK, GROWING

TOLD_BY: Final = "answer-holds"
REFUSED_BY: Final = "refusal-holds"
RECEIVED_AT: Final = "received-at"
MOST_PROOFS: Final = 3
LONGEST_WAIT: Final = 3_600.0
_GONE: Final = ("member", "not found", "does not exist", "archiv", "revoke")
_OF_THREAD: Final = ("parent", "root tag", "thread")
_OF_TIME: Final = ("timestamp", "created_at", "too far in", "too old")
_TIMED_OUT: Final = re.compile(r"timed out until (\d{9,11})")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the relay says of an event, and when it said so, 0 where that is not known."""

    taken: bool
    reason: str = ""
    at: float = 0.0

    def speaks_of(self, words: tuple[str, ...]) -> bool:
        """Tell whether the reason is about something."""
        return any(word in self.reason.lower() for word in words)


def post(draft: Draft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Post a message: in its thread, mentioning who asked with the first chunk. Raises PostError.

    A mention or a place in a thread that the relay does not take is left out: the answer matters
    more.
    """
    chunk = int(draft.facts.get(CHUNK, "0"))
    mention = "" if chunk else to.facts.get(AUTHOR, "")
    return (yield from say(draft, to, chunk, mention, credentials))


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace a message's text; a final text whose edit is refused is posted anew, calling nobody.

    The last edit is dated a second later than any before it could be. Raises PostError.
    """
    by = signer(credentials)
    last = GROWING not in draft.facts
    at = int(draft.at) + last
    event = frames.edited(by, to.chat, posted.id, draft.text, at)
    verdict = yield from _hand_in(event, by, credentials)
    if not verdict.taken and verdict.at and verdict.speaks_of(_OF_TIME):
        event = frames.edited(by, to.chat, posted.id, draft.text, int(verdict.at) + last)
        verdict = yield from _hand_in(event, by, credentials)
    if verdict.taken:
        return posted
    if not last or not for_good(verdict.reason) or wants_auth(verdict.reason):
        raise _refused(verdict)
    return (yield from say(draft, to, 1, "", credentials))


def say(
    draft: Draft,
    to: Destination,
    later: int,
    mention: str,
    credentials: Credentials,
    carries: Tags = (),
) -> Flow[Receipt]:
    """Post a message, without whatever the relay does not take of its thread and its mention.

    It is dated so many seconds `later` than the draft: parts are read in the order of their dates.

    Buzz refuses events dated more than 15 minutes away, so that an answer which had to wait has to
    be dated anew; it is no repetition then: `dedupe_window` has passed.
    https://github.com/block/buzz/blob/main/crates/buzz-relay/src/handlers/ingest.rs
    """
    by = signer(credentials)
    at, replies, dated = int(draft.at), _replies(to), False
    while True:
        event = frames.said(by, to.chat, draft.text, at + later, (*replies, *carries), mention)
        verdict = yield from _hand_in(event, by, credentials)
        if verdict.taken:
            return Receipt(event.id)
        if not dated and verdict.at and verdict.speaks_of(_OF_TIME):
            at, dated = int(verdict.at), True
        elif replies != _plain(to) and verdict.speaks_of(_OF_THREAD):
            replies = _plain(to)
        elif mention and verdict.speaks_of(("member",)):
            mention = ""
        else:
            raise _refused(verdict)


def identify(credentials: Credentials) -> Flow[Credentials]:
    """Give the credentials with the public key that belongs to the private one. Asks nobody."""
    yield from ()
    pubkey = signer(credentials).pubkey
    return Credentials(
        credentials.platform, credentials.app, pubkey, encode(bytes.fromhex(pubkey), "npub"),
        credentials.base_url, credentials.secrets,
    )  # fmt: skip


def _replies(to: Destination) -> Tags:
    """Give the `e` tag: an answer stands in the thread of its question, next to its root.

    Buzz knows a thread by the marker alone, and shows an answer to an answer as a thread of its
    own. In a direct channel only what was asked in a thread is answered in one.
    https://github.com/block/buzz/blob/main/NOSTR.md
    """
    root = to.facts.get(ROOT, "") or ("" if to.private else to.anchor)
    return (("e", root, "", "reply"),) if root else _plain(to)


def _plain(to: Destination) -> Tags:
    """Name the question without taking a place in any thread."""
    return (("e", to.anchor),) if to.anchor else ()


def _hand_in(event: Event, by: Signer, credentials: Credentials) -> Flow[Verdict]:
    """Hand an event in, proving who we are where the relay asks for that first.

    Others post on the same connection, and each refusal may bring a newer challenge than ours.
    """
    verdict = yield from _publish(frames.publish(event), event, credentials)
    for _ in range(MOST_PROOFS):
        if verdict.taken or not wants_auth(verdict.reason):
            return verdict
        proven = yield from prove(by, credentials)
        if not proven.taken and too_fast(proven.reason):
            return proven
        verdict = yield from _publish(frames.publish(event), event, credentials)
    return verdict


def prove(by: Signer, credentials: Credentials) -> Flow[Verdict]:
    """Answer the relay's challenge, and give what it says to that. Raises PostError."""
    answer = yield from exchange("", '"AUTH"', "challenge", credentials)
    words = frames.decode(answer.body) or []
    if len(words) < 2 or not isinstance(words[1], str):
        raise PlatformUnavailable("the relay's challenge cannot be read")
    now = _received(answer)
    if not now:
        raise PlatformUnavailable("the time of the relay's challenge is not known")
    proof = frames.proof(by, credentials.base_url, words[1], now)
    return (yield from _publish(frames.authenticate(proof), proof, credentials))


def _publish(frame: str, event: Event, credentials: Credentials) -> Flow[Verdict]:
    answer = yield from exchange(frame, event.id, f"kind {event.kind}", credentials)
    match frames.decode(answer.body):
        case ["OK", str(of), bool(taken), *rest] if of == event.id:
            reason = rest[0] if rest and isinstance(rest[0], str) else ""
            known = reason.strip().lower().startswith("duplicate:")
            return Verdict(taken or known, reason, _received(answer))
        case ["NOTICE", str(reason), *_] if too_fast(reason):  # Buzz names no event then
            return Verdict(taken=False, reason=reason)
        case _:
            raise PostUnknown("the relay's answer cannot be read")


def _received(answer: HttpResponse) -> float:
    try:
        at = float(answer.headers.get(RECEIVED_AT, ""))
    except ValueError:
        return 0.0
    return at if 0 < at < LATEST else 0.0


def exchange(frame: str, holds: str, label: str, credentials: Credentials) -> Flow[HttpResponse]:
    """Send a frame and give the first one that holds these words. Raises PostError."""
    request = HttpRequest(
        "POST", credentials.base_url, f"buzz {label}", {TOLD_BY: holds, REFUSED_BY: TOO_FAST},
        frame.encode(), repeatable=True,
    )  # fmt: skip
    answer = yield from ask(request)
    if isinstance(answer, Lost):
        what = f"buzz {label}: {answer.why}"
        raise PostUnknown(what) if answer.sent else PlatformUnavailable(what)
    if answer.status != 200:
        raise PlatformUnavailable(f"buzz {label}: {answer.status}")
    return answer


def _refused(verdict: Verdict) -> PostError:
    reason = verdict.reason
    what = f"the relay refused: {legible(reason)}"
    if wait := too_fast(reason):
        return RateLimited(what, wait)
    if verdict.at and (until := _TIMED_OUT.search(reason)):
        return RateLimited(what, min(max(float(until[1]) - verdict.at, 1.0), LONGEST_WAIT))
    if wants_auth(reason) or verdict.speaks_of(("banned",)):
        return CredentialsRejected(what)
    if verdict.speaks_of(_GONE):
        return ConversationGone(what)
    return PostRejected(what) if for_good(reason) else PlatformUnavailable(what)
