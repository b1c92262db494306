"""The page's side as a platform: a typed message becomes a signed delivery at the front door."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import aiohttp

from threadline.app.configure.surroundings import DEFAULT_APP
from threadline.core.message import Webhook
from threadline.core.ports import Clock, Secrets
from threadline.core.posting import Credentials
from threadline.local.playground.chats import Said
from threadline.platforms.playground import PLATFORM
from threadline.platforms.playground.limits import PERSON, TOKEN
from threadline.platforms.playground.verify import SECRET

ENTRY: Final = f"{PLATFORM.name}/{DEFAULT_APP}"
WEBHOOK: Final = f"/webhooks/{PLATFORM.name}"
WITHIN: Final = 15.0

_WORDS: Final = {
    404: "The playground is switched off in the configuration.",
    401: "The front door did not accept the signature; start Threadline again.",
    503: "Threadline could not store the message; try again.",
}


def make_secrets(secrets: Secrets, random: Callable[[], str]) -> None:
    """See to it that the page can sign and the API can be used; `random` gives a fresh secret."""
    known = dict(secrets.get(ENTRY))
    made = {name: known.get(name) or random() for name in (SECRET, TOKEN)}
    if any(known.get(name) != value for name, value in made.items()):
        secrets.put(ENTRY, {**known, **made})


def delivery_of(said: Said) -> str:
    """Give the id under which a message's delivery is known everywhere."""
    return f"{PLATFORM.name}-{DEFAULT_APP}-{said.id}"


@dataclass(frozen=True, slots=True)
class Delivers:
    """Signs and sends."""

    secrets: Secrets
    clock: Clock

    async def __call__(self, said: Said, front_door: str) -> str:
        """Send a message to the front door's address; "" where it was taken, else why not."""
        signed = PLATFORM.stamp(
            Webhook("POST", WEBHOOK, {}, {"content-type": "application/json"}, _body(said)),
            self._credentials(),
            self.clock.now(),
        )
        within = aiohttp.ClientTimeout(total=WITHIN)
        try:
            async with (
                aiohttp.ClientSession(timeout=within) as session,
                session.post(
                    front_door + WEBHOOK, data=signed.body, headers=dict(signed.headers)
                ) as answer,
            ):
                status = answer.status
        except (aiohttp.ClientError, TimeoutError):
            return "The front door did not answer; try again."
        return "" if status == 200 else _WORDS.get(status, f"The front door answered {status}.")

    def _credentials(self) -> Credentials:
        return Credentials(PLATFORM.name, DEFAULT_APP, secrets=self.secrets.get(ENTRY))


def _body(said: Said) -> bytes:
    fields = {
        "type": "message",
        "id": said.id,
        "chat": said.chat,
        "at": said.at,
        "from": {"id": PERSON, "name": "You"},
        "text": said.text,
        "files": list(said.files),
    }
    return json.dumps(fields).encode()
