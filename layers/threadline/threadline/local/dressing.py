"""What no file says of an app but this process knows: the playground's address, who a bot is."""

import logging
from dataclasses import dataclass, field, replace
from typing import Final

from threadline.app import posting
from threadline.app.configure.compile import version_of
from threadline.app.world import World
from threadline.core.errors import CredentialsRejected, PostError
from threadline.core.platform import Identifies
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings, Settings

PLAYGROUND: Final = "playground"
ASK_AGAIN_AFTER: Final = 60.0

log = logging.getLogger(__name__)

type Asked = tuple[str, str, str]
"""Platform, app and the address of its API."""


@dataclass(slots=True)
class Dressing:
    """Completes compiled settings; `playground` is the address of the playground's API."""

    playground: str = ""
    _known: dict[Asked, Credentials] = field(default_factory=dict)
    _again_at: dict[Asked, float] = field(default_factory=dict)

    def dress(self, settings: Settings) -> Settings:
        """Give the settings with everything that is known beside them."""
        dressed = replace(settings, apps=tuple(self._app(one) for one in settings.apps))
        return replace(dressed, version=version_of(dressed))

    def ask(self, world: World) -> bool:
        """Ask platforms whose bot each is where nobody said; True where something new is known."""
        news = False
        for app in world.settings().apps:
            codec = world.platform(app.platform)
            if app.identity_name or not isinstance(codec, Identifies) or not self._due(app, world):
                continue
            try:
                using = posting.credentials(world, app.platform, app.app)
                flow = posting.under_policy(codec, using, codec.identify(using))
                found = world.calls.run(flow)
            except PostError as error:
                wrong = isinstance(error, CredentialsRejected)
                log.log(logging.WARNING if wrong else logging.INFO, "%s: %s", app.platform, error)
                continue
            self._known[_asked(app)] = replace(found, secrets={})
            news = True
        return news

    def _app(self, app: AppSettings) -> AppSettings:
        if app.platform == PLAYGROUND:
            return replace(app, base_url=self.playground)
        known = self._known.get(_asked(app))
        if known is None or app.identity_name:
            return app
        return replace(
            app, identity=app.identity or known.identity, identity_name=known.identity_name
        )

    def _due(self, app: AppSettings, world: World) -> bool:
        now = world.clock.now()
        if now < self._again_at.get(_asked(app), 0.0):
            return False
        self._again_at[_asked(app)] = now + ASK_AGAIN_AFTER
        return True


def _asked(app: AppSettings) -> Asked:
    return (app.platform, app.app, app.base_url)
