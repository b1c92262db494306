"""Compiles text as a person would write it."""

from textwrap import dedent
from typing import Final

import pytest

from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Compiled, PlatformStatus, Surroundings
from threadline.core.errors import ConfigError
from threadline.core.settings import Binding

NAMESPACE: Final = "11111111-2222-4333-8444-555555555555"
TELEGRAM: Final = {"telegram/default": frozenset({"bot_token", "webhook_secret"})}
GITHUB: Final = {"github/default": frozenset({"webhook_secret", "token"})}
LOCAL: Final = Surroundings(
    namespace=NAMESPACE, present=TELEGRAM | GITHUB, demo_url="http://127.0.0.1:21024", local=True
)
REMOTE: Final = Surroundings(namespace=NAMESPACE, present=TELEGRAM | GITHUB)


def compiled(text: str = "", around: Surroundings = LOCAL) -> Compiled:
    """Compile indented text."""
    return compile_settings(dedent(text).lstrip("\n").encode(), around)


def faults(text: str | bytes, around: Surroundings = LOCAL) -> list[str]:
    """Compile text that cannot be used; give each fault as it is printed."""
    source = dedent(text).lstrip("\n").encode() if isinstance(text, str) else text
    with pytest.raises(ConfigError) as caught:
        compile_settings(source, around)
    return [str(fault) for fault in caught.value.faults]


def binding(text: str, name: str, around: Surroundings = LOCAL) -> Binding:
    """Compile text and give one of its bindings."""
    found = compiled(text, around).settings.binding(name)
    assert found is not None
    return found


def row(result: Compiled, platform: str, app: str = "default") -> PlatformStatus:
    """Give one row of the table of platforms."""
    (found,) = [one for one in result.platforms if (one.platform, one.app) == (platform, app)]
    return found
