"""What the compiler is told beside the file, and what it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from threadline.core.ids import AppName, PlatformName
from threadline.core.settings import Settings

DEFAULT_APP = AppName("default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The installation round a configuration file.

    `namespace` is the installation's random UUID. `present` has the names of the secrets of every
    entry there is, such as `telegram/default`, never their values. `agent_url` makes an agent
    `default`; `demo_url` makes an agent `demo` where there is no other. `public_url` wins over the
    file's. `local`: everything runs on this machine, so the playground may be on. A command is
    `program`, its words, and `suffix` where it is for a stack.
    """

    namespace: str
    present: Mapping[str, frozenset[str]] = field(default_factory=dict)
    agent_url: str = ""
    demo_url: str = ""
    public_url: str = ""
    local: bool = False
    program: str = "threadline"
    suffix: str = ""

    def secrets(self, platform: str, app: str) -> frozenset[str]:
        """Give the names of an app's secrets."""
        return self.present.get(f"{platform}/{app}", frozenset())

    def command(self, words: str) -> str:
        """Give a command of ours as it can be pasted."""
        return f"{self.program} {words}{self.suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformStatus:
    """One row of the table a person sees: `webhook` is the path to register, "" for none."""

    platform: PlatformName
    app: AppName
    on: bool
    why: str
    webhook: str = ""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A configuration that can be used."""

    settings: Settings
    platforms: tuple[PlatformStatus, ...]
