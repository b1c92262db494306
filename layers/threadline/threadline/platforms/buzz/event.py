"""A Nostr event: its id, its signature, and the kinds that are spoken here.

https://github.com/nostr-protocol/nips/blob/master/01.md
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from threadline.core.bech32 import hex_key
from threadline.core.errors import CredentialsRejected, PostRejected
from threadline.core.guard import hides_context
from threadline.core.json import Json, JsonObject
from threadline.core.posting import Credentials

CHAT: Final = 9
EDIT: Final = 40003
AUTH: Final = 22242
BLOSSOM: Final = 24242
CHANNEL: Final = 39000
ADDED: Final = 44100
REMOVED: Final = 44101

LATEST: Final = 2**40
"""Seconds since 1970 before which every event was made: later ones are nonsense."""

PRIVATE_KEY: Final = "private_key"

type Tags = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Event:
    """A signed event; `tags` are those that are lists of texts, `payload` is all of it."""

    id: str
    pubkey: str
    created_at: int
    kind: int
    tags: Tags
    content: str = field(repr=False)
    payload: JsonObject = field(repr=False, compare=False)

    def values(self, name: str) -> tuple[str, ...]:
        """Give the first value of every tag of this name."""
        return tuple(tag[1] for tag in self.tags if tag[0] == name and len(tag) > 1)

    def value(self, name: str) -> str:
        """Give the first value of the first tag of this name, or ""."""
        return next(iter(self.values(name)), "")


@dataclass(frozen=True, slots=True)
class Signer:
    """A key pair; the secret half never leaves it."""

    pubkey: str
    _secret: bytes = field(repr=False)

    def sign(self, created_at: int, kind: int, tags: Tags, content: str = "") -> Event:
        """Make and sign an event; the same words give the same event, id and signature included.

        Raises PostRejected where content or tags show hidden context: nothing of it is ever signed.
        """
        from coincurve import PrivateKey

        if any(map(hides_context, (content, *chain(*tags)))):
            raise PostRejected("hidden context is not signed")
        content = content.encode("utf-8", "replace").decode()
        listed: list[Json] = [list(tag) for tag in tags]
        event_id = digest(self.pubkey, created_at, kind, listed, content)
        # Without fresh randomness BIP-340 stays safe, and a repeat is the same bytes.
        signature = PrivateKey(self._secret).sign_schnorr(bytes.fromhex(event_id), bytes(32))
        payload: JsonObject = {
            "id": event_id,
            "pubkey": self.pubkey,
            "created_at": created_at,
            "kind": kind,
            "tags": listed,
            "content": content,
            "sig": signature.hex(),
        }
        return Event(event_id, self.pubkey, created_at, kind, tags, content, payload)


def signer(credentials: Credentials) -> Signer:
    """Read the private key, hex or `nsec1…`. Raises CredentialsRejected, without showing it."""
    from coincurve import PrivateKey

    secret = bytes.fromhex(hex_key(credentials.secret(PRIVATE_KEY), "nsec"))
    try:
        return Signer(PrivateKey(secret).public_key.format()[1:].hex(), secret)
    except ValueError:
        wrong = "private_key is neither 64 hex characters nor nsec1…"
        raise CredentialsRejected(wrong) from None


def digest(pubkey: str, created_at: int, kind: int, tags: Sequence[Json], content: str) -> str:
    """Compute an event's id: SHA-256 of its canonical JSON, in lower-case hex.

    Raises ValueError where the content or a tag holds half a character.
    """
    canonical = json.dumps(
        [0, pubkey, created_at, kind, tags, content], ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
