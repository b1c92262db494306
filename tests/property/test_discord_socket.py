"""Discord's session, its cursor and its backfill under every order of drops, kills and trouble.

The host here is a model of `core.socket`'s contract: what was read waits, is accepted in order, and
only then moves the cursor, which is written some time later.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.platforms.discord import CREDENTIALS
from tests.stubs.discord import BOT_USER, GENERAL, GUILD, DiscordStub
from tests.stubs.discord_rules import respond
from tests.unit.discord.sessions import APP
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.core.errors import PostError
from threadline.core.http import HttpRequest, HttpResponse
from threadline.core.message import Messages, Webhook
from threadline.core.socket import Session, Step
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.inquiry import BETWEEN

ACTIONS: Final = (
    "write", "hear", "accept", "save", "drop", "kill", "connect", "stop", "forget", "garble",
    "repeat", "silence", "outage", "close", "invalid", "garbage",
)  # fmt: skip


@dataclass(slots=True)
class Gateway:
    """Discord's side of a session: every event it tells, and how many the other side was sent."""

    events: list[dict[str, Any]] = field(default_factory=list)
    sent: int = 0

    def tell(self, kind: str, about: dict[str, Any]) -> None:
        """Have something to tell."""
        self.events.append({"op": 0, "s": len(self.events) + 1, "t": kind, "d": about})


