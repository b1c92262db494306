"""The item store in DynamoDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Final

from threadline.backends import limits
from threadline.backends.aws import rows, transaction
from threadline.backends.aws.errors import AWS_ERRORS, Verdict, repeated, verdict
from threadline.backends.aws.patience import Patience, Unfinished
from threadline.backends.aws.transaction import Refusal, Stamp
from threadline.core.errors import StoreError, StoreUnavailable
from threadline.core.ports import Change, Expect, Hindrance, Item, Key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        KeysAndAttributesUnionTypeDef,
        QueryInputTypeDef,
        TransactWriteItemTypeDef,
    )

DUE_TABLES: Final = ("conversations", "outbox")
WRITES_AT_ONCE: Final = 8


class DynamoItems:
    """An ItemStore over tables with `pk`, `sk` and, where items are due, the index `due`.

    `tables` gives each table's name in the account. An item's due time is kept to the nanosecond,
    its expiry to the second (rounded up).
    """

    def __init__(
        self,
        client: DynamoDBClient,
        tables: Mapping[str, str],
        patience: Patience,
    ) -> None:
        self._client = client
        self._tables = dict(tables)
        self._patience = patience
        self._beside = ThreadPoolExecutor(WRITES_AT_ONCE, thread_name_prefix="dynamodb")

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        limits.check_keys(keys)
        wanted = tuple(dict.fromkeys(keys))
        found = self._get_one(wanted[0]) if len(wanted) == 1 else self._get_many(wanted)
        return tuple(found.get(key) for key in keys)

    def query(
        self,
        table: str,
        partition: str,
        prefix: str = "",
        *,
        limit: int = 100,
        descending: bool = False,
    ) -> tuple[Item, ...]:
        if limit < 1:
            return ()
        asked: QueryInputTypeDef = {
            "TableName": self._tables[table],
            "ConsistentRead": True,
            "KeyConditionExpression": "#pk = :pk",
            "ExpressionAttributeNames": {"#pk": "pk"},
            "ExpressionAttributeValues": {":pk": rows.value(partition)},
            "ScanIndexForward": not descending,
            "Limit": limit,
        }
        if prefix:
            asked["KeyConditionExpression"] = "#pk = :pk AND begins_with(#sk, :prefix)"
            asked["ExpressionAttributeNames"] = {"#pk": "pk", "#sk": "sk"}
            asked["ExpressionAttributeValues"] = {
                ":pk": rows.value(partition),
                ":prefix": rows.value(prefix),
            }
        return tuple(islice(self._pages(table, asked), limit))

    def write(self, changes: Sequence[Change]) -> None:
        limits.check_changes(changes)
        needed = transaction.effective(changes)
        if not needed:
            return
        stamp = Stamp(self._new_id(), self._patience.clock.now())
        found: dict[Key, int | Expect] = {}
        for _ in range(self._patience.tries):
            refused = self._submit(transaction.with_versions(needed, found), stamp)
            if not refused or any(refusal.write_id == stamp.write_id for refusal in refused):
                return
            found |= transaction.unexpected(needed, refused)
        raise StoreUnavailable("an item without an expectation kept changing")

    def write_each(self, writes: Sequence[Sequence[Change]]) -> tuple[Hindrance, ...]:
        # Apart and not in one transaction, which costs twice and fails as a whole.
        return tuple(self._beside.map(self._hindrance, writes))

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        if limit < 1:
            return ()
        shards = [
            self._due_in(table, rows.due_partition(kind, shard), before, limit)
            for table in DUE_TABLES
            for shard in range(rows.SHARDS)
        ]
        return tuple(islice(merge(*shards, key=_due_at), limit))

    def _hindrance(self, changes: Sequence[Change]) -> Hindrance:
        try:
            self.write(changes)
        except (StoreError, ValueError) as hindrance:
            return hindrance
        return None

    def _due_in(self, table: str, partition: str, before: float, limit: int) -> Iterator[Item]:
        asked: QueryInputTypeDef = {
            "TableName": self._tables[table],
            "IndexName": "due",
            "KeyConditionExpression": "#due = :due AND #due_at <= :before",
            "ExpressionAttributeNames": {"#due": "due", "#due_at": "due_at"},
            "ExpressionAttributeValues": {
                ":due": rows.value(partition),
                ":before": rows.value(rows.instant(before)),
            },
            "Limit": limit,
        }
        return self._pages(table, asked)

    def _pages(self, table: str, asked: QueryInputTypeDef) -> Iterator[Item]:
        while True:
            read = partial(self._client.query, **asked)
            answer = self._patience.call(f"Query {table}", read)
            yield from self._living(rows.item(table, row) for row in answer["Items"])
            if not (last := answer.get("LastEvaluatedKey")):
                return
            asked = {**asked, "ExclusiveStartKey": last}

    def _get_one(self, key: Key) -> Mapping[Key, Item]:
        read = partial(
            self._client.get_item,
            TableName=self._tables[key.table],
            Key=rows.key(key),
            ConsistentRead=True,
        )
        row = self._patience.call(f"GetItem {key.table}", read).get("Item")
        found = [] if row is None else [rows.item(key.table, row)]
        return {item.key: item for item in self._living(found)}

    def _get_many(self, keys: Sequence[Key]) -> Mapping[Key, Item]:
        logical = {self._tables[key.table]: key.table for key in keys}
        pending: Mapping[str, KeysAndAttributesUnionTypeDef] = {
            physical: {
                "Keys": [rows.key(key) for key in keys if key.table == table],
                "ConsistentRead": True,
            }
            for physical, table in logical.items()
        }
        found: list[Item] = []

        def read() -> None:
            nonlocal pending
            answer = self._client.batch_get_item(RequestItems=pending)
            for physical, several in answer["Responses"].items():
                found.extend(rows.item(logical[physical], row) for row in several)
            pending = answer.get("UnprocessedKeys", {})
            if pending:
                raise Unfinished("UnprocessedKeys")

        if pending:
            self._patience.call("BatchGetItem", read)
        return {item.key: item for item in self._living(found)}

    def _submit(self, changes: Sequence[Change], stamp: Stamp) -> tuple[Refusal, ...]:
        entries = [transaction.entry(change, self._tables, stamp) for change in changes]
        token = self._new_id()
        lost = False

        def attempt() -> tuple[Refusal, ...]:
            nonlocal lost
            try:
                self._send(entries, token)
            except AWS_ERRORS as error:
                lost = lost or verdict(error) is Verdict.LOST or repeated(error)
                if refused := transaction.refusals(error, changes):
                    return refused
                raise
            return ()

        tables = sorted({transaction.key_of(change).table for change in changes})
        refused = self._patience.call(f"write to {', '.join(tables)}", attempt)
        if lost and refused and len(entries) == 1:
            return transaction.settled(refused[0], stamp)
        return refused

    def _send(self, entries: Sequence[TransactWriteItemTypeDef], token: str) -> None:
        # A lone condition costs half of what a transaction does.
        match entries:
            case [{"Put": put}]:
                self._client.put_item(**put)
            case [{"Delete": delete}]:
                self._client.delete_item(**delete)
            case _:
                self._client.transact_write_items(TransactItems=entries, ClientRequestToken=token)

    def _living(self, items: Iterable[Item]) -> Iterator[Item]:
        now = self._patience.clock.now()
        return (item for item in items if item.expires_at is None or item.expires_at > now)

    def _new_id(self) -> str:
        return f"{self._patience.rng.getrandbits(128):032x}"


def _due_at(item: Item) -> float:
    return item.due[1] if item.due else 0.0
