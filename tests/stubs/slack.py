"""A strict Slack: the Web API on 127.0.0.1 or within the process, refusing what the real one does.

with SlackStub() as slack:
    slack.add_channel("C0GENERAL1")
    event = slack.say("C0GENERAL1", "<@U0BOT0001> hello")     # the event_callback to be sent
    slack.fault("chat.postMessage", Fault.word("fatal_error"))
    ...                                                        # base_url=slack.url, slack.token
    assert [post.text for post in slack.shown("C0GENERAL1")] == ["hello", "hello back"]
"""

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any, Literal, Self

from tests import planted
from tests.stubs.serving import Answer, Served
from tests.stubs.slack_channels import (
    APP,
    BOT,
    BOT_ID,
    TEAM,
    Channel,
    Channels,
    Rates,
    Shown,
    TooMany,
)
from tests.stubs.slack_http import respond
from tests.stubs.slack_rules import BY_FORM_ONLY, Refusal, refused, too_many
from tests.stubs.slack_scopes import EVERY, OF_SOCKETS, check_scope, check_socket

ADA = "U0ADA0001"


@dataclass(frozen=True, slots=True)
class Call:
    """A call that came in, in order; `at` by the stub's clock, `status` of the answer (0: none)."""

    method: str
    parameters: Mapping[str, Any]
    at: float
    status: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with a call: an answer instead of its effect, or no answer after it."""

    answer: Answer
    takes_effect: bool = False

    @classmethod
    def word(cls, error: str, *, takes_effect: bool = False) -> Self:
        """Refuse with a word of Slack's; `fatal_error` may come after the call took effect."""
        return cls(refused(error), takes_effect)

    @classmethod
    def status(cls, status: int) -> Self:
        """Answer with this status and a page; nothing was done."""
        return cls(Answer(status, b"<html>"))

    @classmethod
    def too_many(cls, seconds: int) -> Self:
        """Ask to wait; nothing was done."""
        return cls(too_many(seconds))

    @classmethod
    def drop(cls, when: Literal["before", "after"]) -> Self:
        """Close the connection without an answer, before or after the call took effect."""
        return cls(Answer(0), takes_effect=when == "after")


