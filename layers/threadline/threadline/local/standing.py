"""What `serve` works with, opened in one place: ports, world, settings that follow their file."""

import contextlib
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from threadline import wiring
from threadline.app import settings_items
from threadline.app.configure.compile import FILE_NAME
from threadline.app.configure.surroundings import Compiled, Surroundings
from threadline.app.settings_items import SettingsCache
from threadline.app.world import World
from threadline.backends.calls import Network
from threadline.backends.clock import SystemClock
from threadline.core.ports import Clock, ItemStore
from threadline.core.settings import Settings
from threadline.local.configuration import Configuration
from threadline.local.dressing import Dressing
from threadline.local.folder import StateFolder
from threadline.local.links import Links, links_key
from threadline.local.log import event_line
from threadline.local.recovery import take_back


class LiveSettings:
    """The stored settings, read anew at once when `serve` itself has written others."""

    def __init__(self, store: ItemStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._cache = SettingsCache(store, clock)

    def __call__(self) -> Settings:
        """Give the settings in force."""
        return self._cache()

    def publish(self, settings: Settings) -> None:
        """Store settings and let everybody read them from now on."""
        settings_items.store_settings(self._store, settings, self._clock.now())
        self._cache = SettingsCache(self._store, self._clock)


@dataclass(frozen=True, slots=True)
class Told:
    """What the person said on the command line and in the environment."""

    agent_url: str = ""
    public_url: str = ""
    program: str = "threadline"


@dataclass(slots=True)
class Standing:
    """An opened state folder; `demo_url` is set once the demo agent answers."""

    world: World
    live: LiveSettings
    told: Told
    namespace: str
    links: Links
    demo_url: str = ""
    dressing: Dressing = field(default_factory=Dressing)
    _compiled: Compiled | None = None

    def surroundings(self) -> Surroundings:
        """Tell the compiler what stands round the file right now."""
        secrets = self.world.secrets
        return Surroundings(
            namespace=self.namespace,
            present={
                entry: frozenset(name for name, value in secrets.get(entry).items() if value)
                for entry in secrets.entries()
            },
            agent_url=self.told.agent_url,
            demo_url=self.demo_url,
            public_url=self.told.public_url,
            local=True,
            program=self.told.program,
        )

    def configuration(self, root: Path) -> Configuration:
        """Follow the configuration file of a working directory."""
        return Configuration(root / FILE_NAME, self.surroundings, self._publish)

    def learn(self) -> None:
        """Find out whose bots there are, and let everybody know."""
        if self.dressing.ask(self.world) and self._compiled:
            self._publish(self._compiled)

    def _publish(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self.live.publish(self.dressing.dress(compiled.settings))


@contextlib.asynccontextmanager
async def opened(
    folder: StateFolder, told: Told, new_namespace: Callable[[], uuid.UUID] = uuid.uuid4
) -> AsyncIterator[Standing]:
    """Open a folder whose lock is held: its store and a world on it, closed at the end."""
    links = Links(SystemClock())
    local = wiring.local_ports(folder.path, link=links.make)
    try:
        ports = local.ports
        links.key = links_key(ports.secrets)
        live = LiveSettings(ports.store, ports.clock)
        world = wiring.world_of(ports, event_line, settings=live)
        take_back(world)
        namespace = settings_items.installation(ports.store, str(new_namespace()))
        try:
            yield Standing(world, live, told, namespace, links)
        finally:
            if isinstance(world.calls, Network):
                await world.calls.close()
    finally:
        local.close()
