"""A relay's words for a session, and what the session said."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from threadline.core.ids import AppName, PlatformName
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings
from threadline.core.socket import Session, Step
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import ADDED, CHANNEL, CHAT, REMOVED, Event, Tags, signer

URL: Final = "wss://buzz.example.com"
NOW: Final = 1_790_000_000.0


def credentials(secret: int = 3, url: str = URL) -> Credentials:
    """Give credentials with this number as private key."""
    return Credentials(
        PlatformName("buzz"), AppName("default"), base_url=url,
        secrets={"private_key": f"{secret:064x}"},
    )  # fmt: skip


US: Final = signer(credentials())
RELAY: Final = signer(credentials(5))
ANN: Final = signer(credentials(7))
BEN: Final = signer(credentials(11))


def settings(**options: str) -> AppSettings:
    """Give the app's settings."""
    return AppSettings(
        platform=PlatformName("buzz"), app=AppName("default"), base_url=URL, options=options
    )  # fmt: skip


def channel(name: str, kind: str = "stream", at: float = NOW, by: Any = RELAY) -> Event:
    """Describe a channel."""
    tags: Tags = (("d", name), ("name", f"The {name}"), ("t", kind))
    event: Event = by.sign(int(at), CHANNEL, tags)
    return event


def member(kind: int, name: str, at: float = NOW, who: str = US.pubkey) -> Event:
    """Add somebody to a channel or remove them."""
    return RELAY.sign(int(at), kind, (("p", who), ("h", name)))


def added(name: str, at: float = NOW, who: str = US.pubkey) -> Event:
    """Add somebody to a channel."""
    return member(ADDED, name, at, who)


def removed(name: str, at: float = NOW, who: str = US.pubkey) -> Event:
    """Remove somebody from a channel."""
    return member(REMOVED, name, at, who)


def says(text: str, name: str = "ch-1", at: float = NOW, by: Any = ANN, tags: Tags = ()) -> Event:
    """Say something in a channel, mentioning us."""
    event: Event = by.sign(int(at), CHAT, (("h", name), ("p", US.pubkey), *tags), text)
    return event


@dataclass(slots=True)
class Talk:
    """A session and everything that came of what was fed to it."""

    session: Session
    now: float = NOW
    saved: dict[str, str] = field(default_factory=dict)
    last: Step = field(init=False)
    delivered: list[dict[str, Any]] = field(default_factory=list)
    noted: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def open(cls, saved: dict[str, str] | None = None, now: float = NOW, **options: str) -> "Talk":
        """Connect with what was saved, and let the session say its first words."""
        cursor = dict(saved or {})
        opening = PLATFORM.connect(credentials(), settings(**options), cursor, now, 0.5)
        talk = cls(opening.session, now, cursor)
        talk.take(talk.session.opened(now))
        return talk

    @classmethod
    def listening(
        cls, *channels: str, saved: dict[str, str] | None = None, now: float = NOW
    ) -> "Talk":
        """Connect, authenticate, and listen to these channels, whose backlogs are still open."""
        talk = cls.open(saved, now)
        talk.authenticate()
        for name in channels:
            talk.event("buzz-discovery", channel(name))
        talk.frame("EOSE", "buzz-discovery")
        return talk

    def frame(self, *words: Any) -> list[list[Any]]:
        """Feed a frame and give what goes out for it."""
        return self.take(self.session.feed(json.dumps(words), self.now))

    def event(self, subscription: str, event: Event) -> list[list[Any]]:
        """Feed an event."""
        return self.frame("EVENT", subscription, event.payload)

    def authenticate(self, challenge: str = "c1") -> None:
        """Challenge the session and take its proof."""
        proof = self.frame("AUTH", challenge)[0]
        self.frame("OK", proof[1]["id"], True, "")

    def tick(self, seconds: float = 0.0) -> list[list[Any]]:
        """Let time pass and give what goes out."""
        self.now += seconds
        return self.take(self.session.tick(self.now))

    def take(self, step: Step) -> list[list[Any]]:
        """Take a step."""
        self.last, self.session = step, step.session
        self.delivered += [json.loads(body) for body in step.deliveries]
        self.noted += [(note.code, note.detail) for note in step.notes]
        for name, text in step.save.items():
            self.saved[name] = text
            if not text:
                del self.saved[name]
        return [json.loads(frame) for frame in step.send]

    def texts(self) -> list[str]:
        """List what was delivered."""
        return [one["event"]["content"] for one in self.delivered]

    def codes(self) -> list[str]:
        """List what was noted."""
        return [code for code, _ in self.noted]
