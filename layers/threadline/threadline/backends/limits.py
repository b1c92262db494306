"""What DynamoDB and SQS refuse, refused by every backend alike: with ValueError, before any I/O.

Items: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
Sizes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
Blobs: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
Messages: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from threadline.core.json import Json
from threadline.core.ports import MAX_CHANGES, Change, Expect, Item, Key, Outgoing, Put

MAX_ITEM: Final = 400 * 1024
MAX_WRITE: Final = 4 * 1024 * 1024
OWN_ATTRIBUTES: Final = 1024
"""Bytes of an item kept free for what a backend stores beside the attributes."""

MAX_PARTITION: Final = 2048
MAX_SORT: Final = 1024
MAX_DEPTH: Final = 31
MAX_DIGITS: Final = 38
LARGEST_NUMBER: Final = 9.9999e125
SMALLEST_NUMBER: Final = 1e-130

MAX_GET: Final = 100
MAX_BODY: Final = 1024 * 1024
MAX_RECEIVE: Final = 10
MAX_DELAY: Final = 900
MAX_VISIBILITY: Final = 12 * 3600
MAX_BLOB_NAME: Final = 1024

_REFUSED: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\uD800-\uDFFF\uFFFE\uFFFF]")
"""All but tab, line ends and XML's characters; naming what is allowed takes 6 ms to compile."""
_QUEUE_ID: Final = re.compile(r"[!-~]{1,128}")


def check_changes(changes: Sequence[Change]) -> None:
    """Raise ValueError for a write that DynamoDB would refuse whatever is stored."""
    if len(changes) > MAX_CHANGES:
        raise ValueError(f"{len(changes)} changes in one write, {MAX_CHANGES} at most")
    seen: set[Key] = set()
    total = 0
    for change in changes:
        key = change.item.key if isinstance(change, Put) else change.key
        if key in seen:
            raise ValueError(f"two changes of the item {key.sort!r} in one write")
        seen.add(key)
        check_key(key)
        if not isinstance(change.expect, Expect) and change.expect < 1:
            raise ValueError(f"expected version {change.expect}: versions count from 1")
        total += item_size(change.item) if isinstance(change, Put) else 0
    if total > MAX_WRITE:
        raise ValueError(f"a write of {total} bytes, {MAX_WRITE} at most")


def check_keys(keys: Sequence[Key]) -> None:
    """Raise ValueError for a read of too many items or of impossible ones."""
    if len(keys) > MAX_GET:
        raise ValueError(f"{len(keys)} items in one read, {MAX_GET} at most")
    for key in keys:
        check_key(key)


def check_key(key: Key) -> None:
    """Raise ValueError for a key with an empty or too long part."""
    for name, part, most in (
        ("table", key.table, 255),
        ("partition", key.partition, MAX_PARTITION),
        ("sort", key.sort, MAX_SORT),
    ):
        if not 1 <= _bytes_of(part, name) <= most:
            raise ValueError(f"{name} of a key must be 1 to {most} bytes of UTF-8")


def item_size(item: Item) -> int:
    """Give an item's size in bytes as DynamoDB counts. Raises ValueError for what it refuses."""
    if item.due is not None and not (item.due[0] and math.isfinite(item.due[1])):
        raise ValueError("due wants a kind and a finite time")
    if item.expires_at is not None and not math.isfinite(item.expires_at):
        raise ValueError("expires_at must be finite")
    keys = len(item.key.partition.encode()) + len(item.key.sort.encode())
    size = OWN_ATTRIBUTES + keys + _map_size(item.attributes, "attributes", 0)
    if size > MAX_ITEM:
        raise ValueError(f"an item of {size} bytes, {MAX_ITEM} at most")
    return size


def check_messages(messages: Iterable[Outgoing], *, fifo: bool) -> None:
    """Raise ValueError for a message that SQS would refuse."""
    for message in messages:
        if not 1 <= _bytes_of(message.body, "body") <= MAX_BODY:
            raise ValueError(f"a message must be 1 to {MAX_BODY} bytes of UTF-8")
        if found := _REFUSED.search(message.body):
            raise ValueError(f"a message must not hold U+{ord(found[0]):04X}: escape it")
        if fifo:
            _check_fifo(message)
        elif message.group or message.dedup:
            raise ValueError("a standard queue takes neither group nor dedup id")
        elif not 0 <= message.delay <= MAX_DELAY:
            raise ValueError(f"a delay is 0 to {MAX_DELAY} s")


def check_receive(limit: int, visibility: float) -> None:
    """Raise ValueError for a receive that SQS would refuse."""
    if not 1 <= limit <= MAX_RECEIVE:
        raise ValueError(f"a receive takes 1 to {MAX_RECEIVE} messages")
    check_visibility(visibility)


def check_visibility(seconds: float) -> None:
    """Raise ValueError for a visibility that SQS would refuse."""
    if not 0 <= seconds <= MAX_VISIBILITY:
        raise ValueError(f"a visibility is 0 to {MAX_VISIBILITY} s")


def check_blob_name(name: str) -> None:
    """Raise ValueError for a name that S3 would refuse or that is no plain path downwards."""
    if not 1 <= _bytes_of(name, "name") <= MAX_BLOB_NAME:
        raise ValueError(f"the name of a blob must be 1 to {MAX_BLOB_NAME} bytes of UTF-8")
    if not plain_path(name):
        raise ValueError("the name of a blob must not have empty, `.` or `..` parts")


def plain_path(name: str) -> bool:
    """Tell whether a name, its parts separated by `/`, only ever leads downwards."""
    return "\0" not in name and not {"", ".", ".."}.intersection(name.split("/"))


def _check_fifo(message: Outgoing) -> None:
    if message.delay:
        raise ValueError("a FIFO queue takes no delay per message: use a timer")
    for name, value in (("group", message.group), ("dedup", message.dedup)):
        if not _QUEUE_ID.fullmatch(value):
            raise ValueError(f"the {name} id must be 1 to 128 printable ASCII characters")


def _size(value: Json, where: str, depth: int) -> int:
    if isinstance(value, str):  # nearly all there is, and cheap to tell
        return _bytes_of(value, where)
    match value:
        case None | bool():
            return 1
        case int() | float():
            return _number_size(value, where)
        case Mapping():
            return 3 + _map_size(value, where, depth + 1)
        case list() | tuple():
            _check_depth(depth + 1, where)
            return 3 + sum(1 + _size(inner, where, depth + 1) for inner in value)
    raise ValueError(f"{where}: {type(value).__name__} is not JSON")


def _map_size(value: Mapping[str, Json], where: str, depth: int) -> int:
    _check_depth(depth, where)
    size = 0
    for name, inner in value.items():
        if not name:
            raise ValueError(f"{where}: an empty name")
        size += 1 + _bytes_of(name, where) + _size(inner, name, depth)
    return size


def _check_depth(depth: int, where: str) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"{where}: nested deeper than {MAX_DEPTH}")


def _number_size(value: float, where: str) -> int:
    if isinstance(value, int):
        digits = len(str(abs(value)).rstrip("0"))
        fits = digits <= MAX_DIGITS and abs(value) < 10**126
    else:
        digits = 17
        fits = value == 0 or SMALLEST_NUMBER <= abs(value) <= LARGEST_NUMBER
    if not fits:
        raise ValueError(f"{where}: a number that DynamoDB cannot hold")
    return 2 + (digits + 1) // 2


def _bytes_of(text: str, where: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise ValueError(f"{where}: a lone surrogate is no text") from None
