"""Letting people in: one-time codes, and who has used one.

A code is 16 random bytes; only its digest rests, until it expires. The person who sends
`/start CODE` to the bot in private is let in to that app.
"""

import base64
import hashlib
from dataclasses import replace
from typing import Final

from threadline.app import codec, items
from threadline.core import keys
from threadline.core.ports import Change, Expect, Item, ItemStore, Key, Put
from threadline.core.records import AdmitCode, Admitted

CODE_BYTES: Final = 16
CODE_LIFETIME: Final = 3600.0
GRACE: Final = 60.0
"""Seconds a code rests after its end, so that its last second is exact on every store."""
TABLE: Final = "connections"


def make_code(
    platform: str, app: str, random: bytes, now: float, lifetime: float = CODE_LIFETIME
) -> tuple[str, Change]:
    """Make a code of 16 random bytes; give it, and what to write so that it lets one person in."""
    if len(random) != CODE_BYTES:
        raise ValueError(f"a code is made of {CODE_BYTES} random bytes")
    code = base64.urlsafe_b64encode(random).rstrip(b"=").decode()
    record = AdmitCode(
        digest=_digest(code), platform=platform, app=app, expires_at=now + lifetime
    )  # fmt: skip
    return code, Put(_code_item(record), Expect.ABSENT)


def redeem(store: ItemStore, code: str, by: Admitted) -> tuple[Change, ...]:
    """Give the changes that let the sender in, or none where the code lets nobody in (any more).

    Two senders of one code: the second write is a Conflict. Its sender may repeat it.
    """
    key = _code_key(by.platform, by.app, _digest(code))
    item = store.get([key])[0]
    record = items.read(AdmitCode, item)
    if item is None or record is None or by.at > record.expires_at:
        return ()
    if record.used_by not in {"", by.sender}:
        return ()
    used = replace(record, used_by=by.sender)
    person = Item(admitted_key(by.platform, by.app, by.sender), codec.attributes(by))
    return (Put(_code_item(used), item.version), Put(person, Expect.ANY))


def admitted_key(platform: str, app: str, sender: str) -> Key:
    """Key of the item that is there when this person was let in."""
    return Key(TABLE, _admitted_partition(platform, app), f"admitted#{keys.escape(sender)}")


def anybody_in(store: ItemStore, platform: str, app: str) -> bool:
    """Tell whether anybody was ever let in to this app."""
    return bool(store.query(TABLE, _admitted_partition(platform, app), "admitted#", limit=1))


def _admitted_partition(platform: str, app: str) -> str:
    return keys.join((platform, app, "people"))


def _code_key(platform: str, app: str, digest: str) -> Key:
    return Key(TABLE, keys.join((platform, app, "codes")), f"code#{digest}")


def _code_item(record: AdmitCode) -> Item:
    return Item(
        _code_key(record.platform, record.app, record.digest),
        codec.attributes(record),
        expires_at=record.expires_at + GRACE,
    )


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode(errors="replace")).hexdigest()
