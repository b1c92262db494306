"""What a platform must be told about an app: scopes, events, addresses; and what became of it.

Each platform declares its needs once. `threadline setup` prints them, `threadline doctor` compares
them with what the platform says, and the guides in docs/ name the same.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from threadline.core.http import Flow
from threadline.core.platform import Platform
from threadline.core.posting import Credentials


@dataclass(frozen=True, slots=True)
class Need:
    """One scope, permission or event, called as its vendor calls it, and what it is for.

    `instead` are broader ones that do as well. `usual`: not only for what `use` names.
    """

    name: str
    use: str
    instead: tuple[str, ...] = ()
    usual: bool = True

    def met(self, granted: Collection[str]) -> bool:
        """Tell whether what was granted is enough."""
        return self.name in granted or any(one in granted for one in self.instead)


@dataclass(frozen=True, slots=True)
class Needs:
    """Everything an app of a platform must be allowed, and what it must be sent."""

    scopes: tuple[Need, ...] = ()
    events: tuple[Need, ...] = ()


def lacking(needs: Collection[Need], granted: Collection[str]) -> tuple[str, ...]:
    """Name what is usually needed and was not granted."""
    return tuple(need.name for need in needs if need.usual and not need.met(granted))


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """An app as it stands here, to be made known to its platform.

    `url` is where its webhooks are to go, "" where nobody knows. `places` are the chats or
    repositories that bindings name. `program` and `suffix` stand round the words of a command.
    """

    credentials: Credentials
    transport: str
    url: str = ""
    places: tuple[str, ...] = ()
    program: str = "threadline"
    suffix: str = ""

    @property
    def name(self) -> str:
        """The app as a person names it to the command."""
        one = self.credentials
        return one.platform if one.app == "default" else f"{one.platform}/{one.app}"

    def command(self, words: str) -> str:
        """Give a command of ours as it can be pasted."""
        return f"{self.program} {words}{self.suffix}"

    @property
    def store_secrets(self) -> str:
        """The command that asks for the app's secrets."""
        return self.command(f"secrets set {self.name}")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do at the vendor's, and what to paste there as it is."""

    do: str
    paste: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, what was seen, and what to do where that is not right.

    `asked` is False where the vendor does not tell, so that nothing was found either way.
    """

    what: str
    seen: str
    remedy: str = ""
    asked: bool = True


@runtime_checkable
class SetsUp(Platform, Protocol):
    """Knows how an app is registered with its platform, and asks what became of that."""

    def needs(self) -> Needs:
        """Declare scopes and events: nothing else says what they are."""
        ...

    def guide(self, app: Registration) -> tuple[Step, ...]:
        """Say what to do at the vendor's, in order; what is to be pasted is ready for it."""
        ...

    def examine(self, app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
        """Compare the platform's own view of the app with what is needed. Raises PostError."""
        ...


@runtime_checkable
class RegistersWebhook(SetsUp, Protocol):
    """Can be told over its API where to call."""

    def register(self, app: Registration, now: float) -> Flow[str]:
        """Tell the platform the address and what belongs to it; say what was told.

        Raises PostError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Form:
    """A form that a person's browser hands in at the vendor's, all of it hidden."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Registered:
    """What the vendor gave for a new app: its secrets, and the page where it is installed.

    It gives them once: `lost` says what to do by hand where they could not be kept.
    """

    name: str
    install: str
    secrets: Mapping[str, str] = field(repr=False)
    lost: str = ""


@runtime_checkable
class RegistersByForm(SetsUp, Protocol):
    """Can be registered by a form, after which the vendor hands over the secrets itself."""

    def form(self, app: Registration, back: str, state: str, organisation: str) -> Form:
        """Give the form; its answer leads the browser to `back` with `state` and a code."""
        ...

    def registered(self, app: Registration, code: str) -> Flow[Registered]:
        """Exchange the code for the new app's secrets. Raises PostError, saying what to do then."""
        ...
