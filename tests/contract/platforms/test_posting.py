"""Flows against the API's own answers: receipts, errors and what they must never show."""

import json
from dataclasses import replace

import pytest

from tests.contract.platforms.enrolled import ENROLLED, EVERY_PLATFORM
from tests.contract.platforms.enrolment import Enrolment, Failure
from tests.flows import Script
from threadline.core.errors import PostError, RateLimited
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost
from threadline.core.platform import Edits
from threadline.core.policy import Policy, admitted
from threadline.core.posting import Draft, Receipt, Reply

NONCE = "0123456789abcdef0123456789abcdef"
EVERY_FAILURE = pytest.mark.parametrize(
    ("one", "failure"),
    [
        pytest.param(one, failure, id=f"{one}-{failure.call}-{failure.name}")
        for one in ENROLLED
        for failure in one.failures
    ],
)
NONSENSE = {
    "no json": HttpResponse(200, body=b"<html>"),
    "empty": HttpResponse(200),
    "a list": HttpResponse(200, body=b"[]"),
    "null": HttpResponse(200, body=b"null"),
    "other json": HttpResponse(200, body=b'{"result": [], "ok": "yes", "id": {}}'),
    "deep": HttpResponse(200, body=b"[" * 100_000),
    "not utf-8": HttpResponse(200, body=b"\xff"),
    "a redirect": HttpResponse(302, {"location": "https://elsewhere.example/"}),
    "an error page": HttpResponse(502, body=b"<html>Bad Gateway</html>"),
    "an unknown refusal": HttpResponse(418, body=b"{}"),
    "no answer": Lost("timeout", sent=True),
    "cut": Lost("reset", sent=True),
    "refused": Lost("refused", sent=False),
    "forbidden": Lost("forbidden", sent=False),
}


@EVERY_PLATFORM
def test_a_post_gives_a_receipt(one: Enrolment) -> None:
    """A post that the API took gives the platform's id of it."""
    script = Script(one.posted)
    receipt = script.run(post(one))
    assert receipt.id
    assert len(script.requests) == len(one.posted)


@EVERY_FAILURE
def test_an_error_shape_is_mapped(one: Enrolment, failure: Failure) -> None:
    """Each documented refusal becomes the error that carries the right retry decision."""
    flow = post(one) if failure.call == "post" else edit(one)
    with pytest.raises(PostError) as raised:
        Script([failure.answer] * 12).run(flow)
    assert type(raised.value) is failure.means
    if isinstance(raised.value, RateLimited):
        assert raised.value.after == failure.after


@EVERY_FAILURE
def test_no_error_shows_a_secret(one: Enrolment, failure: Failure) -> None:
    """Errors, labels and printed requests hold neither token nor secret, even if echoed to us."""
    answer = failure.answer
    if isinstance(answer, HttpResponse) and answer.body:
        echoed = answer.body.replace(b'"', b'"' + one.token.encode() + b" ", 3)
        answer = replace(answer, body=echoed)
    for given in (failure.answer, answer):
        script = Script([given] * 12)
        with pytest.raises(PostError) as raised:
            script.run(post(one) if failure.call == "post" else edit(one))
        secrets = [*one.credentials.secrets.values(), one.token]
        shown = [str(raised.value), repr(raised.value), *(repr(r) for r in script.requests)]
        shown += [request.label for request in script.requests]
        assert not [text for text in shown for secret in secrets if secret in text]


@EVERY_PLATFORM
@pytest.mark.parametrize("answer", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_an_error_of_ours(one: Enrolment, answer: HttpResponse | Lost) -> None:
    """An answer nobody documented becomes a PostError, never another exception or a receipt."""
    for flow in (post(one), edit(one)):
        with pytest.raises(PostError):
            Script([answer] * 12).run(flow)


@EVERY_PLATFORM
def test_an_unchanged_edit_is_success(one: Enrolment) -> None:
    """An edit to the text that already stands there is done, not failed."""
    if one.unchanged is None:
        assert not isinstance(one.platform, Edits) or not one.failures
        return
    receipt = Script([one.unchanged]).run(edit(one))
    assert receipt.id == "17"


@EVERY_PLATFORM
def test_requests_stay_with_the_platform(one: Enrolment) -> None:
    """Every request goes to the platform's own hosts over https, or where we were told to."""
    configured = (one.credentials.base_url,) if one.credentials.base_url else ()
    policy = Policy(api_hosts=one.platform.traits.api_hosts, base_urls=configured)
    for request in asked(one):
        assert admitted(request, policy) is not None


@EVERY_PLATFORM
def test_a_configured_address_is_used(one: Enrolment) -> None:
    """An API address written in the configuration is where the requests go."""
    base = "http://127.0.0.1:9/api"
    local = replace(one, credentials=replace(one.credentials, base_url=base))
    for request in asked(local):
        assert admitted(request, Policy(base_urls=(base,))) is not None


@EVERY_PLATFORM
def test_posts_are_not_repeated_blindly(one: Enrolment) -> None:
    """A request that would post twice does not allow repeating, unless the nonce makes it safe."""
    if not one.platform.traits.dedupes_posts:
        assert not asked(one)[-1].repeatable


@EVERY_PLATFORM
def test_bodies_are_what_their_header_says(one: Enrolment) -> None:
    """What is posted as JSON is JSON in UTF-8, also where the agent wrote broken characters."""
    for draft in (*one.platform.render(Reply("broken \ud83d text 😀")), draft_of(one)):
        script = Script(one.posted)
        script.run(one.platform.post(draft, one.to, one.credentials, NONCE))
        for request in script.requests:
            if request.headers.get("content-type", "").startswith("application/json"):
                assert isinstance(request.body, bytes)
                json.dumps(json.loads(request.body), ensure_ascii=False).encode()


def draft_of(one: Enrolment) -> Draft:
    """Render a short answer."""
    return one.platform.render(Reply("The **answer**."))[0]


def post(one: Enrolment) -> Flow[Receipt]:
    """Post a short answer."""
    return one.platform.post(draft_of(one), one.to, one.credentials, NONCE)


def edit(one: Enrolment) -> Flow[Receipt]:
    """Edit a post; where a platform cannot, post instead."""
    if not isinstance(one.platform, Edits):
        return post(one)
    return one.platform.edit(draft_of(one), Receipt("17"), one.to, one.credentials)


def asked(one: Enrolment) -> list[HttpRequest]:
    """Give the requests of a successful post."""
    script = Script(one.posted)
    script.run(post(one))
    return script.requests
