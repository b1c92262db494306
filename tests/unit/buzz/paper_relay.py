"""A relay on paper: it stores events and answers requests, with the limits that relays have."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.unit.buzz.relay import Talk
from threadline.core.socket import Step
from threadline.platforms.buzz.event import Event


@dataclass(slots=True)
class PaperRelay:
    """Hands stored events out newest first, `cap` of them at most.

    `buffer`: so many frames of one request are sent before the rest is dropped, its end included,
    as where a send buffer is full. `obeys`: whether it reads `until` and `limit`. `refuses`: so
    many requests for messages are closed first, as too fast. `ends`: it says when that was all.
    """

    stored: list[Event] = field(default_factory=list)
    cap: int = 2_000
    buffer: int = 100_000
    obeys: bool = True
    refuses: int = 0
    ends: bool = True
    open: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    def answer(self, frame: list[Any]) -> list[list[Any]]:
        """Answer a frame of the client's."""
        match frame:
            case ["REQ", subscription, wanted]:
                return self._history(subscription, wanted)
            case ["CLOSE", subscription]:
                self.open.pop(subscription, None)
        return []

    def publish(self, *events: Event) -> list[list[Any]]:
        """Store events and give the frames for those who listen."""
        self.stored += events
        return [
            ["EVENT", subscription, event.payload]
            for event in events
            for subscription, wanted in self.open.items()
            if fits(event, wanted)
        ]

    def _history(self, subscription: str, wanted: dict[str, Any]) -> list[list[Any]]:
        if 9 in wanted["kinds"]:
            self.asked.append(wanted)
            if self.refuses:
                self.refuses -= 1
                reason = "rate-limited: quota exceeded; retry in 3s"
                return [["CLOSED", subscription, reason]]
        if not self.obeys:
            wanted = {name: wanted[name] for name in wanted if name not in {"until", "limit"}}
        self.open[subscription] = wanted
        found = [event for event in self.stored if fits(event, wanted)]
        newest = sorted(found, key=lambda one: (-one.created_at, one.id))
        given = newest[: min(self.cap, wanted.get("limit", self.cap))]
        frames: list[list[Any]] = [["EVENT", subscription, event.payload] for event in given]
        frames += [["EOSE", subscription]] if self.ends else []
        return frames[: self.buffer]


@dataclass(slots=True)
class Meeting:
    """A session and a relay that talk until nothing is left to say."""

    relay: PaperRelay
    talk: Talk
    most_held: int = 0
    most_at_once: int = 0
    most_asked: int = 0
    steps: list[Step] = field(default_factory=list)

    def go_on(self, frames: Iterable[list[Any]], most: int = 1_000_000) -> int:
        """Give the session what it sent to the relay, and back; give how many frames it read."""
        waiting, read = [answer for frame in frames for answer in self.relay.answer(frame)], 0
        while waiting and read < most:
            answers = []
            for frame in waiting[: most - read]:
                out = self.talk.frame(*frame)
                answers += [answer for one in out for answer in self.relay.answer(one)]
                self._measure()
            read += len(waiting[: most - read])
            waiting = answers
        return read

    def wait(self, until: float = 1_000.0) -> None:
        """Let time pass as the session asks for it, until it wants nothing more."""
        stop = self.talk.now + until
        while self.talk.last.tick_at <= stop:
            self.talk.now = max(self.talk.now, self.talk.last.tick_at)
            self.go_on(self.talk.take(self.talk.session.tick(self.talk.now)))

    def hear(self, *events: Event) -> None:
        """Let somebody say something while the session listens."""
        for frame in self.relay.publish(*events):
            self.go_on(self.talk.frame(*frame))

    def _measure(self) -> None:
        chats = self.talk.session.state.chats.values()  # type: ignore[attr-defined]
        pages = [chat.page for chat in chats if chat.page]
        self.most_held = max(self.most_held, sum(len(page.events) for page in pages))
        self.most_at_once = max(self.most_at_once, len(self.talk.last.deliveries))
        self.most_asked = max(self.most_asked, len(pages))
        self.steps.append(self.talk.last)


def fits(event: Event, wanted: Mapping[str, Any]) -> bool:
    """Tell whether an event fits a filter."""
    if event.kind not in wanted["kinds"]:
        return False
    if "#h" in wanted and event.value("h") not in wanted["#h"]:
        return False
    if "#p" in wanted and event.value("p") not in wanted["#p"]:
        return False
    return bool(wanted.get("since", 0) <= event.created_at <= wanted.get("until", 10**12))


def meet(relay: PaperRelay, saved: Mapping[str, str], now: float) -> Meeting:
    """Connect to the relay, prove who we are, and be told of the channels; nothing is read yet."""
    talk = Talk.open(dict(saved), now)
    talk.authenticate()
    return Meeting(relay, talk)


def opening(meeting: Meeting) -> list[list[Any]]:
    """Give what the session asks for first, once it is let in."""
    step = meeting.talk.session.opened(meeting.talk.now)
    return [json.loads(str(frame)) for frame in step.send]


def catch_up(relay: PaperRelay, saved: Mapping[str, str], now: float) -> Meeting:
    """Connect and read everything that was missed."""
    meeting = meet(relay, saved, now)
    meeting.go_on(opening(meeting))
    return meeting
