"""The gateway: one connection over which Discord tells what people write, as a pure machine.

HELLO says how often to give a sign of life. IDENTIFY begins a session, RESUME goes on with one:
then everything since the kept sequence number comes again.
https://docs.discord.com/developers/events/gateway
"""

import json
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Final

from threadline.core.json import Json
from threadline.core.socket import NEVER, Cursor, End, Frame, Hearing, Note, Step
from threadline.platforms.discord import closing, delivery
from threadline.platforms.discord.known import Known
from threadline.platforms.discord.needs import INTENT_BITS
from threadline.platforms.discord.payload import (
    Fields,
    decode,
    first_of,
    number,
    section,
    sections,
    snowflake,
    text,
)

WITHIN: Final = 30.0
"""Seconds within which Discord must say hello, and again within which it must let us in."""

DOUBT: Final = 60.0
"""Seconds before the last sign of life from which on a message may have been missed."""

LET_IN_AGAIN: Final = 4000
"""A close code that leaves the session standing, so that it can be resumed."""

LONGEST_RESUME: Final = 300.0
"""Seconds of silence after which a session is not asked for again: it lives for some minutes."""


OFTEN: Final = 200
"""Sessions begun in a day from which on the next one has time."""

PATIENCE: Final = 180.0
"""Seconds between them then: after 1,000 in a day Discord takes the bot's token away."""

DAY: Final = 86_400


