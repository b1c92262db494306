"""What goes over the line: addresses, bodies, and what answers of every kind mean."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.feishu import CREDENTIALS, TO, refused, sent
from tests.flows import Script
from threadline.core.errors import (
    CredentialsRejected,
    PlatformUnavailable,
    PostRejected,
    PostUnknown,
)
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.posting import Credentials, Draft, Receipt, Reply, Stage, Tone
from threadline.platforms.feishu import PLATFORM

NONCE = "0123456789abcdef0123456789abcdef"
YES = HttpResponse(200, {}, b'{"code": 0, "msg": "success", "data": {}}')
BARE = replace(CREDENTIALS, secrets={"app_id": "cli_1", "app_secret": "a-secret-of-1"})


def token(value: str = "t-new", **more: Any) -> HttpResponse:
    """Give the answer to an exchange."""
    told = {"code": 0, "msg": "ok", "tenant_access_token": value, "expire": 7140, **more}
    return HttpResponse(200, {}, json.dumps(told).encode())


def body_of(request: HttpRequest) -> Any:
    """Give what a request says, its content decoded."""
    assert isinstance(request.body, bytes)
    body = json.loads(request.body)
    return {**body, "content": json.loads(body["content"])} if "content" in body else body


@pytest.mark.parametrize(
    ("options", "base_url", "root"),
    [
        ({}, "", "https://open.feishu.cn"),
        ({"domain": "feishu"}, "", "https://open.feishu.cn"),
        ({"domain": "lark"}, "", "https://open.larksuite.com"),
        ({"domain": "lark"}, "http://127.0.0.1:9/", "http://127.0.0.1:9"),
    ],
)
def test_an_app_lives_on_one_of_two_domains(
    options: dict[str, str], base_url: str, root: str
) -> None:
    """Feishu in China, Lark elsewhere; a configured address is taken as it is."""
    script = Script([token(), sent()])
    credentials = replace(BARE, options=options, base_url=base_url)
    script.run(PLATFORM.post(Draft("x"), TO, credentials, NONCE))
    assert [request.url for request in script.requests] == [
        f"{root}/open-apis/auth/v3/tenant_access_token/internal",
        f"{root}/open-apis/im/v1/messages/{TO.anchor}/reply",
    ]
    assert root.startswith("http://") or root.split("//")[1] in PLATFORM.traits.api_hosts


def test_a_post_replies_with_a_card_under_its_nonce() -> None:
    """One element, which is named after the nonce; the same for everybody who sees it."""
    script = Script([sent("om_1")])
    receipt = script.run(PLATFORM.post(Draft("**42**"), TO, CREDENTIALS, NONCE))
    (request,) = script.requests
    assert body_of(request) == {
        "msg_type": "interactive",
        "uuid": NONCE,
        "content": {
            "schema": "2.0",
            "config": {"update_multi": True},
            "body": {
                "elements": [
                    {"tag": "markdown", "element_id": f"t{NONCE[:19]}", "content": "**42**"}
                ]
            },
        },
    }
    assert request.headers["authorization"] == f"Bearer {CREDENTIALS.secret('token')}"
    assert request.repeatable
    assert receipt == Receipt("om_1", {"element": f"t{NONCE[:19]}"})


def test_a_change_keeps_the_elements_name() -> None:
    """So that the card is found under its nonce after any number of changes."""
    script = Script([YES])
    posted = Receipt("om_1", {"element": "tabc"})
    assert script.run(PLATFORM.edit(Draft("x"), posted, TO, CREDENTIALS)) == posted
    (request,) = script.requests
    assert (request.method, request.url.rpartition("/")[2]) == ("PATCH", "om_1")
    assert body_of(request)["content"]["body"]["elements"][0]["element_id"] == "tabc"


def test_without_a_message_to_reply_to_a_card_is_written_into_the_chat() -> None:
    """Under the same nonce."""
    script = Script([sent("om_1")])
    script.run(PLATFORM.post(Draft("x"), replace(TO, anchor=""), CREDENTIALS, NONCE))
    (request,) = script.requests
    assert request.url.endswith("/im/v1/messages?receive_id_type=chat_id")
    body = body_of(request)
    assert (body["receive_id"], body["uuid"]) == (TO.chat, NONCE)


@pytest.mark.parametrize(
    ("answers", "paths"),
    [
        ([refused(230011, "recalled"), sent()], ["reply", "messages"]),
        ([refused(230110, "deleted"), sent()], ["reply", "messages"]),
        ([refused(230099, "no card"), sent()], ["reply", "reply"]),
        (
            [refused(230011, "recalled"), refused(230099, "no card"), refused(230011, "x"), sent()],
            ["reply", "messages", "reply", "messages"],
        ),
    ],
)
def test_what_a_post_tries(answers: list[HttpResponse], paths: list[str]) -> None:
    """The chat where the message is gone, plain text where the card cannot be made."""
    script = Script(answers)
    script.run(PLATFORM.post(Draft("x"), TO, CREDENTIALS, NONCE))
    called = [request.url.partition("?")[0].rpartition("/")[2] for request in script.requests]
    assert called == paths


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([refused(230099, "no card")] * 2, PostRejected),
        ([HttpResponse(200, {}, b"not JSON")], PostUnknown),
        ([HttpResponse(200, {}, b'{"code": 0, "data": {}}')], PostUnknown),
        ([HttpResponse(200, {}, b'{"data": {}}')], PostUnknown),
        ([HttpResponse(200, {}, b'{"code": true}')], PostUnknown),
        ([HttpResponse(404, {}, b"404 page not found")], PostRejected),
        ([HttpResponse(401, {}, b"")], CredentialsRejected),
        ([refused(9499, "a code nobody knows")], PostRejected),
        ([refused(0, "an error without a code", 500)], PostUnknown),
    ],
)
def test_what_a_post_that_failed_means(answers: list[HttpResponse], error: type[Exception]) -> None:
    """An answer that cannot be understood may be of a post that stands there."""
    with pytest.raises(error):
        Script(answers).run(PLATFORM.post(Draft("x"), TO, CREDENTIALS, NONCE))


def test_a_growing_text_is_never_worth_more_than_one_call() -> None:
    """Where growing text is refused nothing else is tried; its successor comes soon."""
    (growing,) = PLATFORM.render(Reply("so far", Tone.PROGRESS))
    script = Script([refused(230028, "audit")])
    with pytest.raises(PostRejected):
        script.run(PLATFORM.edit(growing, Receipt("om_1"), TO, CREDENTIALS))
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("stage", "emoji"),
    [
        (Stage.ACCEPTED, "OK"), (Stage.RUNNING, "OK"), (Stage.DONE, "DONE"),
        (Stage.REFUSED, "CrossMark"), (Stage.FAILED, ""),
    ],
)  # fmt: skip
def test_stages_are_reactions(stage: Stage, emoji: str) -> None:
    """One call each; a stage without a reaction is none."""
    script = Script([YES] if emoji else [])
    script.run(PLATFORM.signal(stage, TO, CREDENTIALS))
    said = [body_of(request)["reaction_type"]["emoji_type"] for request in script.requests]
    assert said == ([emoji] if emoji else [])
    assert (stage in PLATFORM.stages) is bool(emoji)


def test_a_refused_reaction_is_nobodys_business() -> None:
    """Where a chat takes no reactions the turn goes on."""
    Script([refused(231001, "no such reaction")]).run(
        PLATFORM.signal(Stage.DONE, TO, CREDENTIALS)
    )  # fmt: skip


def test_a_token_is_good_until_it_ends() -> None:
    """The exchange gives the time of its end, by our clock."""
    known = Script([token()]).run(PLATFORM.exchange(BARE, TO, 1000.0))
    assert known.secret("token") == "t-new"
    assert float(known.secret("token_expires_at")) == 8140.0
    assert known.secret("app_secret") == BARE.secret("app_secret")


@pytest.mark.parametrize(
    ("credentials", "answers", "error"),
    [
        (replace(BARE, secrets={"app_id": "cli_1"}), [], CredentialsRejected),
        (replace(BARE, secrets={"app_secret": "s"}), [], CredentialsRejected),
        (BARE, [refused(10014, "app secret invalid: a-secret-of-1", 200)], CredentialsRejected),
        (BARE, [token("")], PlatformUnavailable),
        (BARE, [token(expire="soon")], PlatformUnavailable),
        (BARE, [Lost("timeout", sent=True)], PlatformUnavailable),
        (BARE, [HttpResponse(503, {}, b"")], PlatformUnavailable),
    ],
)
def test_an_exchange_that_fails(
    credentials: Credentials, answers: list[HttpResponse | Lost], error: type[Exception]
) -> None:
    """Nothing is assumed of an answer, and no secret is told that came back in it."""
    with pytest.raises(error) as raised:
        Script(answers).run(PLATFORM.exchange(credentials, TO, 0.0))
    assert "a-secret-of-1" not in str(raised.value)


def test_a_bot_without_an_account_is_unknown() -> None:
    """An app whose bot was never switched on has no name to be recognised by."""
    with pytest.raises(PlatformUnavailable):
        Script([YES]).run(PLATFORM.identify(CREDENTIALS))
