"""Which network addresses may be connected to: those of the public internet.

An address that stands in the configuration is admitted as written; any other may come out of a
message, and must lead neither into this machine nor into the network round it. What is checked is
what is connected to, so that a name cannot change its meaning in between.
"""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

_NAT64: Final = IPv6Network("64:ff9b::/96")
_PUBLIC_METADATA: Final = frozenset({IPv4Address("168.63.129.16")})
"""Azure's virtual machines find their host here, though the address is a public one."""


class AddressForbidden(OSError):
    """The host has no address that may be connected to."""


def is_public(address: str) -> bool:
    """Tell an address of the public internet from private, loopback, link-local and other ones."""
    try:
        parsed = _unwrapped(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    return parsed.is_global and not parsed.is_multicast and parsed not in _PUBLIC_METADATA


def admitted(addresses: Sequence[str], host: str, *, configured: bool) -> tuple[str, ...]:
    """Give those addresses of a host that may be connected to. Raises AddressForbidden."""
    kept = tuple(one for one in addresses if configured or is_public(one))
    if not kept:
        raise AddressForbidden(f"{host} has no public address")
    return kept


def resolve(host: str, port: int, *, configured: bool) -> tuple[str, ...]:
    """Find the addresses of a host that may be connected to, in the order to try.

    Raises AddressForbidden, or socket.gaierror where the name is unknown.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return admitted([str(where[0]) for *_, where in found], host, configured=configured)


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Find the IPv4 address that an IPv6 address only carries."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)
