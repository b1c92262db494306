"""The line that lets the first person in: `/start CODE` for an app whose people need a code."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from threadline.app.admission import CODE_BYTES, CODE_LIFETIME, anybody_in, make_code
from threadline.app.world import World
from threadline.core.settings import Allow, AppSettings, Settings


@dataclass(slots=True)
class Invitations:
    """Makes a code for each app that nobody is let into, and a new one when that has ended."""

    world: World
    random: Callable[[int], bytes]
    _until: dict[tuple[str, str], float] = field(default_factory=dict)

    def lines(self, settings: Settings) -> Iterator[str]:
        """Give what to say about apps that are still closed to everybody, a code's line alone."""
        for app in settings.apps:
            if _is_closed(app, settings):
                if (app.platform, app.app) not in self._until:
                    self._until[app.platform, app.app] = float("inf")
                    where = f"`allow` of {app.platform} in threadline.yaml"
                    yield f"Nobody may talk to {app.platform}/{app.app}: name people in {where}."
            elif _wants_code(app, settings) and self._is_due(app):
                code, change = make_code(
                    app.platform, app.app, self.random(CODE_BYTES), self.world.clock.now()
                )
                self.world.store.write([change])
                self._until[app.platform, app.app] = self.world.clock.now() + CODE_LIFETIME
                name = f"@{app.identity_name}" if app.identity_name else "the bot"
                yield (
                    f"Nobody may talk to {app.platform}/{app.app} yet. Send {name} in private,"
                    f" within {CODE_LIFETIME / 60:.0f} minutes:"
                )
                yield f"/start {code}"

    def _is_due(self, app: AppSettings) -> bool:
        if self.world.clock.now() < self._until.get((app.platform, app.app), 0.0):
            return False
        return not anybody_in(self.world.store, app.platform, app.app)


def _wants_code(app: AppSettings, settings: Settings) -> bool:
    allows = _allows(app, settings)
    return any(allow.admitted for allow in allows) and not any(map(_lets_in, allows))


def _is_closed(app: AppSettings, settings: Settings) -> bool:
    """Tell whether it answers nobody, and no code will change that."""
    allows = _allows(app, settings)
    return bool(allows) and not any(allow.admitted or _lets_in(allow) for allow in allows)


def _allows(app: AppSettings, settings: Settings) -> list[Allow]:
    return [
        one.allow for one in settings.bindings if (one.platform, one.app) == (app.platform, app.app)
    ]


def _lets_in(allow: Allow) -> bool:
    return bool(allow.everyone or allow.members or allow.senders or allow.chats or allow.bots)