@dataclass(slots=True, kw_only=True)
class SlackStub(Served):
    """One workspace with the app in it. Enter it to serve over HTTP.

    `edits_a_minute` is for the whole workspace. `dedupes`: a repeated `client_msg_id` gives the
    first post again, which Slack does but does not promise. `scopes` are the bot token's,
    `app_scopes` the app-level token's; without `socket_mode` no connection can be opened.
    """

    token: str = "xoxb-0000000000-of-nobody"
    app_token: str = "xapp-0000000000-of-nobody"
    edits_a_minute: int = 50
    scopes: set[str] = field(default_factory=lambda: set(EVERY))
    app_scopes: set[str] = field(default_factory=lambda: {OF_SOCKETS})
    socket_mode: bool = True
    clock: Callable[[], float] = time.time
    calls: list[Call] = field(default_factory=list)
    socket_url: str = ""
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    channels: Channels = field(init=False)
    _faults: dict[str, deque[Fault]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)
    _events: int = 0

    def __post_init__(self) -> None:
        self.channels = Channels(
            self.clock, Rates(self.clock, 5, 5.0), Rates(self.clock, self.edits_a_minute, 60.0)
        )

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request; header names in lower case."""
        del method
        return respond(self, target.partition("?")[0], headers, body)

    def add_channel(self, channel: str, *, joined: bool = True) -> Channel:
        """Let a channel be there: `C…`, a direct message `D…`, or a group's `G…`."""
        made = Channel(channel, joined)
        self.channels.channels[channel] = made
        return made

    def shown(self, channel: str) -> list[Shown]:
        """Give what people see in a channel, oldest first."""
        return list(self.channels.channels[channel].posts.values())

    def calls_of(self, *methods: str) -> list[Call]:
        """Give the calls of these methods."""
        return [call for call in self.calls if call.method in methods]

    def fault(self, method: str, fault: Fault, times: int = 1) -> None:
        """Let the next calls of a method go wrong."""
        self._faults.setdefault(method, deque()).extend([fault] * times)

    def say(
        self, channel: str, text: str, *, user: str = ADA, thread: str = "", **more: Any
    ) -> dict[str, Any]:
        """Let a person write; the event is given back, to be delivered as a test likes."""
        planted.words(text)
        place = self.channels.channels[channel]
        shown = Shown(self.channels.take_ts(), text, user, thread)
        place.posts[shown.ts] = shown
        root = place.posts.get(thread)
        below = {"thread_ts": thread, "parent_user_id": root.user} if root else {}
        return self.envelope(
            {
                "type": "message", "user": user, "text": text, "ts": shown.ts, "team": TEAM,
                "channel": channel, "event_ts": shown.ts, "channel_type": place.kind, **below,
                **more,
            }
        )  # fmt: skip

    def mention_of(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Give the `app_mention` of the post that an event tells of."""
        inner = {**event["event"], "type": "app_mention"}
        inner.pop("channel_type", None)
        return self.envelope(inner)

    def envelope(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Put an event into an envelope under a new id."""
        self._events += 1
        return {
            "type": "event_callback", "team_id": TEAM, "api_app_id": APP, "event": dict(event),
            "event_id": f"Ev{self._events:09d}", "event_time": int(self.clock()),
            "authorizations": [
                {"enterprise_id": None, "team_id": TEAM, "user_id": BOT, "is_bot": True,
                 "is_enterprise_install": False},
            ],
        }  # fmt: skip

    def add_file(self, file: str, content: bytes, mime: str = "text/plain", **more: Any) -> None:
        """Let a file be fetched."""
        address = f"{self.url or 'http://slack.test'}/files/{file}"
        self.contents[file] = content
        self.files[file] = {
            "id": file, "name": file, "mimetype": mime, "size": len(content),
            "url_private_download": address, **more,
        }  # fmt: skip

    def answer(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        """Answer a call, which is then on the list of calls."""
        with self._lock:
            queued = self._faults.get(method)
            fault = queued.popleft() if queued else None
            answer = Answer()
            if fault is None or fault.takes_effect:
                answer = self._done(token, method, parameters)
            if fault is not None:
                answer = fault.answer
            self.calls.append(Call(method, parameters, self.clock(), answer.status))
            return answer

    def download(self, token: str, file: str) -> Answer:
        """Answer a download; who is not signed in gets a page to sign in on, with status 200."""
        if token != self.token or file not in self.contents:
            return Answer(200, b"<!DOCTYPE html>", {"content-type": "text/html; charset=utf-8"})
        mime = self.files[file]["mimetype"]
        return Answer(200, self.contents[file], {"content-type": mime})

    def take_upload(self, file: str, content: bytes) -> Answer:
        """Take the bytes of a file for which an address was asked."""
        if file not in self.files or len(content) != self.files[file]["size"]:
            return Answer(400, b"bad request")
        self.contents[file] = content
        return Answer(200, f"OK - {len(content)}".encode())

    def _done(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        if not token:
            return refused("not_authed")
        sockets = method == "apps.connections.open"
        if sockets and token == self.token:
            return refused("not_allowed_token_type")
        if token != (self.app_token if sockets else self.token):
            return refused("invalid_auth")
        if method in BY_FORM_ONLY and not all(isinstance(one, str) for one in parameters.values()):
            return refused("invalid_arguments")
        scopes = self.app_scopes if sockets else self.scopes
        told = {"x-oauth-scopes": ",".join(sorted(scopes))}
        try:
            check_scope(method, self._kind(parameters), scopes)
            return Answer(200, {"ok": True, **self._result(method, parameters)}, told)
        except (Refusal, TooMany) as refusal:
            return replace(refusal.answer, headers={**refusal.answer.headers, **told})

    def _kind(self, parameters: Mapping[str, Any]) -> str:
        """Give the kind of the conversation that a call is about."""
        found = self.channels.channels.get(str(parameters.get("channel", "")))
        return found.kind if found else "channel"

    def _result(self, method: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        match method:
            case "auth.test":
                return {
                    "url": "https://acme.slack.com/", "team": "Acme", "user": "threadline",
                    "team_id": TEAM, "user_id": BOT, "bot_id": BOT_ID,
                    "is_enterprise_install": False,
                }  # fmt: skip
            case "chat.postMessage" | "chat.postEphemeral" | "chat.update":
                return self._said(method, parameters)
            case "reactions.add":
                return self.channels.react(parameters)
            case "conversations.replies" | "conversations.history":
                return self.channels.history(method, parameters)
            case "files.info":
                return {"file": self._file(str(parameters.get("file")))}
            case "files.getUploadURLExternal":
                return self._ticket(parameters)
            case "files.completeUploadExternal":
                return self._shared(parameters)
            case "apps.connections.open":
                check_socket(self.app_scopes, on=self.socket_mode)
                return {"url": self.socket_url}
            case _:
                raise Refusal("unknown_method", req_method=method)

    def _said(self, method: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        if method == "chat.update":
            return self.channels.edit(parameters)
        whispered = method == "chat.postEphemeral"
        return (self.channels.whisper if whispered else self.channels.post)(parameters)

    def _file(self, file: str) -> Mapping[str, Any]:
        if file not in self.files:
            raise Refusal("file_not_found")
        return self.files[file]

    def _ticket(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        size = int(parameters.get("length", 0))
        if size < 1 or not parameters.get("filename"):
            raise Refusal("invalid_arguments")
        file = f"F{len(self.files):09d}"
        self.files[file] = {"id": file, "name": parameters["filename"], "size": size}
        address = f"{self.url or 'http://slack.test'}/upload/{file}"
        return {"upload_url": address, "file_id": file}

    def _shared(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        channel = self.channels.find(parameters.get("channel_id"))
        for one in parameters.get("files", []):
            if one.get("id") not in self.contents:
                raise Refusal("file_not_found")
            thread = str(parameters.get("thread_ts", ""))
            shown = Shown(self.channels.take_ts(), "", BOT, thread, file=one["id"])
            channel.posts[shown.ts] = shown
        return {"files": parameters["files"]}
