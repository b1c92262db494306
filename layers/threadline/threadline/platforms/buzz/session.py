"""One connection to a relay as a machine: authentication, subscriptions, and what was said.

https://github.com/nostr-protocol/nips/blob/master/42.md
"""

from dataclasses import dataclass, replace
from typing import Final

from threadline.core.json import Json
from threadline.core.legible import legible
from threadline.core.socket import NEVER, End, Frame, Hearing, Step
from threadline.platforms.buzz import chats, frames
from threadline.platforms.buzz.closed import for_good, too_fast, wants_auth
from threadline.platforms.buzz.event import ADDED, CHANNEL, CHAT, REMOVED
from threadline.platforms.buzz.state import Auth, State, Work, without
from threadline.platforms.buzz.verify import verified

MOST_PROOFS: Final = 8
MOST_CHALLENGES: Final = 100
LONGEST_CHALLENGE: Final = 1_000
CONTROLS: Final = (frames.DISCOVERY, frames.MEMBERSHIP)


@dataclass(frozen=True, slots=True)
class BuzzSession:
    """A session of the relay; see `threadline.core.socket`."""

    state: State

    @property
    def hearing(self) -> Hearing:
        return self.state.hearing

    @property
    def why(self) -> str:
        return self.state.why

    def opened(self, now: float) -> Step:
        work = Work(replace(self.state, started=int(now)), now)
        _controls(work)
        return _step(work)

    def feed(self, frame: Frame, now: float) -> Step:
        work = Work(self.state, now)
        words = frames.decode(frame)
        if words is None:
            work.note("unreadable_frame")
            return _step(work)
        match words:
            case ["AUTH", str(challenge), *_]:
                _challenged(work, challenge)
            case ["OK", str(event), accepted, *rest]:
                _answered(work, event, accepted is True, _first_text(rest))
            case ["EOSE", str(subscription), *_]:
                _ended(work, subscription)
            case ["CLOSED", str(subscription), *rest]:
                _closed(work, subscription, _first_text(rest))
            case ["EVENT", str(subscription), payload, *_]:
                _event(work, subscription, payload, len(frame))
            case _:
                pass
        return _step(work)

    def tick(self, now: float) -> Step:
        work = Work(self.state, now)
        for subscription, due in self.state.reopen.items():
            if due <= now:
                work.state = replace(work.state, reopen=without(work.state.reopen, subscription))
                _open(work, subscription)
        for channel in self.state.chats:
            chats.settle(work, channel)
        chats.ask(work)
        return _step(work)

    def closed(self, code: int, reason: str, now: float) -> Step:
        work = Work(self.state, now)
        work.note("closed", f"{code} {reason}".strip())
        return _step(work)


def _step(work: Work) -> Step:
    return work.step(BuzzSession(work.state))


def _first_text(rest: list[Json]) -> str:
    return legible(rest[0]) if rest and isinstance(rest[0], str) else ""


def _controls(work: Work) -> None:
    """Ask for channels and memberships; before authentication this may be refused, and is."""
    work.state = replace(work.state, listed=False, down={})
    for subscription in CONTROLS:
        _open(work, subscription)


def _challenged(work: Work, challenge: str) -> None:
    """Prove who we are and ask for everything anew: the relay has forgotten what was asked.

    Some relays challenge anew with every request they refuse, and only the latest counts: while a
    proof is under way nothing is asked again, or each question would bring the next challenge.
    """
    state = replace(work.state, challenges=work.state.challenges + 1)
    if len(challenge) > LONGEST_CHALLENGE:
        work.note("challenge_too_long", str(len(challenge)), alarm=True)
        return
    if state.challenges > MOST_CHALLENGES:
        work.end = End("the relay asks for proof again and again", wait=60.0)
        return
    proof = frames.proof(state.signer, state.relay, challenge, work.now)
    work.send.append(frames.authenticate(proof))
    if state.auth is Auth.PENDING:
        work.state = replace(state, proofs=(*state.proofs, proof.id)[-MOST_PROOFS:])
        return
    work.state = replace(
        state, auth=Auth.PENDING, proofs=(proof.id,), chats={}, tries={}, reopen={},
        asked={} if state.auth is Auth.DONE else state.asked,
    )  # fmt: skip
    _controls(work)


