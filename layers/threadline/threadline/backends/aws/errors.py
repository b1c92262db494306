"""What went wrong in a call to AWS: whether it may have taken effect, and whether to repeat it."""

from enum import Enum
from typing import Final

from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.parsers import ResponseParserError

type AwsError = ClientError | BotoCoreError | ResponseParserError
AWS_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError)


class Verdict(Enum):
    """What an error says of its call."""

    BUSY = "it had no effect, and the same call may succeed soon"
    LOST = "it may have taken effect; the same call may succeed soon"
    REFUSED = "it had no effect, and repeating it is useless"


_BUSY: Final = frozenset(
    {
        "OverLimit",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)

_BUSY_REASONS: Final = frozenset(
    {"None", "ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}
)
"""Why a transaction was cancelled for the moment, one reason for each of its entries.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""


def code_of(error: AwsError) -> str:
    """Name an error by its code: AWS's own messages may repeat what was sent."""
    if isinstance(error, ClientError):
        return error.response.get("Error", {}).get("Code", "unknown")
    return type(error).__name__


def verdict(error: AwsError) -> Verdict:
    """Judge an error; what is not known to have had no effect counts as lost."""
    if isinstance(error, HTTPClientError | ResponseParserError):
        return Verdict.LOST
    if isinstance(error, exceptions.ConnectionError):
        return Verdict.BUSY
    if not isinstance(error, ClientError):
        return Verdict.REFUSED
    if code_of(error) in _BUSY:
        return Verdict.BUSY
    reasons = error.response.get("CancellationReasons", [])
    if reasons and all(reason.get("Code") in _BUSY_REASONS for reason in reasons):
        return Verdict.BUSY
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return Verdict.LOST if status >= 500 else Verdict.REFUSED


def repeated(error: AwsError) -> bool:
    """Tell whether the client library itself had sent the call before."""
    metadata = error.response.get("ResponseMetadata") if isinstance(error, ClientError) else None
    return metadata is not None and metadata.get("RetryAttempts", 0) > 0
