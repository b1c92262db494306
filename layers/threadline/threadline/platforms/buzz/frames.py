"""The words of client and relay: JSON arrays, one a frame.

https://github.com/nostr-protocol/nips/blob/master/01.md
https://github.com/nostr-protocol/nips/blob/master/42.md
"""

import json
from typing import Final

from threadline.core.json import Json, JsonObject
from threadline.platforms.buzz.event import (
    ADDED,
    AUTH,
    CHANNEL,
    CHAT,
    EDIT,
    REMOVED,
    Event,
    Signer,
    Tags,
)

DISCOVERY: Final = "buzz-discovery"
MEMBERSHIP: Final = "buzz-membership"
CHATS: Final = "buzz-chat-"
MOST_TURNS: Final = 100
LOOK_BACK: Final = 60
"""Seconds before the connection from which stored changes of membership are asked for."""


def decode(frame: str | bytes) -> list[Json] | None:
    """Read a relay's frame; None where it is no array that begins with a text. Never raises."""
    try:
        read = json.loads(frame)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, list) and read and isinstance(read[0], str) else None


def discover() -> str:
    """Ask for the channels; the relay knows whose they are."""
    return _frame("REQ", DISCOVERY, {"kinds": [CHANNEL]})


def memberships(pubkey: str, started: int) -> str:
    """Ask for being added and removed, from a little before the connection on."""
    since = max(started - LOOK_BACK, 0)
    kinds: list[Json] = [ADDED, REMOVED]
    return _frame("REQ", MEMBERSHIP, {"kinds": kinds, "#p": [pubkey], "since": since})


def listen(channel: str, turn: int, since: int, until: int, limit: int) -> str:
    """Ask for a channel's messages: this relay answers one channel a subscription.

    `until` 0: also for those that are still to come.
    """
    times: JsonObject = {"since": since, "until": until} if until else {"since": since}
    wanted: JsonObject = {"kinds": [CHAT], "#h": [channel], **times, "limit": limit}
    return _frame("REQ", chat(channel, turn), wanted)


def chat(channel: str, turn: int = 0) -> str:
    """Name a channel's subscription; asked for anew in another `turn`, it has another name.

    What still comes of the turn before is then told from what was asked for.
    """
    return f"{CHATS}{channel}~{turn}" if turn else CHATS + channel


def channels_of(subscription: str) -> tuple[tuple[str, int], ...]:
    """Give the channels, and turns, that may have a subscription of this name."""
    if not subscription.startswith(CHATS):
        return ()
    whole = subscription.removeprefix(CHATS)
    channel, mark, turn = whole.rpartition("~")
    if mark and turn.isascii() and turn.isdecimal() and len(turn) < 3:
        return ((whole, 0), (channel, int(turn)))
    return ((whole, 0),)


def close(subscription: str) -> str:
    """End a subscription."""
    return _frame("CLOSE", subscription)


def authenticate(event: Event) -> str:
    """Answer a challenge."""
    return _frame("AUTH", event.payload)


def publish(event: Event) -> str:
    """Hand an event in."""
    return _frame("EVENT", event.payload)


def proof(by: Signer, relay: str, challenge: str, now: float) -> Event:
    """Sign a challenge; `relay` is the address exactly as it is configured."""
    return by.sign(int(now), AUTH, (("relay", relay), ("challenge", challenge)))


def said(
    by: Signer, channel: str, text: str, at: int, about: Tags = (), mention: str = ""
) -> Event:
    """Sign a message; `about` tells what it answers and carries, `mention` whom it calls."""
    mentions = (("p", mention),) if mention else ()
    return by.sign(at, CHAT, (("h", channel), *about, *mentions), text)


def edited(by: Signer, channel: str, target: str, text: str, at: int) -> Event:
    """Sign another text for a message; an edit calls nobody."""
    return by.sign(at, EDIT, (("h", channel), ("e", target)), text)


def _frame(word: str, *rest: str | JsonObject) -> str:
    return json.dumps([word, *rest], ensure_ascii=False, separators=(",", ":"))
