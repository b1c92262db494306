"""What a person calls the things of an installation on the command line."""

import re
from dataclasses import dataclass

from threadline.app.configure.faults import nearest
from threadline.app.configure.kinds import AGENT_SECRETS, KINDS, SecretName
from threadline.app.configure.surroundings import DEFAULT_APP
from threadline.app.configure.values import NAME
from threadline.core.errors import ThreadlineError

AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the secrets: a platform's app, or an agent."""

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.group}/{self.name}"

    @property
    def secrets(self) -> tuple[SecretName, ...]:
        """The secrets it may have."""
        return AGENT_SECRETS if self.group == AGENT else KINDS[self.group].secrets


def entry(written: str) -> Entry:
    """Read `PLATFORM[/APP]` or `agent/NAME`. Raises ThreadlineError."""
    group, _, name = written.partition("/")
    groups = [*(one for one, kind in KINDS.items() if kind.secrets), AGENT]
    if group not in groups:
        raise ThreadlineError(f"{group} has no secrets here; {nearest(group, groups)}")
    return Entry(group, _name(name or DEFAULT_APP))


def app(written: str) -> tuple[str, str]:
    """Read `PLATFORM[/APP]`. Raises ThreadlineError."""
    platform, _, name = written.partition("/")
    if platform not in KINDS:
        raise ThreadlineError(f"no platform is called {platform}; {nearest(platform, KINDS)}")
    return platform, _name(name or DEFAULT_APP)


def _name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        raise ThreadlineError(f"{name} is no name: letters, digits, `-` and `_`")
    return name
