"""What a stack's log groups took in since a moment, read again and again.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from threadline.backends.aws.errors import code_of
from threadline.core.errors import StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_logs.client import CloudWatchLogsClient
    from mypy_boto3_logs.type_defs import FilterLogEventsRequestTypeDef

LATE: Final = 60_000
"""Milliseconds by which a line may come later than others of its time."""

MOST_PAGES: Final = 10
"""Answers that one look reads of a group; many of them may hold nothing that is wanted."""


class LogTail:
    """The JSON lines of log groups that hold a word, from a moment on (epoch seconds)."""

    def __init__(
        self, client: CloudWatchLogsClient, groups: Sequence[str], word: str, since: float
    ) -> None:
        self._client = client
        self._word = word
        self._begin = int(since * 1000)
        self._newest = dict.fromkeys(groups, self._begin)
        self._further: dict[str, FilterLogEventsRequestTypeDef] = {}
        self._seen: set[str] = set()
        self._lines: list[Mapping[str, object]] = []

    @property
    def behind(self) -> bool:
        """Whether the last look ended before the log did, so that the next one goes on there."""
        return bool(self._further)

    def __call__(self) -> Sequence[Mapping[str, object]]:
        """Give the lines so far, in the order in which they could be read.

        Raises StoreUnavailable.
        """
        group = ""
        try:
            for group in self._newest:
                self._read(group)
        except (BotoCoreError, ClientError) as error:
            what = f"the log group {group} cannot be read: {code_of(error)}"
            raise StoreUnavailable(what) from None
        return self._lines

    def _read(self, group: str) -> None:
        anew: FilterLogEventsRequestTypeDef = {
            "logGroupName": group,
            "startTime": max(self._newest[group] - LATE, self._begin),
            "filterPattern": f'"{self._word}"',
        }
        asked = self._further.pop(group, anew)
        for _ in range(MOST_PAGES):
            answer = self._client.filter_log_events(**asked)
            for event in answer.get("events", []):
                at, message = event.get("timestamp", 0), event.get("message", "")
                name = event.get("eventId") or f"{at} {message}"
                if name not in self._seen:
                    self._seen.add(name)
                    self._keep(message)
                self._newest[group] = max(self._newest[group], at)
            if not (token := answer.get("nextToken")):
                return
            asked["nextToken"] = token
        self._further[group] = asked

    def _keep(self, message: str) -> None:
        try:
            line = json.loads(message)
        except ValueError:
            return
        if isinstance(line, dict):
            self._lines.append(line)
