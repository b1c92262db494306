"""The media server of a Buzz relay, as strict as Buzz: routes, authorisation, limits, refusals.

https://github.com/block/buzz/blob/main/crates/buzz-relay/src/api/media.rs
https://github.com/block/buzz/blob/main/crates/buzz-media/src/error.rs
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from urllib.parse import urlsplit

from tests.stubs.buzz_media_rules import LARGEST, Refused, allowed, imeta_fault, sniffed
from tests.stubs.serving import Answer, Served


@dataclass(slots=True)
class Kept:
    """A stored file; `dim` where it is a picture."""

    body: bytes
    mime: str
    ending: str
    dim: str = ""


@dataclass(slots=True, kw_only=True)
class BuzzMedia(Served):
    """Keeps files for `members`; `strict` as where the relay enforces identities.

    `next` are answers that are given instead of its own to what concerns files, in order.
    `tells_time`: whether its answers are dated; `age`: how old they are, being kept on the way.
    """

    members: set[str] = field(default_factory=set)
    strict: bool = False
    tells_time: bool = True
    age: int = 0
    clock: Callable[[], float] = time.time
    kept: dict[str, Kept] = field(default_factory=dict)
    next: list[Answer] = field(default_factory=list)
    asked: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    puts: int = 0

    def keep(self, body: bytes) -> str:
        """Keep a file and give what stands behind `/media/` of its address."""
        mime, ending = sniffed(body)
        sha256 = hashlib.sha256(body).hexdigest()
        self.kept[sha256] = Kept(body, mime, ending, "1x1" if mime.startswith("image/") else "")
        return f"{sha256}.{ending}"

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request, with the date as the server sees it."""
        try:
            answer = self._answer(method, urlsplit(target).path, headers, body)
        except Refused as refused:
            answer = refused.answer(strict=self.strict)
        if not self.tells_time or answer.status == 0:
            return answer
        dated = {"date": formatdate(self.clock() - self.age, usegmt=True)}
        aged = {"age": str(self.age)} if self.age else {}
        return replace(answer, headers={**dated, **aged, **answer.headers})

    def faults(self, tags: list[list[str]]) -> str:
        """Say what the relay refuses about an event's `imeta` tags, "" for nothing."""
        described = [tag for tag in tags if tag[0] == "imeta"]
        held = {sha: (one.mime, one.ending, len(one.body)) for sha, one in self.kept.items()}
        found = (imeta_fault(tag, f"{self.url}/media", held) for tag in described)
        return next((fault for fault in found if fault), "")

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        if (method, path) == ("GET", "/"):
            assert headers["accept"] == "application/nostr+json"
            return Answer(200, {"name": "a relay", "supported_nips": [1, 11, 42]})
        self.asked.append((method, path, headers))
        if self.next:
            return self.next.pop(0)
        if method == "PUT" and path == "/upload":
            return self._put(headers, body)
        if method == "GET" and path.startswith("/media/"):
            return self._get(path.removeprefix("/media/"), headers)
        return Answer(405, b"")

    def _put(self, headers: Mapping[str, str], body: bytes) -> Answer:
        event = self._allowed("upload", headers)
        claimed = headers.get("x-sha-256", "")
        if not re.fullmatch(r"[0-9a-f]{64}", claimed) or ["x", claimed] not in event["tags"]:
            raise Refused("hash mismatch")
        self._member(event["pubkey"])
        if len(body) > LARGEST:
            raise Refused(f"file too large: {len(body)} bytes (max {LARGEST})", 413)
        if hashlib.sha256(body).hexdigest() != claimed:
            raise Refused("hash mismatch")
        self.puts += 1
        self.keep(body)
        one = self.kept[claimed]
        described = {
            "url": f"{self.url}/media/{claimed}.{one.ending}", "sha256": claimed,
            "size": len(body), "type": one.mime, "uploaded": int(self.clock()),
        }  # fmt: skip
        return Answer(200, described | ({"dim": one.dim} if one.dim else {}))

    def _get(self, place: str, headers: Mapping[str, str]) -> Answer:
        sha256, dot, ending = place.partition(".")
        if not re.fullmatch(r"[0-9a-f]{64}", sha256) or not re.fullmatch(r"[a-z0-9]{0,8}", ending):
            raise Refused("not found", 404)
        event = self._allowed("get", headers)
        if ["x", sha256] not in event["tags"]:
            raise Refused("unauthorized")
        self._member(event["pubkey"])
        one = self.kept.get(sha256)
        if one is None or (dot and ending != one.ending):
            raise Refused("not found", 404)
        return Answer(200, one.body, {"content-type": one.mime})

    def _allowed(self, verb: str, headers: Mapping[str, str]) -> dict[str, list[list[str]]]:
        host = urlsplit(self.url).netloc
        return allowed(verb, headers, host, self.clock(), strict=self.strict)

    def _member(self, pubkey: object) -> None:
        if pubkey not in self.members:
            raise Refused("relay membership required", 403)
