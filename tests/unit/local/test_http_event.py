import base64

import pytest

from threadline.local.http_event import HttpCall, Route, gateway_answer, http_answer, http_event

ROUTE = Route("POST", "/webhooks/{platform}/{app}")


def call(**given: object) -> HttpCall:
    """Give a request that differs from a usual one in what is given."""
    values: dict[str, object] = {
        "method": "POST",
        "target": "/webhooks/telegram/support",
        "headers": (("Host", "chat.example.com"), ("User-Agent", "curl/8"),
                    ("Content-Type", "application/json")),
        "body": b'{"update_id": 1}',
        "peer": "192.0.2.7",
        "at": 1583348638.39,
        "id": "JKJaXmPLvHcESHA=",
    }  # fmt: skip
    return HttpCall(**(values | given))  # type: ignore[arg-type]


def test_an_event_has_the_fields_of_payload_format_2() -> None:
    """A request becomes the event that AWS documents, with nothing added and nothing left out."""
    assert http_event(call(), ROUTE, {"platform": "telegram", "app": "support"}) == {
        "version": "2.0",
        "routeKey": "POST /webhooks/{platform}/{app}",
        "rawPath": "/webhooks/telegram/support",
        "rawQueryString": "",
        "headers": {
            "host": "chat.example.com",
            "user-agent": "curl/8",
            "content-type": "application/json",
        },
        "pathParameters": {"platform": "telegram", "app": "support"},
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "local",
            "domainName": "chat.example.com",
            "domainPrefix": "chat",
            "http": {
                "method": "POST",
                "path": "/webhooks/telegram/support",
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.7",
                "userAgent": "curl/8",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": "POST /webhooks/{platform}/{app}",
            "stage": "$default",
            "time": "04/Mar/2020:19:03:58 +0000",
            "timeEpoch": 1583348638390,
        },
        "body": '{"update_id": 1}',
        "isBase64Encoded": False,
    }


def test_repeated_headers_are_joined_and_cookies_stand_apart() -> None:
    """Header names come lower case, repeats with commas, and cookies only in their own list."""
    headers = (("X-Tag", "one"), ("x-tag", "two"), ("Cookie", "a=1; b=2"), ("cookie", "c=3"))
    event = http_event(call(headers=headers), ROUTE, {})
    assert event["headers"] == {"x-tag": "one,two"}
    assert event["cookies"] == ["a=1", "b=2", "c=3"]


def test_the_query_comes_raw_and_read() -> None:
    """The raw query keeps its escapes; the read one joins repeats and keeps empty values."""
    event = http_event(call(target="/my/path?p=a%20b&p=value2&empty="), None, {})
    assert event["rawQueryString"] == "p=a%20b&p=value2&empty="
    assert event["queryStringParameters"] == {"p": "a b,value2", "empty": ""}
    assert event["routeKey"] == "$default"


def test_the_path_comes_decoded() -> None:
    """HTTP APIs give the path with its escapes undone, in both places."""
    event = http_event(call(target="/webhooks/a%20b"), None, {})
    assert event["rawPath"] == "/webhooks/a b"
    assert event["requestContext"]["http"]["path"] == "/webhooks/a b"


@pytest.mark.parametrize(
    ("kind", "body", "coded"),
    [
        ("application/json", b"{}", False),
        ("application/json; charset=utf-8", "é".encode(), False),
        ("application/vnd.github+json", b"{}", False),
        ("text/plain", b"hello", False),
        ("application/x-www-form-urlencoded", b"payload=%7B%7D", True),
        ("application/octet-stream", b"\x00\xff", True),
        ("application/json", b"\xff\xfe", True),
        ("", b"{}", True),
    ],
)
def test_text_comes_as_text_and_all_else_in_base64(kind: str, body: bytes, *, coded: bool) -> None:
    """Only JSON, XML, JavaScript and text/* are text; bytes that are no UTF-8 are never lost."""
    event = http_event(call(headers=(("content-type", kind),), body=body), ROUTE, {})
    assert event["isBase64Encoded"] is coded
    raw = base64.b64decode(event["body"]) if coded else event["body"].encode()
    assert raw == body


def test_compressed_bodies_stay_compressed() -> None:
    """A body with a content encoding is never text, whatever its type says."""
    headers = (("content-type", "application/json"), ("content-encoding", "gzip"))
    assert http_event(call(headers=headers), ROUTE, {})["isBase64Encoded"] is True


def test_an_empty_body_is_absent() -> None:
    """A request without a body has no body field."""
    assert "body" not in http_event(call(body=b""), ROUTE, {})


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/webhooks/telegram/support", {"platform": "telegram", "app": "support"}),
        ("GET", "/webhooks/telegram/support", None),
        ("POST", "/webhooks/telegram", None),
        ("POST", "/webhooks//support", None),
        ("POST", "/webhooks/telegram/support/more", None),
        ("POST", "/other/telegram/support", None),
    ],
)
def test_a_route_matches_its_method_and_whole_path(
    method: str, path: str, found: dict[str, str] | None
) -> None:
    """A pattern takes as many steps as it has, none of them empty, by its own method only."""
    assert ROUTE.match(method, path) == found


def test_an_answer_becomes_a_response() -> None:
    """Status, headers, cookies and a base64 body reach the caller."""
    answer = http_answer({
        "statusCode": 201, "headers": {"Content-Type": "image/png", "Content-Length": "9"},
        "cookies": ["a=1", "b=2"], "body": base64.b64encode(b"\x89PNG").decode(),
        "isBase64Encoded": True,
    })  # fmt: skip
    assert (answer.status, answer.body) == (201, b"\x89PNG")
    assert answer.headers == (
        ("content-type", "image/png"), ("set-cookie", "a=1"), ("set-cookie", "b=2"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [None, "text", {}, {"statusCode": "200"}, {"statusCode": 200, "body": 1},
     {"statusCode": 200, "body": "***", "isBase64Encoded": True}],
)  # fmt: skip
def test_what_the_gateway_cannot_use_is_its_own_500(answer: object) -> None:
    """A malformed answer of a function never reaches the caller."""
    assert http_answer(answer) == gateway_answer(500, "Internal Server Error")