class Op(IntEnum):
    """The kinds of frames."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    RESUME = 6
    RECONNECT = 7
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Phase(StrEnum):
    """How far a connection has come."""

    GREETING = "greeting"
    ENTERING = "entering"
    IN = "in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """One connection. `session` and `sequence` are what is resumed, "" and -1 for nothing.

    `heard_at` is the last sign of life before this connection, 0 for none; `gap` marks what is
    still to be made up for. `random` is between 0 and 1. `interval` is in seconds. `begun` counts
    the sessions begun on a day (since 1970).
    """

    token: str = field(repr=False)
    bot: str
    random: float
    known: Known
    session: str = field(default="", repr=False)
    sequence: int = -1
    heard_at: float = 0.0
    gap: str = ""
    begun: tuple[int, int] = (0, 0)
    phase: Phase = Phase.GREETING
    interval: float = 0.0
    beat_at: float = NEVER
    answered: bool = True
    within: float = NEVER

    @property
    def hearing(self) -> Hearing:
        if self.phase is not Phase.IN:
            return Hearing.OPENING
        return Hearing.HEARING if self.known.guilds or self.known.direct else Hearing.DEAF

    @property
    def why(self) -> str:
        if self.hearing is Hearing.DEAF:
            return "the bot is in no server yet: invite it, as docs/platforms/discord.md says"
        return ""

    def opened(self, now: float) -> Step:
        return _step(replace(self, within=now + WITHIN))

    def feed(self, frame: Frame, now: float) -> Step:
        fields = decode(frame)
        if fields is None:
            return _step(self, notes=(Note("unreadable_frame"),))
        match number(fields, "op"):
            case Op.DISPATCH:
                return self._dispatched(fields, now)
            case Op.HELLO:
                return self._greeted(section(fields, "d"), now)
            case Op.HEARTBEAT:
                return _step(self, send=(self._beat(),))
            case Op.HEARTBEAT_ACK:
                kept = {"heard": str(int(now))} if self.phase is Phase.IN else {}
                return _step(replace(self, answered=True), save=kept)
            case Op.RECONNECT:
                return self._leave("Discord asked to connect anew")
            case Op.INVALID_SESSION:
                return self._invalid(resumable=fields.get("d") is True)
            case op:
                return _step(self, notes=(Note("unknown_frame", str(op)),))

    def tick(self, now: float) -> Step:
        if now >= self.within:
            what = "say hello" if self.phase is Phase.GREETING else "let the bot in"
            return self._leave(f"Discord did not {what} within {WITHIN:.0f} s")
        if now < self.beat_at:
            return _step(self)
        if not self.answered:
            return self._leave("Discord no longer answers: the connection is dead")
        beaten = replace(self, answered=False, beat_at=now + self.interval)
        return _step(beaten, send=(self._beat(),))

    def closed(self, code: int, reason: str, now: float) -> Step:  # noqa: ARG002
        over = code in closing.SESSION_OVER
        save = _forgotten() if over else {}
        end = closing.judge(code, reason)
        return Step(session=self, save=save, end=replace(end, wait=max(end.wait, self._patience)))

    def _greeted(self, hello: Fields, now: float) -> Step:
        interval = max(number(hello, "heartbeat_interval"), 1000) / 1000
        entering = replace(
            self,
            phase=Phase.ENTERING,
            interval=interval,
            beat_at=now + interval * self.random,
            within=now + WITHIN,
        )
        if self.session:
            return _step(entering, send=(self._resume(),))
        day = int(now) // DAY
        begun = (day, self.begun[1] + 1 if self.begun[0] == day else 1)
        kept = {"begun": f"{begun[0]} {begun[1]}"}
        return _step(replace(entering, begun=begun), send=(self._identify(),), save=kept)

    def _identify(self) -> str:
        who = {"os": "linux", "browser": "threadline", "device": "threadline"}
        return _frame(
            Op.IDENTIFY,
            {"token": self.token, "intents": INTENT_BITS, "compress": False, "properties": who},
        )

    def _resume(self) -> str:
        return _frame(
            Op.RESUME, {"token": self.token, "session_id": self.session, "seq": self.sequence}
        )

    def _beat(self) -> str:
        return _frame(Op.HEARTBEAT, self.sequence if self.sequence >= 0 else None)

    def _leave(self, why: str, wait: float = 0.0) -> Step:
        return Step(session=self, end=End(why, wait=max(wait, self._patience), code=LET_IN_AGAIN))

    @property
    def _patience(self) -> float:
        return PATIENCE if self.begun[1] > OFTEN else 0.0

    def _invalid(self, *, resumable: bool) -> Step:
        """Come back after a while, with a new session where this one is over."""
        left = self._leave("Discord wants another session", wait=1.0 + 4.0 * self.random)
        return left if resumable else replace(left, save=_forgotten())

    def _dispatched(self, fields: Fields, now: float) -> Step:
        kind, said = text(fields, "t"), section(fields, "d")
        sequence = max(number(fields, "s"), self.sequence)
        save = {"seq": str(sequence), "heard": str(int(now))}
        if kind == "READY":
            return self._ready(said, save, sequence)
        if kind == "RESUMED":
            inside = replace(self, sequence=sequence, phase=Phase.IN, within=NEVER)
            return _step(inside, save=save, gap=bool(self.gap))
        known = self.known.after(kind, said, self.bot)
        body = b""
        if kind in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}:
            body = delivery.body(kind, said, known, self.bot)
        # While missed events come again, each of them gives the rest more time.
        within = now + WITHIN if self.phase is Phase.ENTERING else NEVER
        return _step(
            replace(self, sequence=sequence, known=known, within=within),
            deliveries=(body,) if body else (),
            save={**save, **known.changes(self.known)},
        )

    def _ready(self, said: Fields, save: Cursor, sequence: int) -> Step:
        """Begin a session: what was said since the last one is to be asked for."""
        servers = {snowflake(one, "id") for one in sections(said, "guilds")} - {""}
        known = self.known.in_guilds(servers)
        gap = self.gap or (first_of(self.heard_at - DOUBT) if self.heard_at else "")
        session = text(said, "session_id")
        inside = replace(
            self, phase=Phase.IN, within=NEVER, known=known, session=session, gap=gap,
            bot=snowflake(section(said, "user"), "id") or self.bot, sequence=sequence,
        )  # fmt: skip
        kept = {"session": session, "url": text(said, "resume_gateway_url"), "gap": gap}
        return _step(
            inside, save={**save, **kept, **known.changes(self.known)}, gap=bool(gap)
        )  # fmt: skip


def _step(
    session: Gateway,
    *,
    send: tuple[Frame, ...] = (),
    deliveries: tuple[bytes, ...] = (),
    save: Cursor | None = None,
    gap: bool = False,
    notes: tuple[Note, ...] = (),
) -> Step:
    return Step(
        session=session, send=send, deliveries=deliveries, save=save or {}, gap=gap, notes=notes,
        tick_at=min(session.beat_at, session.within),
    )  # fmt: skip


def _forgotten() -> Cursor:
    return {"session": "", "seq": "", "url": ""}


def _frame(op: Op, inner: Json) -> str:
    return json.dumps({"op": int(op), "d": inner}, separators=(",", ":"))
