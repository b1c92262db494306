"""What ingest needs of the ports: send mail, keep a body, read a secret, read settings."""

from collections.abc import Mapping, Sequence
from typing import Final, cast
from urllib.parse import quote

from threadline.backends import limits
from threadline.backends.aws import rows
from threadline.backends.light.account import Account
from threadline.backends.light.batches import batches
from threadline.backends.light.secret_cache import SecretCache, values_of
from threadline.core.errors import StoreUnavailable
from threadline.core.http import BlobRef
from threadline.core.json import Json
from threadline.core.ports import Clock, Item, Key, Outgoing

_ABSENT: Final = frozenset({"ResourceNotFoundException", "InvalidRequestException"})


class LightQueue:
    """Sends to a FIFO queue in SQS; every repeat has the same deduplication ids."""

    def __init__(self, account: Account, url: str) -> None:
        if not url.endswith(".fifo"):
            raise ValueError("only a FIFO queue knows a repeated message")
        self._url = url
        self._endpoint = account.endpoint("sqs", url)

    def open(self) -> None:
        """Connect ahead of the first message. Raises StoreUnavailable."""
        self._endpoint.open()

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Send all messages, or raise StoreUnavailable (some may have been sent)."""
        limits.check_messages(messages, fifo=True)
        for batch in batches(messages):
            entries = [
                {
                    "Id": str(number),
                    "MessageBody": message.body,
                    "MessageGroupId": message.group,
                    "MessageDeduplicationId": message.dedup,
                }
                for number, message in enumerate(batch)
            ]
            answered = self._endpoint.json(
                "AmazonSQS.SendMessageBatch", "1.0", {"QueueUrl": self._url, "Entries": entries}
            )
            if failed := answered.content("send").get("Failed"):
                raise StoreUnavailable(f"send: some were refused ({_first_code(failed)})")


class LightBlobs:
    """Puts objects into one S3 bucket."""

    def __init__(self, account: Account, bucket: str) -> None:
        apart = bool(account.override("s3"))
        self._folder = f"/{bucket}/" if apart else "/"
        self._endpoint = account.endpoint("s3", account.regional("s3", f"{bucket}."))

    def put(self, name: str, body: bytes, mime: str = "application/octet-stream") -> BlobRef:
        """Store a body under a name, replacing it. Raises StoreUnavailable."""
        limits.check_blob_name(name)
        path = self._folder + quote(name, safe="/~")
        answered = self._endpoint.call("PUT", path, {"Content-Type": mime}, body)
        if answered.status != 200:
            raise StoreUnavailable(f"put blob: HTTP {answered.status}")
        return BlobRef(name, len(body), mime)


class LightSecrets:
    """Reads secrets whose names in the account are a prefix and the entry."""

    def __init__(self, account: Account, prefix: str, clock: Clock) -> None:
        self._prefix = prefix
        self._endpoint = account.endpoint("secretsmanager")
        self._cache = SecretCache(clock, self._read)

    def get(self, entry: str, *, fresh: bool = False) -> Mapping[str, str]:
        """Read an entry, {} where it does not exist; `fresh` at most once per entry and minute."""
        return self._cache.get(entry, fresh=fresh)

    def _read(self, entry: str) -> Mapping[str, str]:
        answered = self._endpoint.json(
            "secretsmanager.GetSecretValue", "1.1", {"SecretId": self._prefix + entry}
        )
        if answered.error() in _ABSENT:
            return {}
        text = answered.content(f"read the secret {entry}").get("SecretString")
        return values_of(entry, text) if isinstance(text, str) else {}


class LightItems:
    """Reads items of DynamoDB tables; `tables` gives each table's name in the account."""

    def __init__(self, account: Account, tables: Mapping[str, str], clock: Clock) -> None:
        self._tables = dict(tables)
        self._clock = clock
        self._endpoint = account.endpoint("dynamodb")

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        """Read items consistently, in the order asked. Raises StoreUnavailable."""
        return tuple(self._get(key) for key in keys)

    def _get(self, key: Key) -> Item | None:
        asked = {
            "TableName": self._tables[key.table],
            "Key": rows.key(key),
            "ConsistentRead": True,
        }
        answered = self._endpoint.json("DynamoDB_20120810.GetItem", "1.0", asked)
        row = answered.content(f"GetItem {key.table}").get("Item")
        if row is None:
            return None
        item = rows.item(key.table, cast("rows.Row", row))
        over = item.expires_at is not None and item.expires_at <= self._clock.now()
        return None if over else item


def _first_code(failed: Json) -> Json:
    match failed:
        case [{"Code": code}, *_]:
            return code
    return "unknown"
