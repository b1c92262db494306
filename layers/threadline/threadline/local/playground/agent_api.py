"""The API through which answers reach the page; `platforms/playground/api.py` calls it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from threadline.core.ports import Clock
from threadline.core.posting import Tone
from threadline.local.playground import answers
from threadline.local.playground.answers import refusal
from threadline.local.playground.chats import Chats, Words
from threadline.local.playground.stream import Bell
from threadline.local.uploads import read_body
from threadline.platforms.playground.limits import LONGEST_OPTION, MAX_TEXT, MOST_OPTIONS
from threadline.platforms.playground.parse import NAME

BODY_LIMIT: Final = 200_000
TONES: Final = frozenset(str(tone) for tone in Tone)


@dataclass(frozen=True, slots=True)
class AgentApi:
    """Strict, so that a fault of the codec shows; who may call it is the caller's concern."""

    chats: Chats
    clock: Clock
    bell: Bell

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Add a message; the same nonce gives the one that stands."""
        fields = answers.fields_of(await read_body(request, BODY_LIMIT))
        chat, nonce = request.match_info["chat"], answers.text_of(fields, "nonce")
        reply_to = answers.text_of(fields, "reply_to") or "0"
        words = _words(fields)
        if not NAME.fullmatch(chat) or not NAME.fullmatch(nonce) or not reply_to.isdecimal():
            return refusal(422, "chat, nonce or reply_to")
        if words is None:
            return refusal(422, "text, tone or options")
        post = self.chats.post(chat, words, nonce, int(reply_to), self.clock.now())
        self.bell.ring()
        return answers.json_answer({"id": str(post)})

    async def edit(self, request: web.Request) -> web.StreamResponse:
        """Replace a message; 404 where it does not stand (any more)."""
        fields = answers.fields_of(await read_body(request, BODY_LIMIT))
        words = _words(fields)
        if words is None:
            return refusal(422, "text, tone or options")
        post = request.match_info["post"]
        if not self.chats.edit(int(post), words, self.clock.now()):
            return refusal(404, "no such post")
        self.bell.ring()
        return answers.json_answer({"id": post})

    async def file(self, request: web.Request) -> web.StreamResponse:
        """Give a file that was put on the page."""
        stored = self.chats.file(request.match_info["file"])
        if stored is None:
            return refusal(404, "no such file")
        return answers.attachment(stored.name, stored.mime, stored.body, shown=False)


def _words(fields: Mapping[str, Any]) -> Words | None:
    """Read what the agent says, None where any of it is not as the codec renders it."""
    text, tone = answers.text_of(fields, "text"), answers.text_of(fields, "tone")
    options = fields.get("options", [])
    if not text.strip() or len(text) > MAX_TEXT or tone not in TONES:
        return None
    if not isinstance(options, list) or len(options) > MOST_OPTIONS:
        return None
    if not all(isinstance(one, str) and 0 < len(one) <= LONGEST_OPTION for one in options):
        return None
    return Words(text, tone, tuple(options))
