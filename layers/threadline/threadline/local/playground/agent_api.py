"""The API through which answers reach the page; `platforms/playground/api.py` calls it."""

from dataclasses import dataclass
from typing import Final

from aiohttp import web

from threadline.core.ports import Clock
from threadline.core.posting import Tone
from threadline.local.front_door import read_body
from threadline.local.playground import answers
from threadline.local.playground.answers import refusal
from threadline.local.playground.chats import Chats
from threadline.local.playground.stream import Bell
from threadline.platforms.playground.limits import MAX_TEXT
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
        text, tone = answers.text_of(fields, "text"), answers.text_of(fields, "tone")
        if not NAME.fullmatch(chat) or not NAME.fullmatch(nonce) or not reply_to.isdecimal():
            return refusal(422, "chat, nonce or reply_to")
        if why := _fault(text, tone):
            return refusal(422, why)
        post = self.chats.post(chat, text, tone, nonce, int(reply_to), self.clock.now())
        self.bell.ring()
        return answers.json_answer({"id": str(post)})

    async def edit(self, request: web.Request) -> web.StreamResponse:
        """Replace a message; 404 where it does not stand (any more)."""
        fields = answers.fields_of(await read_body(request, BODY_LIMIT))
        text, tone = answers.text_of(fields, "text"), answers.text_of(fields, "tone")
        if why := _fault(text, tone):
            return refusal(422, why)
        post = request.match_info["post"]
        if not self.chats.edit(int(post), text, tone, self.clock.now()):
            return refusal(404, "no such post")
        self.bell.ring()
        return answers.json_answer({"id": post})

    async def file(self, request: web.Request) -> web.StreamResponse:
        """Give a file that was put on the page."""
        stored = self.chats.file(request.match_info["file"])
        if stored is None:
            return refusal(404, "no such file")
        return answers.attachment(stored.name, stored.mime, stored.body, shown=False)


def _fault(text: str, tone: str) -> str:
    if not text.strip() or len(text) > MAX_TEXT:
        return "text"
    return "" if tone in TONES else "tone"
