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
from threadline.platforms.discord import closing, delivery, reading
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
from threadline.platforms.discord.reading import Reading
from threadline.platforms.discord.spoken import hear

WITHIN: Final = 30.0
"""Seconds within which Discord must say hello, and again within which it must let us in."""

DOUBT: Final = 60.0
"""Seconds before the last sign of life from which on a message may have been missed."""

LET_IN_AGAIN: Final = 4000
"""A close code that leaves the session standing, so that it can be resumed."""

LONGEST_RESUME: Final = 300.0
"""Seconds of silence after which a session is not asked for again: it lives for some minutes."""

FILL_EVERY: Final = 600.0
"""Seconds between two times that missing events are made up for on one connection."""


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

    `heard_at` is the last sign of life before this connection, `told_at` the last event, 0 for
    none. `gap` marks from where on something may be missing, and `owed` that it is still to be made
    up for, from `fill_at` on. `random` is between 0 and 1. `interval` is in seconds.
    """

    token: str = field(repr=False)
    bot: str
    random: float
    known: Known
    reading: Reading = Reading()
    session: str = field(default="", repr=False)
    sequence: int = -1
    heard_at: float = 0.0
    told_at: float = 0.0
    gap: str = ""
    owed: bool = False
    fill_at: float = 0.0
    phase: Phase = Phase.GREETING
    interval: float = 0.0
    beat_at: float = NEVER
    answered: bool = True
    within: float = NEVER

    @property
    def hearing(self) -> Hearing:
        if self.phase is not Phase.IN:
            return Hearing.OPENING
        heard = not self.reading.lost and (self.known.guilds or self.known.direct)
        return Hearing.HEARING if heard else Hearing.DEAF

    @property
    def why(self) -> str:
        if self.reading.lost:
            return closing.REFUSED[closing.MAY_NOT_READ]
        if self.hearing is Hearing.DEAF:
            return "the bot is in no server yet: invite it, as docs/platforms/discord.md says"
        return ""

    def opened(self, now: float) -> Step:
        return _step(replace(self, within=now + WITHIN), now)

    def feed(self, frame: Frame, now: float) -> Step:
        fields = decode(frame)
        if fields is None:
            here = _doubtful(self, now)
            return _step(here, now, save=_kept(here, now), notes=(Note("unreadable_frame"),))
        match number(fields, "op"):
            case Op.DISPATCH if self.phase is not Phase.GREETING:  # nothing is told before HELLO
                return self._dispatched(fields, now)
            case Op.HELLO:
                return self._greeted(section(fields, "d"), now)
            case Op.HEARTBEAT:
                return _step(self, now, send=(self._beat(),))
            case Op.HEARTBEAT_ACK:
                kept = {"heard": str(int(now))} if self.phase is Phase.IN else {}
                return _step(replace(self, answered=True), now, save=kept)
            case Op.RECONNECT:
                return self._leave("Discord asked to connect anew")
            case Op.INVALID_SESSION:
                return self._invalid(resumable=fields.get("d") is True)
            case op:
                return _step(self, now, notes=(Note("unknown_frame", str(op)),))

    def tick(self, now: float) -> Step:
        if now >= self.within:
            what = "say hello" if self.phase is Phase.GREETING else "let the bot in"
            return self._leave(f"Discord did not {what} within {WITHIN:.0f} s")
        if now < self.beat_at:
            return _step(self, now)
        if not self.answered:
            return self._leave("Discord no longer answers: the connection is dead")
        beaten = replace(self, answered=False, beat_at=now + self.interval)
        return _step(beaten, now, send=(self._beat(),))

    def closed(self, code: int, reason: str, now: float) -> Step:  # noqa: ARG002
        save = _forgotten() if code in closing.SESSION_OVER else {}
        return Step(session=self, save=save, end=closing.judge(code, reason))

    def _greeted(self, hello: Fields, now: float) -> Step:
        interval = max(number(hello, "heartbeat_interval"), 1000) / 1000
        if self.phase is not Phase.GREETING:
            return _step(replace(self, interval=interval), now)
        entering = replace(
            self,
            phase=Phase.ENTERING,
            interval=interval,
            beat_at=now + interval * self.random,
            within=now + WITHIN,
        )
        if self.session:
            return _step(entering, now, send=(self._resume(),))
        return _step(entering, now, send=(self._identify(),), save={"begun": str(int(now))})

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
        return Step(session=self, end=End(why, wait=wait, code=LET_IN_AGAIN))

    def _invalid(self, *, resumable: bool) -> Step:
        """Come back after a while, with a new session where this one is over."""
        left = self._leave("Discord wants another session", wait=1.0 + 4.0 * self.random)
        return left if resumable else replace(left, save=_forgotten())

    def _dispatched(self, fields: Fields, now: float) -> Step:
        kind, said = text(fields, "t"), section(fields, "d")
        if kind == "READY":
            return self._ready(said, max(number(fields, "s"), 0), now)
        sequence = max(number(fields, "s"), self.sequence)
        here = replace(self, sequence=sequence)
        missing = 0 <= self.sequence < sequence - 1
        if missing:
            here = _doubtful(here, now)
        if kind == "RESUMED":
            inside = replace(
                here, phase=Phase.IN, within=NEVER, owed=bool(here.gap), told_at=now
            )  # fmt: skip
            return _step(inside, now, save=_kept(inside, now))
        # While missed events come again, each of them gives the rest more time.
        within = now + WITHIN if self.phase is Phase.ENTERING else NEVER
        known = self.known.after(kind, said, self.bot)
        body = b""
        if kind in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}:
            body = delivery.body(kind, said, known, self.bot)
        told_at = now if self.phase is Phase.IN else self.told_at
        here, unread = _read(replace(here, known=known), kind, said, now)
        return _step(
            replace(here, within=within, told_at=told_at), now,
            deliveries=(body,) if body else (),
            save={**_kept(here, now), **known.changes(self.known), **unread},
            notes=(Note("events_missing", str(sequence - self.sequence - 1)),) if missing else (),
        )  # fmt: skip

    def _ready(self, said: Fields, sequence: int, now: float) -> Step:
        """Begin a session: what was said since the last one is to be asked for."""
        servers = {snowflake(one, "id") for one in sections(said, "guilds")} - {""}
        known = self.known.in_guilds(servers)
        gap = self.gap or (first_of(min(self.heard_at, now) - DOUBT) if self.heard_at else "")
        session = text(said, "session_id")
        inside = replace(
            self, phase=Phase.IN, within=NEVER, known=known, session=session, gap=gap,
            bot=snowflake(section(said, "user"), "id") or self.bot, sequence=sequence,
            owed=bool(gap), told_at=now,
        )  # fmt: skip
        kept = {
            "session": session, "url": text(said, "resume_gateway_url"), "gap": gap,
            "seq": str(sequence), "heard": str(int(now)), reading.UNREAD: "",
        }  # fmt: skip
        return _step(inside, now, save={**kept, **known.changes(self.known)})


def _step(
    session: Gateway,
    now: float,
    *,
    send: tuple[Frame, ...] = (),
    deliveries: tuple[bytes, ...] = (),
    save: Cursor | None = None,
    notes: tuple[Note, ...] = (),
) -> Step:
    """Give the step to a session; what it owes is made up for as soon as that is due."""
    able = session.phase is Phase.IN and not session.reading.lost
    fills = session.owed and able and now >= session.fill_at
    if fills:
        session = replace(session, owed=False, fill_at=now + FILL_EVERY)
    owed_at = session.fill_at if session.owed and able else NEVER
    return Step(
        session=session, send=send, deliveries=deliveries, save=save or {}, gap=fills, notes=notes,
        tick_at=min(session.beat_at, session.within, owed_at),
    )  # fmt: skip


def _doubtful(session: Gateway, now: float) -> Gateway:
    """Note that events are missing, since the last one that came at the earliest."""
    if session.phase is Phase.GREETING:
        return session
    since = min(session.told_at or now, now) - DOUBT
    return replace(session, gap=session.gap or first_of(since), owed=True)


def _read(session: Gateway, kind: str, said: Fields, now: float) -> tuple[Gateway, Cursor]:
    """Note whether a message came with its words, and what is to be kept of that.

    Where they no longer come, a new session has to begin: Discord then lets the bot in only if it
    may read. What came without its words is asked for once it may.
    """
    if kind != "MESSAGE_CREATE":
        return session, {}
    roles = session.known.guilds.get(snowflake(said, "guild_id"), ())
    addressed = hear(said, session.bot, roles).addressed
    seen = session.reading.after(reading.shows(said, session.bot, addressed=addressed), now)
    before, here = session.reading, replace(session, reading=seen)
    if seen.lost and not before.lost:
        gap = here.gap or first_of(min(seen.since, now) - DOUBT)
        return replace(here, gap=gap, owed=True), {reading.UNREAD: "1", "gap": gap}
    return here, {reading.UNREAD: ""} if before.lost and not seen.lost else {}


def _kept(session: Gateway, now: float) -> Cursor:
    """Give what is to be kept of where a session stands.

    While missed events come again it is not heard up to now: others may still be to come.
    """
    heard = {"heard": str(int(now))} if session.phase is Phase.IN else {}
    gap = {"gap": session.gap} if session.owed else {}
    return {"seq": str(session.sequence), **heard, **gap}


def _forgotten() -> Cursor:
    return {"session": "", "seq": "", "url": ""}


def _frame(op: Op, inner: Json) -> str:
    return json.dumps({"op": int(op), "d": inner}, separators=(",", ":"))