@dataclass(slots=True)
class Story:
    """One run of a host against one Discord, in which anything may happen."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    stub: DiscordStub = field(init=False)
    sessions: dict[str, Gateway] = field(default_factory=dict)
    line: str = ""
    session: Session | None = None
    waiting: list[Step] = field(default_factory=list)
    cursor: dict[str, str] = field(default_factory=dict)
    unsaved: dict[str, str] = field(default_factory=dict)
    saved: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    accepted: dict[str, str] = field(default_factory=dict)
    down: bool = False
    wait: float = 0.0

    def __post_init__(self) -> None:
        self.stub = DiscordStub(clock=self.clock.now)

    def act(self, action: str) -> None:
        """Do one thing, where it can be done now."""
        self.clock.advance(0.25)
        getattr(self, "do_" + action.replace(" ", "_"))()

    def do_write(self) -> None:
        """Let somebody write in the channel, once the bot was heard of."""
        message = self.stub.say(GENERAL, f"message {len(self.written)}")
        for one in self.sessions.values():
            one.tell("MESSAGE_CREATE", message)
        if self.saved.get("session"):
            self.written.append(message["id"])

    def do_hear(self) -> None:
        """Hear what comes next on the line."""
        if self.session is None or not self.line:
            return
        gateway = self.sessions[self.line]
        if gateway.sent < len(gateway.events):
            gateway.sent += 1
            self.feed(gateway.events[gateway.sent - 1])

    def do_accept(self) -> None:
        """Let ingest take what waits first, and fill a gap that it names."""
        if not self.waiting:
            return
        step = self.waiting.pop(0)
        new = not step.save.keys() <= self.cursor.keys()
        self.take(step.deliveries, dict(step.save))
        if new:
            self.do_save()
        if step.gap:
            self.fill()

    def do_save(self) -> None:
        """Write the cursor."""
        self.saved.update(self.unsaved)
        self.unsaved = {}

    def do_drop(self) -> None:
        """Cut the connection."""
        self.ended(1006)

    def do_close(self) -> None:
        """Let Discord end the session."""
        if self.line:
            del self.sessions[self.line]
        self.ended(4009)

    def do_kill(self) -> None:
        """Kill -9: what was not written down is gone."""
        self.session, self.line, self.waiting, self.unsaved = None, "", [], {}
        self.cursor, self.wait = dict(self.saved), 0.0

    def do_stop(self) -> None:
        """Stop in good order: finish what was read, write the cursor."""
        self.session, self.line = None, ""
        self.settle()
        self.do_kill()

    def do_forget(self) -> None:
        """Let Discord forget every session that has no connection."""
        self.sessions = {name: one for name, one in self.sessions.items() if name == self.line}

    def do_garble(self) -> None:
        """Let the next event come as something that cannot be read."""
        if self.session is None or not self.line:
            return
        gateway = self.sessions[self.line]
        if gateway.sent < len(gateway.events):
            gateway.sent += 1
            self.step(self.session.feed('{"op": 0, "t": "MESSAGE_CR', self.clock.now()))

    def do_repeat(self) -> None:
        """Hear the last event once more."""
        if self.session is not None and self.line and self.sessions[self.line].sent > 2:
            self.feed(self.sessions[self.line].events[self.sessions[self.line].sent - 1])

    def do_silence(self) -> None:
        """Let a minute pass, with its sign of life once all was heard."""
        if self.session is not None and self.line:
            while self.sessions[self.line].sent < len(self.sessions[self.line].events):
                self.do_hear()
            self.feed({"op": 11})
        self.clock.advance(60.0)
        if self.session is not None:
            self.step(self.session.tick(self.clock.now()))
            self.feed({"op": 11})

    def do_outage(self) -> None:
        """Let the HTTP API answer nothing, or answer again."""
        self.down = not self.down

    def do_invalid(self) -> None:
        """Let Discord say that the session is over."""
        if self.line:
            del self.sessions[self.line]
            self.line = ""
        self.feed({"op": 9, "d": False})

    def do_garbage(self) -> None:
        """Let something come that is nothing."""
        self.feed({"op": 0, "s": None, "t": "MESSAGE_CREATE", "d": {"id": 5}})

    def do_connect(self) -> None:
        """Connect anew once all that was read is accepted, as hosts do."""
        if self.session is not None:
            return
        self.settle()
        self.clock.advance(self.wait)
        self.cursor = dict(self.saved)
        now = self.clock.now()
        try:
            flow = PLATFORM.inquire(CREDENTIALS, APP, self.kept(), now)
            told = drive(flow, self.perform, self.clock)
        except PostError as error:
            self.wait = getattr(error, "after", 2.0)
            return
        opening = PLATFORM.connect(CREDENTIALS, APP, {**self.kept(), **told}, now, 0.0)
        self.session, self.wait = opening.session, 0.0
        self.step(self.session.opened(now))
        self.feed({"op": 10, "d": {"heartbeat_interval": 45_000}})

    def feed(self, frame: dict[str, Any]) -> None:
        """Hand a frame to the session, if there is one."""
        if self.session is not None:
            self.step(self.session.feed(json.dumps(frame), self.clock.now()))

    def step(self, step: Step) -> None:
        """Do what a step says."""
        self.session = step.session
        if step.deliveries or step.save or step.gap:
            self.waiting.append(step)
        for frame in step.send:
            self.answer(json.loads(frame))
        if step.end is not None:
            self.session, self.line = None, ""
            self.wait = max(step.end.wait, 2.0)

    def answer(self, told: dict[str, Any]) -> None:
        """Answer as Discord does."""
        if told["op"] == 2:
            self.line = f"session-{self.clock.now()}"
            ready = {"session_id": self.line, "user": BOT_USER, "guilds": [{"id": GUILD}],
                     "resume_gateway_url": "wss://gateway.discord.gg"}  # fmt: skip
            self.sessions[self.line] = Gateway()
            self.sessions[self.line].tell("READY", ready)
            self.do_hear()
        elif told["op"] == 6:
            gateway = self.sessions.get(told["d"]["session_id"])
            if gateway is None or told["d"]["seq"] > len(gateway.events):
                self.feed({"op": 9, "d": False})
                return
            self.line, gateway.sent = told["d"]["session_id"], told["d"]["seq"]
            gateway.tell("RESUMED", {})

    def ended(self, code: int) -> None:
        """Let the other side close the connection."""
        if self.session is not None:
            step = self.session.closed(code, "", self.clock.now())
            self.session = None
            self.step(step)
            self.session, self.line = None, ""
            self.wait = 2.0

    def settle(self) -> None:
        """Accept everything, and write the cursor."""
        while self.waiting:
            self.do_accept()
        self.do_save()

    def take(self, deliveries: tuple[bytes, ...], save: dict[str, str]) -> None:
        """Take deliveries as ingest does, then move the cursor."""
        for body in deliveries:
            request = Webhook("POST", "/", {}, {}, body)
            parsed = PLATFORM.parse(request, CREDENTIALS, self.clock.now())
            if isinstance(parsed, Messages):
                (message,) = parsed.messages
                assert self.accepted.setdefault(message.id, message.delivery) == message.delivery
        self.cursor.update(save)
        self.unsaved.update(save)

    def fill(self) -> None:
        """Ask for what a gap swallowed; where that fails it is tried once more."""
        for _ in range(2):
            try:
                flow = PLATFORM.backfill(CREDENTIALS, APP, self.kept(), self.clock.now())
                missed = drive(flow, self.perform, self.clock)
            except PostError:
                self.down = False
            else:
                self.take(missed.deliveries, dict(missed.save))
                return

    def kept(self) -> dict[str, str]:
        """Give the cursor as sessions see it."""
        return {name: text for name, text in self.cursor.items() if text}

    def perform(self, request: HttpRequest) -> HttpResponse:
        """Answer a call of the HTTP API."""
        if self.down:
            return HttpResponse(503)
        self.clock.advance(0.01)
        path = request.url.removeprefix("https://discord.com")
        answer = respond(self.stub, request.method, path, request.headers, b"")
        return HttpResponse(answer.status, answer.headers, json.dumps(answer.body).encode())


@settings(max_examples=500)
@given(st.lists(st.sampled_from(ACTIONS), min_size=5, max_size=80))
def test_nothing_is_lost_whatever_happens(actions: list[str]) -> None:
    """Whatever happens to connection, process, store and API: every message is accepted.

    One that comes again comes under the same ids, so that it is known.
    """
    story = Story()
    story.do_connect()
    story.settle()
    for action in actions:
        story.act(action)
    story.down = False
    for _ in range(8):
        story.clock.advance(BETWEEN)
        story.do_connect()
        story.do_write()
        for _ in range(200):
            story.do_hear()
            story.do_accept()
        story.do_silence()
    story.settle()
    missing = [one for one in story.written if one not in story.accepted]
    assert not missing, (missing, story.cursor)
