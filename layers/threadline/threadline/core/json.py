"""The type of decoded JSON, for the few places that carry it whole."""

from collections.abc import Mapping, Sequence

type Json = bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None
type JsonObject = Mapping[str, Json]
