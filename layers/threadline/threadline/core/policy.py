"""The policy round every flow, written once: admitted hosts, repeats, redirects, redaction."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import urljoin, urlsplit

from threadline.core.errors import ThreadlineError
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, Pause, ask, pause

REPEAT_AFTER: Final = (0.5, 1.5)
LONGEST_WAIT: Final = 2.0
LONGEST_TOLD: Final = 31 * 86_400.0
"""Seconds from which on a time to wait that a server tells is none."""
MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TRANSIENT: Final = frozenset({429, 500, 502, 503, 504})
_SHORTEST_SECRET: Final = 6


@dataclass(frozen=True, slots=True)
class Policy:
    """Where a flow may go. `base_urls` are configured addresses, admitted exactly as written.

    `secrets` are values that are cut out of every error. Times are in seconds.
    """

    api_hosts: frozenset[str] = frozenset()
    file_hosts: frozenset[str] = frozenset()
    base_urls: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)


def guarded[T](flow: Flow[T], policy: Policy) -> Flow[T]:
    """Run a flow under the policy; errors of the flow leave it without secrets.

    A request to an address that is not admitted is answered `Lost("forbidden", sent=False)`.
    A request that certainly was not sent is tried again, and so is a repeatable one.
    """
    try:
        step = next(flow)
        while True:
            if isinstance(step, Pause):
                yield step
                step = flow.send(None)
            else:
                answer = yield from _repeated(step, policy)
                step = flow.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    except ThreadlineError as error:
        error.args = tuple(redact(str(arg), policy.secrets) for arg in error.args)
        raise


def redact(text: str, secrets: Iterable[str]) -> str:
    """Cut secret values out of a text; values shorter than six characters are left alone."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    return text


def admitted(request: HttpRequest, policy: Policy) -> HttpRequest | None:
    """Give the request as it may be sent, or None where its address is not admitted."""
    if any(_under(request.url, base) for base in policy.base_urls):
        return replace(request, configured=True)
    try:
        parts = urlsplit(request.url)
        port = parts.port
    except ValueError:
        return None
    hosts = policy.file_hosts if request.public else policy.api_hosts
    if parts.scheme != "https" or parts.username is not None or port not in {None, 443}:
        return None
    return request if admitted_host(parts.hostname or "", hosts) else None


def over_http(base_url: str) -> str:
    """Give the address of a relay's host over HTTP, where its files are; "" for any other one."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return ""
    if parts.scheme not in {"ws", "wss"}:
        return ""
    host, plain = parts.netloc.rpartition("@")[2].lower(), parts.scheme == "ws"
    return f"{'http' if plain else 'https'}://{host.removesuffix(':80' if plain else ':443')}"


def admitted_host(host: str, hosts: Iterable[str]) -> bool:
    """Tell whether a host is listed; a name that begins with a dot stands for all under it."""
    return any(host == name or (name[:1] == "." and host.endswith(name)) for name in hosts)


def retry_after(response: HttpResponse, default: float = 1.0) -> float:
    """Read `Retry-After` in seconds; a date or nonsense gives the default."""
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return default
    return max(seconds, 0.0) if seconds < LONGEST_TOLD else default


def _under(url: str, base: str) -> bool:
    base = base.rstrip("/")
    return bool(base) and (url == base or url.startswith((base + "/", base + "?")))


def _repeated(request: HttpRequest, policy: Policy) -> Flow[HttpResponse | Lost]:
    for shortest in REPEAT_AFTER:
        answer = yield from _redirected(request, policy)
        if not _worth_repeating(request, answer):
            return answer
        wait = shortest
        if isinstance(answer, HttpResponse):
            wait = max(shortest, retry_after(answer, shortest))
        if wait > LONGEST_WAIT:
            return answer
        yield from pause(wait)
    return (yield from _redirected(request, policy))


def _worth_repeating(request: HttpRequest, answer: HttpResponse | Lost) -> bool:
    if isinstance(answer, Lost):
        if answer.why in {"forbidden", "too_large"}:
            return False
        return request.repeatable or not answer.sent
    if answer.status == 429 and "retry-after" not in answer.headers:
        return False  # the body may say how long: only the platform can read it
    return request.repeatable and answer.status in _TRANSIENT


def _redirected(request: HttpRequest, policy: Policy) -> Flow[HttpResponse | Lost]:
    """Follow redirects of public downloads only, each hop admitted anew, without headers."""
    for _ in range(MOST_REDIRECTS + 1):
        allowed = admitted(request, policy)
        if allowed is None:
            return Lost("forbidden", sent=False)
        answer = yield from ask(allowed)
        if isinstance(answer, Lost) or answer.status not in _REDIRECTS or not request.public:
            return answer
        try:
            target = urljoin(request.url, answer.headers.get("location", ""))
        except ValueError:
            break
        request = replace(request, url=target, headers={})
    return Lost("forbidden", sent=False)
