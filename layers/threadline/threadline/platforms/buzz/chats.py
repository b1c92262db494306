"""Channels: which are listened to, and their messages in the order in which they were written."""

import json
from dataclasses import replace
from typing import Final

from threadline.core.socket import NEVER
from threadline.platforms.buzz import frames
from threadline.platforms.buzz.closed import REOPEN_AFTER
from threadline.platforms.buzz.event import Event
from threadline.platforms.buzz.marks import MOST_MARKS, NAME, TOO_FAR_AHEAD, Mark
from threadline.platforms.buzz.state import MOST_CHANNELS, MOST_CHATS, Channel, Chat, Work, without

LONGEST_ID: Final = 54
"""Characters of a channel's id: with our prefix a subscription's name may have 64."""

RELAY_KEEPS: Final = 2000
"""Stored messages that the relay hands out at most: what is older is not seen."""


def announced(work: Work, event: Event) -> None:
    """Take a channel's description: remember it and listen to the channel."""
    name = event.value("d")
    if not 0 < len(name) <= LONGEST_ID:
        return
    channels = dict(work.state.channels)
    if name not in channels and len(channels) >= MOST_CHANNELS:
        del channels[next(iter(channels))]
    channels[name] = Channel(event.value("name"), direct=event.value("t") == "dm")
    work.state = replace(work.state, channels=channels)
    since = int(work.now) - frames.LOOK_BACK if work.state.listed else None
    listen(work, name, since)
    settle(work, name)


def added(work: Work, event: Event) -> None:
    """Listen to a channel that we were added to, and ask what it is where that is unknown."""
    name = event.value("h")
    if not _newest(work, name, event, from_then_on=0):
        return
    listen(work, name, since=event.created_at)
    if name not in work.state.channels:
        work.send.append(frames.discover())


def removed(work: Work, event: Event) -> None:
    """Stop listening to a channel that we were removed from, and forget it."""
    name = event.value("h")
    if not _newest(work, name, event, from_then_on=1):
        return
    state = work.state
    if name in state.chats:
        work.send.append(frames.close(frames.CHATS + name))
        work.chat(name, None)
    if name in state.marks:
        work.save[NAME + name] = ""
    work.state = replace(
        work.state, channels=without(state.channels, name), marks=without(state.marks, name),
        reopen=without(state.reopen, frames.CHATS + name),
    )  # fmt: skip


def listen(work: Work, channel: str, since: int | None = None) -> None:
    """Open a channel's subscription unless it is open; a new channel is heard from `since` on."""
    if channel in work.state.chats:
        return
    if len(work.state.chats) >= MOST_CHATS:
        work.note("too_many_channels", channel, alarm=True)
        return
    mark = work.state.marks.get(channel)
    if mark is None:
        mark = _first_mark(work, channel, since)
    work.send.append(frames.listen(channel, mark.since))
    work.chat(channel, Chat(work.now))


def sweep(work: Work) -> None:
    """Listen to every known channel that is not listened to."""
    for channel in work.state.channels:
        if frames.CHATS + channel not in work.state.tries:
            listen(work, channel)


def heard(work: Work, channel: str, event: Event) -> None:
    """Take a message, at once or with the backlog it is part of."""
    chat = work.state.chats.get(channel)
    if chat is None or event.value("h") != channel or event.pubkey == work.state.signer.pubkey:
        return
    if chat.backlog is None:
        _take(work, channel, event)
    else:
        work.chat(channel, replace(chat, backlog=(*chat.backlog, event), heard_at=work.now))


def ended(work: Work, channel: str) -> None:
    """Note that the stored messages of a channel have all come."""
    chat = work.state.chats.get(channel)
    if chat is not None and chat.backlog is not None:
        work.chat(channel, replace(chat, ended=True, heard_at=work.now))
        settle(work, channel)


def settle(work: Work, channel: str) -> None:
    """Take a backlog that is whole: relays give the newest first, people read the oldest first."""
    chat = work.state.chats.get(channel)
    if chat is None or chat.backlog is None or work.state.whole_at(channel) > work.now:
        return
    work.chat(channel, replace(chat, backlog=None))
    if len(chat.backlog) >= RELAY_KEEPS:
        work.note("backlog_cut", channel, alarm=True)
    for event in sorted(chat.backlog, key=lambda one: (one.created_at, one.id)):
        _take(work, channel, event)


def reopen(work: Work, subscription: str) -> float:
    """Claim one of the few reopenings of a subscription; give when it is due, or never."""
    tried = work.state.tries.get(subscription, 0)
    if tried >= len(REOPEN_AFTER):
        return NEVER
    work.state = replace(work.state, tries={**work.state.tries, subscription: tried + 1})
    return work.now + REOPEN_AFTER[tried]


def _newest(work: Work, channel: str, event: Event, from_then_on: int) -> bool:
    """Tell whether a change of our membership is the latest: stored ones come newest first.

    Within one second, being added counts as the later one.
    """
    known = work.state.memberships
    if event.value("p") != work.state.signer.pubkey or not 0 < len(channel) <= LONGEST_ID:
        return False
    if event.created_at < known.get(channel, 0) + from_then_on:
        return False
    if event.created_at > work.now + TOO_FAR_AHEAD:
        return False
    kept = dict(list(known.items())[-MOST_CHANNELS + 1 :])
    work.state = replace(work.state, memberships={**kept, channel: event.created_at})
    return True


def _first_mark(work: Work, channel: str, since: int | None) -> Mark:
    """Begin to read a channel: what was written before is not answered."""
    marks = dict(work.state.marks)
    if len(marks) >= MOST_MARKS:
        oldest = min(marks, key=lambda name: marks[name].since)
        work.save[NAME + oldest] = ""
        del marks[oldest]
    mark = Mark(min(since or work.state.started, int(work.now)))
    work.state = replace(work.state, marks={**marks, channel: mark})
    work.save[NAME + channel] = mark.text()
    return mark


def _take(work: Work, channel: str, event: Event) -> None:
    mark = work.state.marks[channel]
    if event.created_at > work.now + TOO_FAR_AHEAD:
        work.note("from_the_future", event.id)
    if not mark.wants(event, work.now):
        return
    known = work.state.channels.get(channel, Channel())
    delivery = {"event": event.payload, "channel": {"name": known.name, "direct": known.direct}}
    work.deliveries.append(json.dumps(delivery, ensure_ascii=False).encode())
    mark = mark.after(event, work.now)
    work.state = replace(work.state, marks={**work.state.marks, channel: mark})
    work.save[NAME + channel] = mark.text()
