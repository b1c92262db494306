"""boto3's clients, set up in one place: the composition of a process makes and passes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botocore.config import Config

if TYPE_CHECKING:
    import boto3
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

CONFIG: Final = Config(
    connect_timeout=2.0,
    read_timeout=10.0,
    max_pool_connections=100,  # more than there are threads: one too many is thrown away
    retries={"total_max_attempts": 1},  # `Patience` repeats, and knows what was sent
)
S3_CONFIG: Final = CONFIG.merge(
    # Presigned links: signed as every region wants it, naming the region's own host.
    Config(signature_version="s3v4", s3={"addressing_style": "virtual"})
)
S3_ELSEWHERE: Final = S3_CONFIG.merge(Config(s3={"addressing_style": "path"}))
"""For an address that is not AWS's: there are no names below it for buckets."""


@dataclass(frozen=True, slots=True)
class Clients:
    """Makes the clients of one session; `endpoint` None is AWS itself or AWS_ENDPOINT_URL's.

    `elsewhere` tells that the latter has S3 answer at another address than AWS's.
    """

    session: boto3.Session
    endpoint: str | None = None
    elsewhere: bool = False

    def dynamodb(self) -> DynamoDBClient:
        """Make a client of DynamoDB."""
        client: DynamoDBClient = self._client("dynamodb")
        return client

    def sqs(self) -> SQSClient:
        """Make a client of SQS."""
        client: SQSClient = self._client("sqs")
        return client

    def s3(self) -> S3Client:
        """Make a client of S3."""
        apart = self.elsewhere or self.endpoint is not None
        client: S3Client = self._client("s3", S3_ELSEWHERE if apart else S3_CONFIG)
        return client

    def secretsmanager(self) -> SecretsManagerClient:
        """Make a client of Secrets Manager."""
        client: SecretsManagerClient = self._client("secretsmanager")
        return client

    def _client(self, name: str, config: Config = CONFIG) -> Any:
        return self.session.client(name, endpoint_url=self.endpoint, config=config)
