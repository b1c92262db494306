"""The page with one button: who may press it, who may answer it, and what is kept."""

import socket
from collections.abc import Iterator

import httpx
import pytest

from threadline.core.errors import PostRejected
from threadline.core.setup import Form, Registered
from threadline.local.registering import BACK, Registering

STATE = "a-state-of-nobody-at-all"
FIELDS = {"manifest": '{"name": "<threadline>"}'}


class Vendor:
    """Exchanges codes, and counts."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def exchange(self, code: str) -> Registered:
        """Give an app for any code but a wrong one."""
        self.codes.append(code)
        if code == "wrong":
            raise PostRejected("no such <code>")
        return Registered("acme[bot]", "https://github.com/apps/acme", {"token": "of-nobody"})


@pytest.fixture
def vendor() -> Vendor:
    """A vendor."""
    return Vendor()


@pytest.fixture
def page(vendor: Vendor) -> Iterator[Registering]:
    """The served page with its form."""
    with Registering(STATE, vendor.exchange).served() as served:
        served.form = Form("https://github.com/settings/apps/new?state=x&y=1", FIELDS)
        yield served


def back(page: Registering, code: str, state: str = STATE) -> httpx.Response:
    """Come back as the vendor leads the browser."""
    return httpx.get(page.back, params={"code": code, "state": state})


def test_the_form_is_as_given_and_harmless(page: Registering) -> None:
    """Its values are escaped; the page may run nothing, and nobody may keep or frame it."""
    answer = httpx.get(page.url)
    assert 'action="https://github.com/settings/apps/new?state=x&amp;y=1"' in answer.text
    assert "{&quot;name&quot;: &quot;&lt;threadline&gt;&quot;}" in answer.text
    assert (
        "default-src 'none'; frame-ancestors 'none'" in (answer.headers["content-security-policy"])
    )
    assert answer.headers["cache-control"] == "no-store"
    assert "of-nobody" not in answer.text


def test_an_address_that_is_none_is_refused(
    page: Registering, capfd: pytest.CaptureFixture[str]
) -> None:
    """400, and nothing on the terminal."""
    host = page.url.removeprefix("http://").rstrip("/")
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port.partition("/")[0]))) as caller:
        caller.sendall(f"GET http://[/ HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        assert b" 400 " in caller.makefile("rb").readline()
    assert capfd.readouterr() == ("", "")


def test_a_code_is_exchanged_once(page: Registering, vendor: Vendor) -> None:
    """With the right state the app is registered; a second answer changes nothing."""
    answer = back(page, "c1")
    assert "acme[bot] is registered" in answer.text
    assert 'href="https://github.com/apps/acme"' in answer.text
    assert back(page, "c2").status_code == 404
    assert vendor.codes == ["c1"]
    registered = page.wait(0)
    assert registered is not None
    assert dict(registered.secrets) == {"token": "of-nobody"}
    assert httpx.get(page.url).status_code == 404


@pytest.mark.parametrize("state", ["", "another", STATE + "x", "ü"])
def test_another_state_is_refused(page: Registering, vendor: Vendor, state: str) -> None:
    """Who did not begin here cannot slip an app of theirs in."""
    assert back(page, "c1", state).status_code == 403
    assert vendor.codes == []
    assert page.wait(0) is None


def test_another_name_of_this_machine_is_refused(page: Registering, vendor: Vendor) -> None:
    """A page elsewhere whose name leads here reads neither form nor state."""
    headers = {"host": "evil.example:80"}
    assert httpx.get(page.url, headers=headers).status_code == 403
    params = {"code": "c1", "state": STATE}
    assert httpx.get(page.url + BACK, params=params, headers=headers).status_code == 403
    assert vendor.codes == []


def test_a_refused_code_may_be_followed_by_a_good_one(page: Registering, vendor: Vendor) -> None:
    """What the vendor refuses is shown, escaped, and does not end the waiting."""
    answer = back(page, "wrong")
    assert answer.status_code == 502
    assert "no such &lt;code&gt;" in answer.text
    assert page.wait(0) is None
    assert back(page, "good").status_code == 200
    assert vendor.codes == ["wrong", "good"]
