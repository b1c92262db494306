"""Recorded connections, `events/<platform>/frames/<case>.json`, and what each must lead to.

A transcript is what both sides say over one connection, in order:

    {"at": 1790000000, "cursor": {}, "options": {}, "frames": [
        {"sends": ["REQ", "…"]}, {"hears": ["AUTH", "…"]}, {"hears_text": "no json"}, {"waits": 5}]}

`sends` is compared in what it names, and nothing more may be sent. `<case>.expect.json` beside it:

    {"outcome": "accepted", "messages": [{"text": "hello"}], "notes": ["channels"], "saved": {}}
    {"outcome": "ignored"}    {"outcome": "refused", "ends": {"refused": true}}

`refused`: the session told, in a note, why it did not take what came, is deaf, or ended it all.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.events import EVENTS, differences, plain
from threadline.core.message import Message, Messages, Webhook
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings
from threadline.core.socket import Hearing, HoldsSocket, Session, Step

REQUEST = Webhook("POST", "/", {}, {"content-type": "application/json"}, b"")


@dataclass(frozen=True, slots=True)
class Transcript:
    """One recorded connection."""

    platform: str
    case: str
    recorded: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def at(self) -> float:
        """When the connection was opened."""
        at: float = self.recorded["at"]
        return at

    @property
    def frames(self) -> tuple[Mapping[str, Any], ...]:
        """What was said, and how long nothing was."""
        return tuple(self.recorded["frames"])

    def __str__(self) -> str:
        return f"{self.platform}-{self.case}"


@dataclass(slots=True)
class Played:
    """A session, what it said, and what came of it; everything delivered was accepted."""

    session: Session
    now: float
    cursor: dict[str, str]
    steps: list[Step] = field(default_factory=list)
    sent: list[Any] = field(default_factory=list)
    deliveries: list[bytes] = field(default_factory=list)

    def take(self, step: Step) -> Step:
        """Do what a step says."""
        self.session = step.session
        self.steps.append(step)
        self.sent += [json.loads(frame) for frame in step.send]
        self.deliveries += step.deliveries
        self.cursor |= step.save
        self.cursor = {name: text for name, text in self.cursor.items() if text}
        return step

    def hear(self, said: Mapping[str, Any]) -> Step | None:
        """Let the other side say something, or time pass; None for what we said ourselves."""
        match said:
            case {"hears": frame}:
                return self.take(self.session.feed(json.dumps(frame), self.now))
            case {"hears_text": str(text)}:
                return self.take(self.session.feed(text, self.now))
            case {"waits": seconds}:
                self.now += seconds
                return self.take(self.session.tick(self.now))
        return None

    @property
    def notes(self) -> list[str]:
        """The codes of what was noted."""
        return [note.code for step in self.steps for note in step.notes]

    @property
    def ended(self) -> bool:
        """Whether the session ended the connection."""
        return self.steps[-1].end is not None


def transcripts(platform: str) -> tuple[Transcript, ...]:
    """Read every recorded connection of a platform, by name."""
    folder = EVENTS / platform / "frames"
    cases = sorted(path.name.removesuffix(".expect.json") for path in folder.glob("*.expect.json"))
    return tuple(
        Transcript(
            platform, case, json.loads((folder / f"{case}.json").read_text(encoding="utf-8")),
            json.loads((folder / f"{case}.expect.json").read_text(encoding="utf-8")),
        )
        for case in cases
    )  # fmt: skip


def begin(
    codec: HoldsSocket,
    using: Credentials,
    transcript: Transcript,
    cursor: Mapping[str, str] | None = None,
) -> Played:
    """Open the connection, with the cursor of the transcript or another one."""
    known = dict(transcript.recorded.get("cursor", {}) if cursor is None else cursor)
    app = AppSettings(
        platform=using.platform, app=using.app, base_url=using.base_url,
        options=transcript.recorded.get("options", {}),
    )  # fmt: skip
    session = codec.connect(using, app, known, transcript.at, 0.5).session
    played = Played(session, transcript.at, known)
    played.take(session.opened(transcript.at))
    return played


def play(
    codec: HoldsSocket,
    using: Credentials,
    transcript: Transcript,
    cursor: Mapping[str, str] | None = None,
) -> Played:
    """Open the connection and let the other side say everything that it said."""
    played = begin(codec, using, transcript, cursor)
    for said in transcript.frames:
        if played.ended:
            break
        played.hear(said)
    return played


def unlike(codec: HoldsSocket, using: Credentials, transcript: Transcript) -> list[str]:
    """List where a session says or leads to something else than is written."""
    played = play(codec, using, transcript)
    sends = [said["sends"] for said in transcript.frames if "sends" in said]
    found = differences(sends, played.sent, "sends")
    got = _result(codec, using, played)
    return found + differences(transcript.expect, got)


def messages(codec: HoldsSocket, using: Credentials, played: Played) -> Iterator[Message]:
    """Give the messages that were delivered, as ingest would parse them."""
    for body in played.deliveries:
        request = Webhook(REQUEST.method, REQUEST.path, {}, REQUEST.headers, body)
        parsed = codec.parse(request, using, played.now)
        if isinstance(parsed, Messages):
            yield from parsed.messages


def _result(codec: HoldsSocket, using: Credentials, played: Played) -> dict[str, Any]:
    found = [plain(asdict(message)) for message in messages(codec, using, played)]
    outcome = "accepted" if found else "refused" if _told(played) else "ignored"
    end = played.steps[-1].end
    return {
        "outcome": outcome,
        "messages": found,
        "notes": played.notes,
        "saved": {name: _read(text) for name, text in played.cursor.items()},
        "hearing": str(played.session.hearing),
        "ends": asdict(end) if end else None,
    }


def _told(played: Played) -> bool:
    """Whether something was refused, rather than passed over."""
    deaf = played.session.hearing is Hearing.DEAF
    return played.ended or deaf or any(note not in {"channels", "closed"} for note in played.notes)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
