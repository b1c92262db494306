"""A host of sockets on a virtual clock, with connections that are in whatever state is wanted."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from long_running.host import Host
from long_running.sockets.making import Making, May, Wanted
from long_running.sockets.state import Phase, SocketState
from tests.unit.buzz.relay import settings
from threadline import wiring
from threadline.app.world import World
from threadline.backends.clock import VirtualClock
from threadline.backends.metrics import counted
from threadline.core.errors import StoreError
from threadline.core.settings import Settings

NOW = 1_790_000_000.0
APP = replace(settings(), transport="socket")
SETTINGS = Settings(version="1", namespace="0" * 32, apps=(APP,))


@dataclass(slots=True)
class Line:
    """A connection that shows whatever state it is told to."""

    may: May
    state: SocketState = SocketState(Phase.CONNECTED)
    started: int = 0
    stopped: int = 0
    ending: threading.Event | None = None

    def start(self) -> None:
        """Begin."""
        self.started += 1

    def stop(self) -> bool:
        """End, once nothing hangs any more."""
        if self.ending is not None:
            self.ending.wait(60)
        self.stopped += 1
        return True


@dataclass(frozen=True, slots=True)
class Lines(Making):
    """Makes lines instead of connections."""

    made: list[Line] = field(default_factory=list)
    trouble: list[StoreError] = field(default_factory=list)

    def wanted(self, settings: Settings) -> tuple[Wanted, ...]:
        """List the sockets, unless the secrets cannot be read."""
        if self.trouble:
            raise self.trouble[0]
        return Making.wanted(self, settings)

    def make(self, wanted: Wanted, may: May) -> Line:
        """Make a line."""
        assert wanted.name == "buzz/default"
        self.made.append(Line(may))
        return self.made[-1]


@dataclass(slots=True)
class Stage:
    """A host, its clock, and what it said and logged."""

    world: World
    clock: VirtualClock
    logged: list[dict[str, Any]]
    said: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    trouble: list[StoreError] = field(default_factory=list)

    def host(self, holder: str = "one") -> Host:
        """Make a host of this name."""
        world = replace(self.world, holder=holder)
        making = Lines(world, wiring.ingest_of(world), lambda: 0.5, self.lines, self.trouble)
        host = Host(world, making, self.said.append, steady=self.clock.now)
        host.follow(SETTINGS)
        return host

    def later(self, host: Host, seconds: float) -> None:
        """Let time pass, the host looking every five seconds."""
        for _ in range(int(seconds / 5)):
            self.clock.sleep(5)
            with suppress(StoreError):
                host.want()
            host.keep()
            for place in host._places.values():
                place.ended(10)  # it ends beside us, in real time

    def alarms(self) -> list[str]:
        """List the alarms, each of which is counted for the metric that rings."""
        alarms = [line for line in self.logged if line["event"] == "alarm"]
        assert all(counted("alarm", line, "dev", NOW)["SocketsDeaf"] == 1 for line in alarms)
        return [str(line["reason"]) for line in alarms]


def opened(tmp_path: Path) -> Iterator[Stage]:
    """Open a world in which Buzz has its key."""
    clock, logged = VirtualClock(NOW), list[dict[str, Any]]()
    local = wiring.local_ports(tmp_path, clock)
    local.ports.secrets.put("buzz/default", {"private_key": f"{3:064x}"})
    world = wiring.world_of(
        local.ports, lambda event, **more: logged.append({"event": event, **more})
    )
    yield Stage(world, clock, logged)
    local.close()
