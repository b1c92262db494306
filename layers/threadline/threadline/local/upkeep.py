"""What `serve` looks after every few seconds: the configuration and all that follows from it."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from long_running.host import Host
from threadline.app.configure.surroundings import Compiled
from threadline.backends.files import FileBlobs
from threadline.core.errors import ConfigError, StoreError
from threadline.local.admitting import Invitations
from threadline.local.configuration import LOOK_EVERY, Configuration
from threadline.local.report import Place, hints, table
from threadline.local.standing import Standing

TIDY_EVERY: Final = 3600.0
BLOBS_KEPT: Final = 14 * 86_400.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Upkeep:
    """Applies changes of the file, of the secrets and of the demo agent's address."""

    standing: Standing
    configuration: Configuration
    sockets: Host
    invitations: Invitations
    url: str
    say: Callable[[str], None]
    _tidied: float = 0.0

    async def keep_up(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.to_thread(self.look)
            await self.standing.world.clock.pause(LOOK_EVERY)

    def look(self) -> None:
        """Apply what has changed; what is wrong is said, and the last good state stays."""
        try:
            if compiled := self.configuration.refresh():
                self._report(compiled)
            self.standing.learn()
            settings = self.standing.world.settings()
            self.sockets.follow(settings)
            for line in self.invitations.lines(settings):
                self.say(line)
            self._tidy()
        except ConfigError as faults:
            self.say(f"The configuration has faults; what was in force stays.\n{faults}")
        except StoreError as trouble:
            log.warning("upkeep: %s", trouble)

    def _report(self, compiled: Compiled) -> None:
        place = Place(self.url, compiled.settings.public_url)
        self.say(f"Threadline at {place.url}")
        self.say(table(compiled.platforms, place))
        for line in hints(compiled.platforms, place):
            self.say(line)

    def _tidy(self) -> None:
        world = self.standing.world
        now = world.clock.now()
        if now - self._tidied > TIDY_EVERY and isinstance(world.blobs, FileBlobs):
            world.blobs.expire(now - BLOBS_KEPT)
            self._tidied = now
