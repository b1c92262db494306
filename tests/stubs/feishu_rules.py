"""What Feishu's open API refuses, with its own codes.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/reply
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-structure
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tests.stubs.serving import Answer

MOST_BYTES_OF_A_CARD = 30 * 1024
MOST_TABLES = 5
LONGEST_UUID = 50
ELEMENT = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
TABLE_RULE = re.compile(r"^\|(?: *:?-+:? *\|)+ *$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]*)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
AT = re.compile(r"<at\b[^>]*>")


class Do(StrEnum):
    """The calls that there are, with a star where an id stands."""

    TOKEN = "POST auth/v3/tenant_access_token/internal"
    INFO = "GET bot/v3/info"
    REPLY = "POST im/v1/messages/*/reply"
    CREATE = "POST im/v1/messages"
    PATCH = "PATCH im/v1/messages/*"
    REACT = "POST im/v1/messages/*/reactions"
    HISTORY = "GET im/v1/messages"
    RESOURCE = "GET im/v1/messages/*/resources/*"
    IMAGE = "POST im/v1/images"
    FILE = "POST im/v1/files"
    SCOPES = "GET application/v6/scopes"
    CONNECT = "POST ws/endpoint"


SAID = {
    10003: "invalid param",
    10014: "app secret invalid",
    11232: "create message service trigger rate limit",
    230001: "Your request contains an invalid request parameter.",
    230002: "The bot can not be outside the group.",
    230011: "The message was recalled.",
    230020: "This operation triggers the frequency limit.",
    230022: "The content of the message contains sensitive information.",
    230025: "The length of the message content reaches its limit.",
    230027: "Lack of necessary permissions.",
    230028: "The messages do NOT pass the audit.",
    230031: "The message can not be edited, because its sending time is too long ago.",
    230110: "Action unavailable as the message has been deleted.",
    230099: "Failed to create card content.",
    231001: "reaction type is invalid.",
    231003: "The message is not found, it is recalled or does not exist.",
    232009: "Your request specifies a chat which has already been dissolved.",
    234003: "File not in msg.",
    234006: "The file size exceed the max value.",
    234011: "Can't recognize image format.",
    234037: "Downloaded file size exceeds limit.",
    99991400: "request trigger frequency limit",
    99991661: "Missing access token for authorization.",
    99991663: "Invalid access token for authorization.",
}


class Refusal(Exception):
    """What a rule says of a call: a code, in the shape of the open API."""

    def __init__(self, code: int, said: str = "", *, status: int = 400, **headers: str) -> None:
        super().__init__(code)
        self.answer = refused(code, said, status=status, **headers)


def succeeded(**data: Any) -> Answer:
    """Give the answer to a call that did what it was asked."""
    return Answer(200, {"code": 0, "msg": "success", "data": data})


def refused(code: int, said: str = "", *, status: int = 400, **headers: str) -> Answer:
    """Give a refusal as the gateway words it; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"log_id": "20260921141320D691D6E05516DE2D0001"}
    return Answer(status, {"code": code, "msg": said or SAID[code], "error": error}, named)


def too_many(seconds: int) -> Answer:
    """Give the answer to an app that calls too often."""
    limits = {"x_ogw_ratelimit_limit": "100", "x_ogw_ratelimit_reset": str(seconds)}
    return refused(99991400, status=429, **limits)


def broken_card(code: int, said: str) -> Refusal:
    """Give the refusal of a card that cannot be made."""
    told = f"Failed to create card content, ext=ErrCode: {code}; ErrMsg: {said}; ErrorValue: ; "
    return Refusal(230099, told)


def check_uuid(body: Mapping[str, Any]) -> str:
    """Refuse a key against repetition that is none."""
    uuid = body.get("uuid", "")
    if not isinstance(uuid, str) or len(uuid) > LONGEST_UUID:
        raise Refusal(230001)
    return uuid


def check_content(content: object, size: int) -> Mapping[str, Any]:
    """Refuse content that is no JSON in a string, or a request that is too long."""
    if size > MOST_BYTES_OF_A_CARD:
        raise Refusal(230025)
    try:
        decoded = json.loads(content) if isinstance(content, str) else None
    except ValueError:
        decoded = None
    if not isinstance(decoded, dict):
        raise Refusal(230001)
    return decoded


def check_card(card: Mapping[str, Any]) -> str:
    """Refuse a card out of shape, and give the text that people see in it."""
    if card.get("schema") != "2.0" or set(card) - {"schema", "config", "header", "body"}:
        raise broken_card(200621, "parse card json err")
    if card.get("config", {}).get("update_multi") is not True:
        raise broken_card(11246, "a shared card must be set with update_multi")
    elements = card.get("body", {}).get("elements")
    if not isinstance(elements, list) or not elements:
        raise broken_card(200621, "card body has no elements")
    names = [one.get("element_id", "") for one in elements]
    if not all(ELEMENT.fullmatch(name) for name in names) or len(set(names)) < len(names):
        raise broken_card(300301, "element_id is invalid or comes twice")
    shown = [_text_of(element) for element in elements]
    if sum(tables for _, tables in shown) > MOST_TABLES:
        raise broken_card(11310, "card table number over limit")
    return "\n".join(words for words, _ in shown)


def _text_of(element: Mapping[str, Any]) -> tuple[str, int]:
    """Give the words of an element and how many tables it draws."""
    if element.get("tag") == "div":
        said = element.get("text", {})
        if said.get("tag") != "plain_text" or not isinstance(said.get("content"), str):
            raise broken_card(200621, "text of a div must be plain_text or lark_md")
        return said["content"], 0
    words = element.get("content")
    if element.get("tag") != "markdown" or not isinstance(words, str) or not words.strip():
        raise broken_card(200621, "unknown element")
    outside = CODE.sub("", words)
    for key in PICTURE.findall(outside):
        if not key.startswith("img_"):
            raise broken_card(200570, "card contains invalid image keys")
    return words, len(TABLE_RULE.findall(outside))
