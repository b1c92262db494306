"""Where a request may go that no configuration names."""

import socket

import pytest

from tests.unit.http.conftest import Perform
from tests.unit.http.wire import Connection, serving
from threadline.backends.addresses import AddressForbidden, admitted, is_public
from threadline.core.http import HttpRequest, HttpResponse, Lost


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"],
)
def test_the_internet_is_public(address: str) -> None:
    """Global addresses may be connected to, also where IPv6 only carries them."""
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.1.2.3", "0.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",
        "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16",
        "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "203.0.113.1",
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2001:0:0:0:0:0:80ff:fffe", "2001:db8::1", "not an address", "",
    ],
)  # fmt: skip
def test_everything_else_is_not(address: str) -> None:
    """Private, loopback, link-local, metadata, multicast and wrapped ones are not connected to."""
    assert not is_public(address)


def test_only_public_addresses_of_a_host_are_kept() -> None:
    """A host with both kinds is reached by its public ones, a configured one by all."""
    mixed = ["10.0.0.1", "1.1.1.1"]
    assert admitted(mixed, "h", configured=False) == ("1.1.1.1",)
    assert admitted(mixed, "h", configured=True) == ("10.0.0.1", "1.1.1.1")
    for none in (["10.0.0.1"], []):
        with pytest.raises(AddressForbidden):
            admitted(none, "h", configured=False)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0"]
)
def test_this_machine_is_forbidden_unless_configured(perform: Perform, host: str) -> None:
    """However this machine is written, nothing connects to it."""
    with serving(lambda connection: connection.answer()) as wire:
        url = f"http://{host}:{wire.port}/"
        assert perform(HttpRequest("GET", url, "test")) == [Lost("forbidden", sent=False)]
    assert wire.accepted == 0


def test_a_connection_to_a_configured_address_serves_no_other_request(perform: Perform) -> None:
    """A request that may not go there finds no open connection to go by."""

    def stays_open(connection: Connection) -> None:
        connection.answer()
        connection.ended_within(0.3)

    with serving(stays_open) as wire:
        first, second = perform(
            HttpRequest("GET", wire.url, "test", configured=True),
            HttpRequest("GET", wire.url, "test"),
        )
    assert isinstance(first, HttpResponse)
    assert second == Lost("forbidden", sent=False)


@pytest.mark.parametrize(
    "url",
    ["ftp://1.1.1.1/x", "file:///etc/passwd", "http://", "http:///x", "http://[::1", "x",
     "http://hößt.example/", "http://h:99999/", "http://h:port/", "http://a..b/", "http://./",
     f"http://{'x' * 70}.example/"],
)  # fmt: skip
def test_what_is_no_address_of_http_is_forbidden(perform: Perform, url: str) -> None:
    """Other schemes and broken addresses never leave this process."""
    answers = perform(HttpRequest("GET", url, "test", configured=True))
    assert answers == [Lost("forbidden", sent=False)]


def test_a_name_is_looked_up_once(perform: Perform, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was checked is connected to, even if the name means something else a moment later."""
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: str, *args: object, **kwargs: object) -> object:
        if host != "rebinding.example":
            return real(host, *args, **kwargs)  # type: ignore[arg-type]
        looked_up.append(host)
        address = "127.0.0.1" if len(looked_up) == 1 else "127.0.0.2"
        return real(address, *args, **kwargs)  # type: ignore[arg-type]

    with serving(lambda connection: connection.answer()) as wire:
        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        url = f"http://rebinding.example:{wire.port}/"
        (answer,) = perform(HttpRequest("GET", url, "test", configured=True))
    assert isinstance(answer, HttpResponse)
    assert looked_up == ["rebinding.example"]
    assert b"host: rebinding.example" in wire.requests[0].lower()


def test_the_next_address_is_tried(perform: Perform, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host whose first address does not answer is reached by its second."""
    real = socket.getaddrinfo

    def two(host: str, *args: object, **kwargs: object) -> object:
        addresses = ("127.0.0.2", "127.0.0.1") if host == "two.example" else (host,)
        return [found for one in addresses for found in real(one, *args, **kwargs)]  # type: ignore[arg-type]

    with serving(lambda connection: connection.answer()) as wire:
        monkeypatch.setattr(socket, "getaddrinfo", two)
        url = f"http://two.example:{wire.port}/"
        (answer,) = perform(HttpRequest("GET", url, "test", configured=True))
    assert isinstance(answer, HttpResponse)
