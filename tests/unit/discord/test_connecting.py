"""Where the gateway is connected to, with what, and what the end of a connection means."""

import pytest

from tests.contract.platforms.discord import CREDENTIALS, TOKEN
from tests.unit.discord.sessions import APP, NOW, Gateway
from threadline.core.errors import CredentialsRejected
from threadline.core.posting import Credentials
from threadline.platforms.discord import PLATFORM

RESUMES_AT = "wss://gateway-us-east1-b.discord.gg/?v=10&encoding=json"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (4004, "Reset Token"),
        (4010, "several connections"),
        (4011, "several connections"),
        (4012, "update Threadline"),
        (4013, "update Threadline"),
        (4014, "Message Content Intent"),
    ],
)
def test_what_a_person_must_mend_is_refused(code: int, says: str) -> None:
    """After these codes nobody tries again before a person did what is said."""
    step = Gateway().closes(code)
    assert step.end is not None
    assert step.end.refused
    assert says in step.end.why
    assert TOKEN not in step.end.why


@pytest.mark.parametrize("code", [4003, 4007, 4009])
def test_a_session_that_is_over_is_forgotten(code: int) -> None:
    """After these codes a new session is begun, and what is missing made up for."""
    gateway = Gateway()
    gateway.enters()
    gateway.closes(code)
    second = gateway.again()
    step = second.enters()
    assert second.sent[0]["op"] == 2
    assert step.gap


@pytest.mark.parametrize("code", [1000, 1001, 1006, 4000, 4001, 4002, 4005, 4008, 4999])
def test_other_codes_go_on_with_the_session(code: int) -> None:
    """Any other end of a connection leaves the session as it is."""
    gateway = Gateway()
    gateway.enters()
    step = gateway.closes(code, "whatever")
    assert step.end is not None
    assert not step.end.refused
    assert gateway.again().url == RESUMES_AT


def test_the_token_is_never_shown() -> None:
    """Neither session nor opening shows the token when printed."""
    opening = PLATFORM.connect(CREDENTIALS, APP, {}, NOW, 0.5)
    assert TOKEN not in repr(opening)
    assert TOKEN not in repr(opening.session)


@pytest.mark.parametrize("token", ["", " ", "a token\n", "tökén"])
def test_a_token_that_cannot_be_right_is_refused(token: str) -> None:
    """Without a token no connection is tried; what is to be done is said."""
    nobody = Credentials(PLATFORM.name, APP.app, secrets={"bot_token": token})
    with pytest.raises(CredentialsRejected, match="threadline secrets set discord"):
        PLATFORM.connect(nobody, APP, {}, NOW, 0.5)


@pytest.mark.parametrize(
    "url",
    [
        "wss://evil.example",
        "ws://gateway.discord.gg",
        "wss://discord.gg.evil.example",
        "wss://[",
        "",
    ],
)
def test_a_foreign_address_is_not_resumed_at(url: str) -> None:
    """The token goes to Discord's own hosts only, whatever was kept."""
    kept = {"session": "s", "seq": "4", "heard": str(int(NOW)), "url": url}
    assert Gateway(cursor=kept).url == "wss://gateway.discord.gg/?v=10&encoding=json"
