"""Whether an event is what its author signed: id by NIP-01, signature by BIP-340.

https://github.com/bitcoin/bips/blob/master/bip-0340.mediawiki
"""

from collections.abc import Mapping
from typing import Final

from threadline.core.json import Json
from threadline.platforms.buzz.event import LATEST, Event, digest

PARTS: Final = ("id", "pubkey", "created_at", "kind", "tags", "content", "sig")


def verified(payload: Json) -> Event | None:
    """Give the event where id and signature are right, else None. Never raises.

    The id is computed from the payload as it came, so that a borrowed pair of id and signature
    fits nothing else.
    """
    if not isinstance(payload, Mapping):
        return None
    match payload:
        case {
            "id": str(claimed),
            "pubkey": str(pubkey),
            "sig": str(signature),
            "content": str(content),
            "created_at": int(created_at),
            "kind": int(kind),
            "tags": list(tags),
        }:
            pass
        case _:
            return None
    if isinstance(created_at, bool) or isinstance(kind, bool) or not 0 <= created_at < LATEST:
        return None
    try:
        if digest(pubkey, created_at, kind, tags, content) != claimed:
            return None
        if not _signed(pubkey, signature, claimed):
            return None
    except (ValueError, RecursionError):
        return None
    read = tuple(tag for one in tags if (tag := _tag(one)))
    signed = {name: payload[name] for name in PARTS}  # the rest nobody answers for
    return Event(claimed, pubkey, created_at, kind, read, content, signed)


def _signed(pubkey: str, signature: str, event_id: str) -> bool:
    from coincurve import PublicKeyXOnly

    key, sealed = bytes.fromhex(pubkey), bytes.fromhex(signature)
    if len(key) != 32 or len(sealed) != 64:
        return False
    return PublicKeyXOnly(key).verify(sealed, bytes.fromhex(event_id))


def _tag(one: Json) -> tuple[str, ...]:
    """Read a tag; one that is no list of texts says nothing to us."""
    if not isinstance(one, list):
        return ()
    texts = tuple(value for value in one if isinstance(value, str))
    return texts if len(texts) == len(one) else ()
