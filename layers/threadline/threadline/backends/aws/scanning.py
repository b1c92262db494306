"""Tables read from end to end, for an operator whose own credentials allow it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from threadline.backends.aws import rows
from threadline.backends.aws.patience import Patience
from threadline.core.ports import Item, Key

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import ScanInputTypeDef


class DynamoScans:
    """Scans over the tables of a `DynamoItems`, a page of a megabyte at a time.

    https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
    """

    def __init__(
        self, client: DynamoDBClient, tables: Mapping[str, str], patience: Patience
    ) -> None:
        self._client = client
        self._tables = dict(tables)
        self._patience = patience

    def scan(self, table: str, after: Key | None = None, limit: int = 1000) -> tuple[Item, ...]:
        found: list[Item] = []
        asked: ScanInputTypeDef = {"TableName": self._tables[table], "ConsistentRead": True}
        if after is not None:
            asked["ExclusiveStartKey"] = rows.key(after)
        while len(found) < limit:
            asked["Limit"] = limit - len(found)
            read = partial(self._client.scan, **asked)
            answer = self._patience.call(f"Scan {table}", read)
            found += [rows.item(table, row) for row in answer["Items"]]
            if not (last := answer.get("LastEvaluatedKey")):
                break
            asked["ExclusiveStartKey"] = last
        return tuple(found)
