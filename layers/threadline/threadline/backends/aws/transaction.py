"""Changes as DynamoDB's conditional writes, and its refusals read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypedDict, assert_never, cast

from botocore.exceptions import ClientError

from threadline.backends.aws import rows
from threadline.core.errors import Conflict, StoreUnavailable
from threadline.core.ports import Change, Check, Delete, Expect, Key, Put

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_LIVE: Final = "(attribute_not_exists(#expires) OR #expires > :now)"
_ABSENT: Final = "attribute_not_exists(#pk) OR #expires <= :now"
_FAILED: Final = "ConditionalCheckFailed"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What every row of one write carries: who wrote it, and when."""

    write_id: str
    now: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change whose expectation failed, and the version and writer found in its place."""

    change: Change
    version: int | None
    write_id: str


class Guard(TypedDict, total=False):
    """The part of a request that holds an expectation."""

    ConditionExpression: str
    ExpressionAttributeNames: Mapping[str, str]
    ExpressionAttributeValues: Mapping[str, rows.Value]
    ReturnValuesOnConditionCheckFailure: Literal["ALL_OLD"]


def key_of(change: Change) -> Key:
    """Name the item a change is about."""
    return change.item.key if isinstance(change, Put) else change.key


def effective(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Leave out what expects nothing and does nothing."""
    return tuple(
        change
        for change in changes
        if not (isinstance(change, Check) and change.expect is Expect.ANY)
    )


def with_versions(
    changes: Sequence[Change], found: Mapping[Key, int | Expect]
) -> tuple[Change, ...]:
    """Turn a Put that expects nothing into one that expects what was found there last.

    Only so can its version go on counting: DynamoDB replaces an item without looking at it.
    """
    return tuple(
        replace(change, expect=found.get(change.item.key, Expect.ABSENT))
        if isinstance(change, Put) and change.expect is Expect.ANY
        else change
        for change in changes
    )


def unexpected(changes: Sequence[Change], refused: Sequence[Refusal]) -> Mapping[Key, int | Expect]:
    """Say what was found in place of items that nothing was expected of.

    Raises Conflict where an expectation of the caller's own is among the refused.
    """
    free = {key_of(change) for change in changes if change.expect is Expect.ANY}
    failed = {key_of(refusal.change): refusal.version for refusal in refused}
    at_fault = [key.sort for key in failed if key not in free]
    if at_fault:
        raise Conflict(f"expectation failed on {', '.join(at_fault)}", at_fault)
    return {key: Expect.ABSENT if version is None else version for key, version in failed.items()}


def entry(change: Change, tables: Mapping[str, str], stamp: Stamp) -> TransactWriteItemTypeDef:
    """Write a change as one entry of a transaction."""
    table = tables[key_of(change).table]
    guard = _guard(change.expect, stamp.now)
    match change:
        case Put(item, expect):
            version = expect + 1 if isinstance(expect, int) else 1
            row = rows.row(item, version, stamp.write_id, stamp.now)
            return {"Put": {"TableName": table, "Item": row, **guard}}
        case Delete(key):
            return {"Delete": {"TableName": table, "Key": rows.key(key), **guard}}
        case Check(key):
            condition = guard["ConditionExpression"]
            return {
                "ConditionCheck": {
                    "TableName": table,
                    "Key": rows.key(key),
                    **guard,
                    "ConditionExpression": condition,
                }
            }
        case _:
            assert_never(change)


def refusals(error: Exception, changes: Sequence[Change]) -> tuple[Refusal, ...]:
    """Name the changes whose expectations failed; none where the error is of another kind."""
    if not isinstance(error, ClientError):
        return ()
    code = error.response.get("Error", {}).get("Code")
    if code == "ConditionalCheckFailedException":
        found = cast("Mapping[str, rows.Row]", error.response).get("Item", {})
        return (_refusal(changes[0], found),)
    if code != "TransactionCanceledException":
        return ()
    reasons = error.response.get("CancellationReasons", [])
    return tuple(
        _refusal(change, cast("rows.Row", reason.get("Item", {})))
        for change, reason in zip(changes, reasons, strict=True)
        if reason.get("Code") == _FAILED
    )


def settled(refusal: Refusal, stamp: Stamp) -> tuple[Refusal, ...]:
    """Judge the refusal of a lone change whose earlier attempt may have taken effect unseen.

    A transaction's token makes its repeats harmless; a lone change has none. Raises
    StoreUnavailable where it cannot be told.
    """
    if isinstance(refusal.change, Check):
        return (refusal,)
    expect = refusal.change.expect
    following = expect + 1 if isinstance(expect, int) else 1
    if isinstance(refusal.change, Delete) and refusal.version is None:
        return ()
    if refusal.write_id == stamp.write_id or refusal.version == following:
        return (refusal,)
    raise StoreUnavailable("a write was answered too late to tell whether it took effect")


def _refusal(change: Change, found: rows.Row) -> Refusal:
    version = int(found["version"]["N"]) if "version" in found else None
    write_id = found["write_id"]["S"] if "write_id" in found else ""
    return Refusal(change, version, write_id)


def _guard(expect: int | Expect, now: float) -> Guard:
    if expect is Expect.ANY:
        return {}
    guard: Guard = {
        "ConditionExpression": _ABSENT,
        "ExpressionAttributeNames": {"#expires": "expires_at", "#pk": "pk"},
        "ExpressionAttributeValues": {":now": rows.value(now)},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    if isinstance(expect, int):
        guard["ConditionExpression"] = f"#version = :version AND {_LIVE}"
        guard["ExpressionAttributeNames"] = {"#expires": "expires_at", "#version": "version"}
        guard["ExpressionAttributeValues"] = {
            ":now": rows.value(now),
            ":version": rows.value(expect),
        }
    return guard
