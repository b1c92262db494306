"""The commonest frames by far, read in a hundredth of the time: a piece of text, nothing beside it.

What differs in any way (a tool call, a hidden mark, several blocks, half a surrogate pair) is no
such frame and is read with all rules. msgspec takes 40 ms to import: who follows runs loads it.
"""

from typing import Annotated, Final, Literal

import msgspec

type _Text = Annotated[str, msgspec.Meta(min_length=1)]
type _Empty = Annotated[tuple[msgspec.Raw, ...], msgspec.Meta(max_length=0)]


class _Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object without fields."""


class Token(msgspec.Struct, frozen=True):
    """A piece of an assistant's message."""

    type: Literal["AIMessageChunk"]
    content: _Text
    id: _Text
    additional_kwargs: _Nothing = _Nothing()
    tool_calls: _Empty = ()
    tool_call_chunks: _Empty = ()
    kwargs: None = None


class _TextDelta(msgspec.Struct, frozen=True):
    type: Literal["text-delta"]
    text: _Text


class _BlockDelta(msgspec.Struct, frozen=True):
    event: Literal["content-block-delta"]
    delta: _TextDelta


class _Params(msgspec.Struct, frozen=True):
    data: _BlockDelta


class _Event(msgspec.Struct, frozen=True):
    """More text of a message, where the run tells its text as events."""

    type: Literal["event"]
    params: _Params


_decoder: Final = msgspec.json.Decoder(tuple[Token, msgspec.Raw])
_event_decoder: Final = msgspec.json.Decoder(_Event)


def token(text: str) -> Token | None:
    """Read a frame `[message, metadata]` that is a token and nothing else; None for any other."""
    try:
        return _decoder.decode(text)[0]
    except (msgspec.DecodeError, RecursionError):
        return None


def block_text(text: str) -> str:
    """Read an event that adds text to a block and does nothing else; "" for any other."""
    try:
        return _event_decoder.decode(text).params.data.delta.text
    except (msgspec.DecodeError, RecursionError):
        return ""
