"""Whether the relay can be reached, lets the key in, and has channels for it, and files.

https://github.com/nostr-protocol/nips/blob/master/42.md
"""

import json
from typing import Final

from threadline.core.errors import CredentialsRejected, PlatformUnavailable, PostError, PostUnknown
from threadline.core.http import Flow
from threadline.core.json import Json
from threadline.core.setup import Finding, Registration
from threadline.platforms.buzz import api, frames, transfer
from threadline.platforms.buzz.closed import wants_auth
from threadline.platforms.buzz.event import CHANNEL, signer
from threadline.platforms.buzz.guide import public_key

LOOK: Final = "buzz-look"


def examine(app: Registration) -> Flow[tuple[Finding, ...]]:
    """Look at the key and the relay. Raises CredentialsRejected for a key that is none."""
    by = signer(app.credentials)
    account = Finding("account", f"is {public_key(app)}")
    relay = app.credentials.base_url
    try:
        words = yield from _look(app)
        if _is_closed(words) and wants_auth(_reason(words)):
            proven = yield from api.prove(by, app.credentials)
            if not proven.taken:
                return (account, _not_let_in(relay, proven.reason))
            words = yield from _look(app)
    except (PlatformUnavailable, PostUnknown) as error:
        remedy = "base_url must be the address of the relay, and the relay must be up"
        return (account, Finding("relay", f"{relay}: {error}", remedy))
    if _is_closed(words):
        return (account, _not_let_in(relay, _reason(words)))
    files = yield from _files(app)
    return (account, Finding("relay", f"{relay} lets it in"), _channels(words), files)


def _look(app: Registration) -> Flow[list[Json]]:
    """Ask for one channel: the answer is one, the end of none, or a refusal."""
    wanted = json.dumps(["REQ", LOOK, {"kinds": [CHANNEL], "limit": 1}])
    answer = yield from api.exchange(wanted, LOOK, "look", app.credentials)
    return frames.decode(answer.body) or []


def _files(app: Registration) -> Flow[Finding]:
    """Look for the media server; a relay may do without one."""
    try:
        missing = yield from transfer.look(app.credentials)
    except CredentialsRejected as error:
        remedy = "make the key a member of the relay; base_url must be what the relay calls itself"
        return Finding("files", f"are refused: {error}", remedy)
    except PostError as error:
        missing = str(error)
    if missing:
        return Finding("files", f"neither come nor go: {missing}", asked=False)
    return Finding("files", "come and go by the relay's media server")


def _is_closed(words: list[Json]) -> bool:
    return words[:1] == ["CLOSED"]


def _reason(words: list[Json]) -> str:
    return words[2] if len(words) > 2 and isinstance(words[2], str) else ""


def _not_let_in(relay: str, reason: str) -> Finding:
    remedy = (
        "add the public key to the workspace; base_url must be exactly what the relay calls itself"
    )
    return Finding("relay", f"{relay} does not let it in: {reason[:200]}", remedy)


def _channels(words: list[Json]) -> Finding:
    if words[:1] == ["EVENT"]:
        return Finding("channels", "there are some")
    return Finding("channels", "none", "have the bot's public key added to a channel")
