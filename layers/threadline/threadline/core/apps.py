"""One app of a platform: all that ingest reads of the settings, apart for its cold start."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from threadline.core.ids import AppName, PlatformName


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSettings:
    """One app of a platform: the bot's own identity and switches; secrets are kept elsewhere."""

    platform: PlatformName
    app: AppName
    enabled: bool = True
    identity: str = ""
    identity_name: str = ""
    base_url: str = ""
    transport: str = "webhook"
    paused: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
