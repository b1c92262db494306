"""Telling Discord our slash commands and where interactions go.

https://docs.discord.com/developers/interactions/application-commands#bulk-overwrite-global-application-commands
https://docs.discord.com/developers/resources/application#edit-current-application
"""

import json
from typing import Literal

from threadline.core.errors import PostRejected
from threadline.core.http import Flow, Lost
from threadline.core.json import Json
from threadline.core.setup import Registration
from threadline.platforms.discord import needs
from threadline.platforms.discord.guide import takes_presses
from threadline.platforms.discord.payload import Fields, snowflake
from threadline.platforms.discord.refusal import Refused, read_any
from threadline.platforms.discord.rest import failure, look, request, send, with_body


def register(app: Registration) -> Flow[str]:
    """Replace the commands, then the address, which Discord tries at once. Raises PostError."""
    if not takes_presses(app):
        raise PostRejected(f"no public_key is stored: {app.store_secrets}")
    seen = yield from look("/applications/@me", app.credentials, "application")
    if isinstance(seen, Refused | Lost):
        raise failure("application", seen, app.credentials, repeatable=True)
    path = f"/applications/{snowflake(seen, 'id')}/commands"
    yield from _told("PUT", path, list(needs.COMMANDS), app)
    try:
        yield from _told("PATCH", "/applications/@me", {"interactions_endpoint_url": app.url}, app)
    except PostRejected as error:
        why = "does the address answer, with the app on and its public_key stored?"
        raise PostRejected(f"{error}: Discord tried {app.url} ({why})") from None
    named = ", ".join(f"/{name}" for name in needs.names())
    return f"Discord sends interactions to {app.url}; registered are {named}"


def _told(
    method: Literal["PUT", "PATCH"], path: str, body: Json, app: Registration
) -> Flow[Fields]:
    asked = request(method, path, app.credentials, "registering", repeatable=True)
    asked = with_body(asked, json.dumps(body).encode(), "application/json")
    answer = read_any((yield from send(asked)))
    if isinstance(answer, Refused | Lost):
        raise failure("registering", answer, app.credentials, repeatable=True)
    return answer
