"""Channels: which are listened to, and their messages in the order in which they were written."""

import json
from dataclasses import replace
from typing import Final

from threadline.core.socket import NEVER
from threadline.platforms.buzz import backlog, frames
from threadline.platforms.buzz.backlog import MOST_STRETCHES, PAGE, Page, Stretch
from threadline.platforms.buzz.closed import REOPEN_AFTER
from threadline.platforms.buzz.event import Event
from threadline.platforms.buzz.marks import LATE, MOST_MARKS, NAME, OLDEST, Mark
from threadline.platforms.buzz.state import MOST_CHANNELS, MOST_CHATS, Channel, Chat, Work, without

LONGEST_ID: Final = 51
"""Characters of a channel's id: with prefix and turn a subscription's name may have 64."""

AT_ONCE: Final = 4
"""Pages under way at the same time."""


def announced(work: Work, event: Event) -> None:
    """Take a channel's description: remember it and listen to the channel."""
    name = event.value("d")
    if not 0 < len(name) <= LONGEST_ID:
        return
    channels, now = work.state.channels, int(work.now)
    known = channels.get(name)
    if event.created_at > now + LATE or (known and event.created_at < known.at):
        return  # from the future, or an older description than the one we have
    if known is None and len(channels) >= MOST_CHANNELS:
        work.note("too_many_channels", name, alarm=True)
        return
    at, direct = min(event.created_at, now), event.value("t") == "dm"
    channels = {**channels, name: Channel(event.value("name"), direct, at)}
    work.state = replace(work.state, channels=channels)
    since = now - frames.LOOK_BACK if work.state.listed else None
    listen(work, name, since)
    settle(work, name)


def added(work: Work, event: Event) -> None:
    """Listen to a channel that we were added to, and ask what it is where that is unknown."""
    name = event.value("h")
    if not _newest(work, name, event, from_then_on=0):
        return
    unheard = name not in work.state.chats
    listen(work, name, since=event.created_at)
    if unheard and name not in work.state.channels:
        work.send.append(frames.discover())


def removed(work: Work, event: Event) -> None:
    """Stop listening to a channel that we were removed from, and forget it."""
    name = event.value("h")
    if not _newest(work, name, event, from_then_on=1):
        return
    state = work.state
    if name in state.chats:
        work.send.append(frames.close(frames.chat(name, state.chats[name].turn)))
        work.chat(name, None)
    if name in state.marks:
        work.save[NAME + name] = ""
    work.state = replace(
        work.state, channels=without(state.channels, name), marks=without(state.marks, name),
        reopen=without(state.reopen, frames.CHATS + name),
    )  # fmt: skip
    ask(work)


def listen(work: Work, channel: str, since: int | None = None) -> None:
    """Open a channel's subscription unless it is open; a new channel is heard from `since` on."""
    if channel in work.state.chats:
        return
    if len(work.state.chats) >= MOST_CHATS:
        work.note("too_many_channels", channel, alarm=True)
        return
    mark = work.state.marks.get(channel)
    mark = _first_mark(work, channel, since) if mark is None else _sound(work, channel, mark)
    oldest = int(work.now) - OLDEST
    if mark.since < oldest:
        work.note("too_old_to_ask", channel)
    work.chat(channel, Chat(work.now, (Stretch(max(mark.since, oldest)),)))
    ask(work)


def ask(work: Work) -> None:
    """Ask for the next pages, a few at a time: relays count requests, and buffer little."""
    state = work.state
    if work.now < state.patient_until:
        return
    work.state = replace(state, patient_until=0.0)
    under_way = sum(chat.page is not None for chat in state.chats.values())
    for channel, chat in state.chats.items():
        if under_way >= AT_ONCE:
            return
        if chat.ahead and chat.page is None:
            last = chat.ahead[-1]
            frame = frames.listen(channel, chat.turn, last.since, last.until, PAGE)
            work.send.append(frame)
            work.chat(channel, replace(chat, page=Page(work.now)))
            under_way += 1


