"""Discord's error shapes, its limits per bucket, and what a message may hold."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from typing import Any

EPOCH_MS = 1_420_070_400_000
LONGEST = 2000
LONGEST_NONCE = 25


@dataclass(slots=True)
class Answer:
    """An HTTP answer; status 0 is none at all. `after_effect`: what was asked happens first."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    after_effect: bool = False


@dataclass(slots=True)
class Bucket:
    """Five requests in five seconds."""

    limit: int = 5
    seconds: float = 5.0
    remaining: int = 5
    ends: float = 0.0

    def take(self, now: float) -> bool:
        """Use up one request; False where none is left."""
        if now >= self.ends:
            self.remaining, self.ends = self.limit, now + self.seconds
        self.remaining -= 1
        return self.remaining >= 0

    def left(self, now: float) -> float:
        """Give the seconds until there are requests again."""
        return max(self.ends - now, 0.001)

    def headers(self, now: float) -> dict[str, str]:
        """Give the headers that every answer carries."""
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(max(self.remaining, 0)),
            "x-ratelimit-reset-after": f"{self.left(now):.3f}",
            "x-ratelimit-bucket": "abcd1234",
        }


def refused(status: int, code: int, message: str, **more: Any) -> Answer:
    """Give an error answer in Discord's shape."""
    return Answer(status, {"message": message, "code": code, **more})


def limited(seconds: float, bucket: Bucket | None = None, *, everywhere: bool = False) -> Answer:
    """Give the answer to one request too many."""
    headers = {"retry-after": str(int(seconds) + 1)}
    if bucket is not None:
        headers |= {"x-ratelimit-remaining": "0", "x-ratelimit-scope": "user"}
    if everywhere:
        headers |= {"x-ratelimit-global": "true", "x-ratelimit-scope": "global"}
    body = {
        "message": "You are being rate limited.", "retry_after": seconds, "global": everywhere,
    }  # fmt: skip
    return Answer(429, body, headers)


def form_fault(body: Mapping[str, Any]) -> Answer | None:
    """Tell what is wrong with a message, in Discord's words."""
    text = body.get("content", "")
    mentions = body.get("allowed_mentions", {})
    assert mentions.get("parse") == [], "nobody is to be called by what an agent writes"
    if not text.strip() and not body.get("files"):
        return refused(400, 50006, "Cannot send an empty message")
    if len(text) > LONGEST:
        return _invalid("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
    if len(str(body.get("nonce", ""))) > LONGEST_NONCE:
        return _invalid("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    for row in body.get("components", []):
        if not 1 <= len(row["components"]) <= 5:
            return _invalid("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5.")
        for one in row["components"]:
            if not (1 <= len(one["label"]) <= 80 and 1 <= len(one["custom_id"]) <= 100):
                return _invalid("components", "BASE_TYPE_BAD_LENGTH", "Must be 1 to 80 long.")
    return None


def snowflake(at: float, number: int) -> str:
    """Make an id of a moment."""
    return str(((int(at * 1000) - EPOCH_MS) << 22) + number)


def respond(stub: Any, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Take a raw request to a stub."""
    version = "/api/v10"
    if not path.startswith(version + "/"):
        return refused(404, 0, "404: Not Found")
    kind = headers.get("content-type", "")
    decoded: Any = {}
    if body and kind.startswith("application/json"):
        decoded = json.loads(body)
    elif kind.startswith("multipart/form-data"):
        decoded = form_of(kind, body)
    answer: Answer = stub.answer(method, path.removeprefix(version), headers, decoded)
    return answer


def form_of(kind: str, body: bytes) -> dict[str, Any]:
    """Read a message with files: its `payload_json`, and the files' names and bytes.

    https://docs.discord.com/developers/reference#uploading-files
    """
    form = message_from_bytes(f"content-type: {kind}\r\n\r\n".encode() + body)
    read: dict[str, Any] = {"files": []}
    for part in form.get_payload():
        assert isinstance(part, Message)
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if part.get_param("name", header="content-disposition") == "payload_json":
            read |= json.loads(content)
        else:
            read["files"].append((part.get_filename(), content))
    return read


def _invalid(name: str, code: str, message: str) -> Answer:
    errors = {name: {"_errors": [{"code": code, "message": message}]}}
    return refused(400, 50035, "Invalid Form Body", errors=errors)
