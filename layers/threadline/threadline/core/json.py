"""The type of decoded JSON, for the few places that carry it whole."""

from collections.abc import Mapping, Sequence

type Json = None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]
type JsonObject = Mapping[str, Json]
