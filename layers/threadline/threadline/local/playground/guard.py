"""Who may use the playground: a page of its own, on this machine, and nobody else.

Any site open in the same browser can send requests to loopback, and a name of its own may resolve
to it (DNS rebinding). So the request must name us as its host, must come from our own page, and a
write must bear the token that only our page was given.
"""

import hmac
from typing import Final

from aiohttp import web

PAGE: Final = "/playground"
TOKEN: Final = "x-threadline-token"  # noqa: S105 - the header's name

_FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_OWN_SITE: Final = frozenset({"same-origin", "none"})


def hosts(port: int) -> frozenset[str]:
    """Give the names under which the page may be asked for."""
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})


def stranger(request: web.Request) -> str:
    """Say why the request is none of our own page's, "" where it is."""
    transport = request.transport
    if transport is None:
        return "The connection is gone."
    address = transport.get_extra_info("sockname")
    known = hosts(address[1])
    if request.remote != "127.0.0.1" or address[0] != "127.0.0.1":
        return "The playground is for this machine only."
    if any(name in request.headers for name in _FORWARDED):
        return "The playground is not served through a proxy or tunnel."
    if request.headers.getall("host", []) not in [[host] for host in known]:
        return f"The playground is only at http://127.0.0.1:{address[1]}{PAGE}."
    origin = request.headers.get("origin")
    if origin is not None and origin not in {f"http://{host}" for host in known}:
        return "Another site may not use the playground."
    if request.headers.get("sec-fetch-site", "none") not in _OWN_SITE and not _opens_page(request):
        return "Another site may not use the playground."
    return ""


def bears(request: web.Request, token: str) -> bool:
    """Tell whether the page's token comes with the request, in constant time."""
    return _same(request.headers.get(TOKEN, ""), token)


def bears_authorization(request: web.Request, token: str) -> bool:
    """Tell whether the API's token comes with the request, in constant time; none fails."""
    return bool(token) and _same(request.headers.get("authorization", ""), f"Bearer {token}")


def _opens_page(request: web.Request) -> bool:
    """Tell whether somebody follows a link to the page: it cannot be framed or read by others."""
    return (
        request.method == "GET"
        and request.path == PAGE
        and request.headers.get("sec-fetch-mode") == "navigate"
        and request.headers.get("sec-fetch-dest") == "document"
    )


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