def _answered(work: Work, event: str, accepted: bool, reason: str) -> None:  # noqa: FBT001
    state = work.state
    if state.auth is not Auth.PENDING or event not in state.proofs:
        return
    if accepted:
        work.state = replace(state, auth=Auth.DONE, proofs=())
        for subscription in CONTROLS:
            if state.asked.get(subscription, 0) <= 0:
                _open(work, subscription)
        return
    if event != state.proofs[-1]:
        return  # its challenge was no longer the latest
    work.state = replace(state, auth=Auth.NONE, proofs=())
    why = f"the relay does not let this key in: {reason}"
    work.note("auth_refused", reason, alarm=True)
    work.end = End(why, refused=for_good(reason))


def _ended(work: Work, subscription: str) -> None:
    """Take the end of what was stored: of a channel, or of the list of channels."""
    if subscription != frames.DISCOVERY:
        chats.ended(work, subscription)
        return
    if work.state.auth is Auth.PENDING:  # some relays never say OK
        work.state = replace(work.state, auth=Auth.DONE, proofs=())
    work.state = replace(work.state, listed=True)
    chats.sweep(work)
    count = len(work.state.channels)
    work.note("channels", str(count))
    if not count:
        work.note("no_channels", "add this identity to a channel of the workspace", alarm=True)


def _event(work: Work, subscription: str, payload: Json, size: int) -> None:
    """Take an event once it is certain who signed it, whatever it is about."""
    event = verified(payload)
    if event is None:
        work.note("forged", subscription)
        return
    state = work.state
    if event.kind == CHAT:
        chats.heard(work, subscription, event, size)
    elif state.relay_key and event.pubkey != state.relay_key:
        work.note("not_of_the_relay", f"kind {event.kind}")
    elif event.kind == CHANNEL:
        chats.announced(work, event)
    elif event.kind == ADDED:
        chats.added(work, event)
    elif event.kind == REMOVED:
        chats.removed(work, event)


def _closed(work: Work, subscription: str, reason: str) -> None:
    """Judge a subscription that the relay closed: wait for authentication, give up, or reopen."""
    if subscription in CONTROLS:
        _control_closed(work, subscription, reason)
        return
    channel = work.state.listened(subscription)
    if not channel:
        work.note("closed_unknown", subscription)
    elif wait := too_fast(reason):
        chats.slow_down(work, channel, wait)
        work.note("slowed_down", reason)
    else:
        work.chat(channel, None)
        if not wants_auth(reason) or work.state.auth is Auth.DONE:
            _reopen(work, frames.chat(channel), reason)
        chats.ask(work)


def _control_closed(work: Work, subscription: str, reason: str) -> None:
    if wants_auth(reason) and work.state.auth is not Auth.DONE:
        _count(work, subscription, -1)
    elif wait := too_fast(reason):
        due = work.now + wait
        work.state = replace(work.state, reopen={**work.state.reopen, subscription: due})
        work.note("slowed_down", reason)
    elif not _reopen(work, subscription, reason):
        work.state = replace(work.state, down={**work.state.down, subscription: reason})


def _reopen(work: Work, subscription: str, reason: str) -> bool:
    """Reopen a subscription, now or a little later, and tell whether that is worth trying."""
    due = NEVER if for_good(reason) else chats.reopen(work, subscription)
    channel = work.state.channels.get(subscription.removeprefix(frames.CHATS))
    detail = f"{subscription} {channel.name if channel else ''} {reason}".strip()
    work.note("closed_by_relay", detail, alarm=due == NEVER)
    if due <= work.now:
        _open(work, subscription)
    elif due < NEVER:
        work.state = replace(work.state, reopen={**work.state.reopen, subscription: due})
    return due < NEVER


def _count(work: Work, subscription: str, more: int) -> None:
    """Count how often a control subscription was asked for and not refused."""
    asked = work.state.asked
    count = asked.get(subscription, 0) + more
    work.state = replace(work.state, asked={**asked, subscription: count})


def _open(work: Work, subscription: str) -> None:
    if subscription in CONTROLS:
        _count(work, subscription, 1)
    if subscription == frames.DISCOVERY:
        work.send.append(frames.discover())
    elif subscription == frames.MEMBERSHIP:
        work.send.append(frames.memberships(work.state.signer.pubkey, work.state.started))
    else:
        chats.listen(work, subscription.removeprefix(frames.CHATS))