def slow_down(work: Work, channel: str, seconds: float) -> None:
    """Ask again later, for what was to be asked for: the relay only wants us to be slower."""
    chat = work.state.chats[channel]
    mark = work.state.marks[channel]
    ahead = chat.ahead or (Stretch(max(mark.since, chat.since)),)
    work.chat_last(channel, replace(chat, ahead=ahead, page=None))
    until = max(work.state.patient_until, work.now + seconds)
    work.state = replace(work.state, patient_until=until)


def sweep(work: Work) -> None:
    """Listen to every known channel that is not listened to."""
    for channel in work.state.channels:
        if frames.CHATS + channel not in work.state.tries:
            listen(work, channel)


def heard(work: Work, subscription: str, event: Event, size: int) -> None:
    """Take a message of so many bytes, at once or with the page it is part of."""
    channel = work.state.listened(subscription)
    if not channel or event.value("h") != channel or event.pubkey == work.state.signer.pubkey:
        return
    chat = work.state.chats[channel]
    if not chat.ahead:
        if event.created_at < chat.since:
            work.note("older_than_asked", event.id)
        else:
            _take(work, channel, (event,))
    elif chat.page is not None:
        page = replace(chat.page, strayed=chat.page.strayed + 1)
        if chat.ahead[-1].holds(event.created_at):
            page = chat.page.with_event(event, size, work.now)
        work.chat(channel, replace(chat, page=page))


def ended(work: Work, subscription: str) -> None:
    """Note that all stored messages that were asked for have come."""
    channel = work.state.listened(subscription)
    chat = work.state.chats.get(channel)
    if chat is not None and chat.page is not None:
        work.chat(channel, replace(chat, page=replace(chat.page, ended=True)))
        settle(work, channel)


def settle(work: Work, channel: str) -> None:
    """Take a page that is whole, in the order of writing, or divide what it was asked for."""
    chat = work.state.chats.get(channel)
    if chat is None or chat.page is None or work.state.whole_at(channel) > work.now:
        return
    page, stretch, rest = chat.page, chat.ahead[-1], chat.ahead[:-1]
    parts = backlog.divided(stretch, page)
    given_up = bool(parts) and len(rest) >= MOST_STRETCHES
    ahead = rest if given_up else (*rest, *parts)
    if ahead:  # what still comes under this name must not count for the next page
        work.send.append(frames.close(frames.chat(channel, chat.turn)))
        chat = replace(chat, turn=chat.turn % (frames.MOST_TURNS - 1) + 1)
    work.chat_last(channel, replace(chat, ahead=ahead, page=None, since=stretch.since))
    if given_up or not parts:
        _take(work, channel, backlog.in_order(page.events))
        why = "too much was written" if given_up else backlog.missed(stretch, page)
        if why:
            work.note("backlog_cut", f"{channel}: {why}", alarm=True)
    ask(work)


def reopen(work: Work, subscription: str) -> float:
    """Claim one of the few reopenings of a subscription; give when it is due, or never."""
    tried = work.state.tries.get(subscription, 0)
    if tried >= len(REOPEN_AFTER):
        return NEVER
    tries = dict(list(work.state.tries.items())[-MOST_CHANNELS:])
    work.state = replace(work.state, tries={**tries, subscription: tried + 1})
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
    if event.created_at > work.now + LATE:
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


def _sound(work: Work, channel: str, mark: Mark) -> Mark:
    """Mend a mark that our own clock, once wrong, put into the future."""
    sound = mark.by(work.now)
    if sound != mark:
        work.note("mark_from_the_future", channel)
        work.state = replace(work.state, marks={**work.state.marks, channel: sound})
        work.save[NAME + channel] = sound.text()
    return sound


def _take(work: Work, channel: str, events: tuple[Event, ...]) -> None:
    """Deliver those that are new, oldest first, and keep how far the channel was read."""
    known, before = work.state.channels.get(channel, Channel()), work.state.marks[channel]
    place, mark = {"name": known.name, "direct": known.direct}, before
    for event in events:
        if event.created_at > work.now + LATE:
            work.note("from_the_future", event.id)
        if mark.wants(event, work.now):
            delivery = {"event": event.payload, "channel": place}
            work.deliveries.append(json.dumps(delivery, ensure_ascii=False).encode())
            mark = mark.after(event, work.now)
    if mark != before:
        work.state = replace(work.state, marks={**work.state.marks, channel: mark})
        work.save[NAME + channel] = mark.text()
