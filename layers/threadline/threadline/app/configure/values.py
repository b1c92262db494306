"""The values of `threadline.yaml`: names, ids, addresses and numbers, as they may be written."""

import re
from typing import Annotated, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints
from pydantic_core import PydanticCustomError

from threadline.app.configure.kinds import KINDS

NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$"
STAGE: Final = r"^[a-z][a-z0-9-]{0,31}$"
LOGIN: Final = r"^[A-Za-z0-9_-]+(\[bot\])?$"
_VISIBLE: Final = re.compile(r"[!-~]+")
MAX_BACKLOG: Final = 40
MAX_RATE: Final = 1000
MAX_IMAGE: Final = 20_000_000
WEEK: Final = 604_800


def _section(value: object) -> object:
    """Read a heading with nothing under it as an empty section."""
    return {} if value is None else value


def _identifier(value: object) -> object:
    """Take ids written as numbers: most are."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _login(value: object) -> object:
    return value.removeprefix("@") if isinstance(value, str) else value


def is_address(value: str, schemes: tuple[str, ...] = ("http", "https")) -> bool:
    """Tell whether this is a plain address of these schemes, without user, query or fragment."""
    if not _VISIBLE.fullmatch(value):
        return False
    try:
        parts = urlsplit(value)
        fits = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return fits and not (parts.query or parts.fragment or "@" in parts.netloc)


def _address(value: str) -> str:
    """Check an address and drop its trailing slash."""
    if not is_address(value):
        raise PydanticCustomError("address", "wants an address such as `https://agent.example.com`")
    return value.rstrip("/")


def _any_address(value: str) -> str:
    """Check an address of HTTP or of a socket and drop its trailing slash."""
    return value.rstrip("/") if is_address(value, ("ws", "wss")) else _address(value)


def _limit(config: dict[str, JsonValue]) -> dict[str, JsonValue]:
    limit = config.get("recursion_limit", 1)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise PydanticCustomError("limit", "recursion_limit wants a whole number from 1")
    return config


T = TypeVar("T")

Section = Annotated[T, BeforeValidator(_section)]
Id = Annotated[
    str,
    StringConstraints(min_length=1),
    BeforeValidator(_identifier, json_schema_input_type=str | int),
]
Login = Annotated[str, StringConstraints(pattern=LOGIN), BeforeValidator(_login)]
Name = Annotated[str, StringConstraints(pattern=NAME)]
Address = Annotated[str, AfterValidator(_address)]
AnyAddress = Annotated[str, AfterValidator(_any_address)]
PlatformKey = Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})]
Seconds = Annotated[float, Field(gt=0, le=WEEK)]
Backlog = Annotated[int, Field(ge=1, le=MAX_BACKLOG)]
Rate = Annotated[int, Field(ge=0, le=MAX_RATE)]
ImageLimit = Annotated[int, Field(ge=0, le=MAX_IMAGE)]
Config = Annotated[Section[dict[str, JsonValue]], AfterValidator(_limit)]
