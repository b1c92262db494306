"""A recorded delivery, as its platform would send it now to an app of ours."""

from collections.abc import Callable

from threadline import wiring
from threadline.app import settings_items
from threadline.core.errors import ThreadlineError
from threadline.core.message import Webhook
from threadline.core.platform import Stamps
from threadline.core.posting import Credentials
from threadline.local.replay import Recording


class AppOff(ThreadlineError):
    """The app that a recording is for is not configured here."""


def stamped(
    recording: Recording, known: Callable[[], Credentials], now: float, *, same: bool
) -> Webhook:
    """Sign with the app's secret, under fresh ids unless `same`; a forgery stays one."""
    codec = wiring.platform(recording.platform)
    if recording.expect.get("outcome") == "refused" or not isinstance(codec, Stamps):
        return recording.request
    return codec.stamp(recording.request, known(), now, 0 if same else int(now * 1000))


def credentials(ports: wiring.Ports, platform: str, app: str) -> Credentials:
    """Read an app's credentials. Raises AppOff, StoreError."""
    secrets = ports.secrets.get(f"{platform}/{app}")
    found = settings_items.load_settings(ports.store).app(platform, app)
    if found is None:
        raise AppOff(f"{platform}/{app} is off here")
    return Credentials(
        found.platform, found.app, found.identity, found.identity_name, found.base_url, secrets,
        found.options,
    )  # fmt: skip
