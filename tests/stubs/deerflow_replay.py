"""Readers of a Gateway's streams: what is kept for them, and what becomes of who leaves."""

import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from tests.stubs.deerflow_runs import ACTIVE, TAIL, Event, GatewayRun, timeline

KEPT = 256
KEPT_FOR = 60.0
END = b"event: end\ndata: null\n\n"


@dataclass(slots=True)
class Replay:
    """One reader of a run's stream, from where it says it was."""

    run: GatewayRun
    cursor: str
    clock: Callable[[], float]
    newer: bool
    endless: Callable[[], bool]

    def chunks(self) -> Generator[bytes | float]:
        """Give the bytes, and between them until when to wait; closing it is a reader that leaves.

        A run made without `on_disconnect: continue` is cancelled by any reader that leaves.
        """
        complete = False
        try:
            yield from self._events()
            complete = True
        finally:
            now = self.clock()
            left_early = not complete and self.run.status(now) in ACTIVE
            if left_early and self.run.on_disconnect == "cancel":
                self.run.cancelled_at = now

    def _events(self) -> Generator[bytes | float]:
        begun, planned = self.clock(), timeline(self.run)
        if not self.run.local or begun > self.run.ends_at + KEPT_FOR:
            yield END
            return
        start = self._start([one for one in planned if one.at <= begun])
        if start is None:
            yield self._gap(planned, begun)
            return
        for event in planned[start:]:
            while self.clock() < min(event.at, self.run.ends_at):
                yield min(event.at, self.run.ends_at)
            if self.run.cancelled_at is not None and event.at > self.run.cancelled_at:
                break
            yield event.written()
        while self.clock() < self.run.ends_at + TAIL or self.endless():
            yield max(self.run.ends_at + TAIL, self.clock() + 0.5)
        yield END

    def _start(self, come: Sequence[Event]) -> int | None:
        """Find where to go on: after a cursor that is kept, else with the oldest that is kept."""
        oldest = max(len(come) - KEPT, 0)
        moment, _, sequence = self.cursor.partition("-")
        if not (moment.isdigit() and sequence.isdigit()):
            return oldest
        at = int(sequence)
        watermark = oldest - 1 if self.newer else oldest
        if at < watermark:
            return None
        if at < len(come) and (at < oldest or come[at].id == self.cursor):
            return at + 1
        return oldest

    def _gap(self, planned: Sequence[Event], now: float) -> bytes:
        come = [one for one in planned if one.at <= now]
        payload = {
            "code": "stream_replay_gap", "run_id": self.run.id, "requested_event_id": self.cursor,
            "earliest_available_event_id": come[max(len(come) - KEPT, 0)].id,
            "latest_available_event_id": come[-1].id, "recovery": "reload_durable_state",
        }  # fmt: skip
        return f"event: gap\ndata: {json.dumps(payload)}\n\n".encode()
