"""What a strict GitHub remembers: repositories, conversations, comments, reactions, tokens."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

MAX_BODY = 65_536
REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
DOCUMENTATION = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, headers and JSON; `body` None means that the connection is closed instead."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """Ends a call with an error answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def refused(status: int, message: str, **more: Any) -> Answer:
    """Give an error in GitHub's shape; `headers` may come along."""
    headers = more.pop("headers", {})
    body = {"message": message, **more, "documentation_url": DOCUMENTATION, "status": str(status)}
    return Answer(status, body, headers)


def invalid(resource: str, name: str, message: str = "") -> Refusal:
    """Give the 422 of a field that is missing or wrong."""
    fault = {"resource": resource, "field": name, "code": "missing_field"}
    if message:
        fault |= {"code": "unprocessable", "message": message}
    return Refusal(refused(422, "Validation Failed", errors=[fault]))


def not_found() -> Refusal:
    """Give the 404 of what is not there, or not for this token."""
    return Refusal(refused(404, "Not Found"))


@dataclass(slots=True)
class Comment:
    """A comment in a conversation, or on a diff where `review` says so."""

    id: int
    author: str
    body: str
    created_at: str
    review: bool = False
    reply_to: int | None = None
    reactions: list[tuple[str, str]] = field(default_factory=list)

    def shown(self) -> dict[str, Any]:
        """Give the comment as the API shows it."""
        kind = "Bot" if self.author.endswith("[bot]") else "User"
        plain: dict[str, Any] = {
            "id": self.id,
            "body": self.body,
            "user": {"login": self.author, "id": 1, "type": kind},
            "created_at": self.created_at,
            "updated_at": self.created_at,
        }
        return plain | ({"in_reply_to_id": self.reply_to} if self.reply_to else {})


@dataclass(slots=True)
class Conversation:
    """An issue or pull request."""

    number: int
    pull: bool = False
    locked: bool = False
    deleted: bool = False
    comments: list[Comment] = field(default_factory=list)
    reactions: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Repository:
    """A repository, by the name and id it has now."""

    name: str
    id: int
    conversations: dict[int, Conversation] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """Everything there is; `now` is the stub's own clock in epoch seconds."""

    now: float = 1_790_000_000.0
    repositories: dict[str, Repository] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)
    apps: set[str] = field(default_factory=set)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(9_000_001))

    def repository(self, name: str) -> Repository:
        """Find a repository, its name in any case. Raises Refusal."""
        for known in self.repositories.values():
            if known.name.lower() == name.lower():
                return known
        raise not_found()

    def conversation(self, repository: str, number: int, *, pull: bool = False) -> Conversation:
        """Find an issue or pull request. Raises Refusal."""
        found = self.repository(repository).conversations.get(number)
        if found is None or (pull and not found.pull):
            raise not_found()
        if found.deleted:
            raise Refusal(refused(410, "This issue was deleted"))
        return found

    def comment(
        self, repository: str, number: int, *, review: bool
    ) -> tuple[Conversation, Comment]:
        """Find a comment and where it stands. Raises Refusal."""
        for conversation in self.repository(repository).conversations.values():
            for comment in conversation.comments:
                if comment.id == number and comment.review is review:
                    return conversation, comment
        raise not_found()

    def add(
        self,
        where: Conversation,
        author: str,
        body: str,
        *,
        review: bool = False,
        reply_to: int | None = None,
    ) -> Comment:
        """Put a comment at the end of a conversation."""
        made = datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        comment = Comment(next(self.ids), author, body, made, review, reply_to)
        where.comments.append(comment)
        return comment


def body_of(parameters: Mapping[str, Any], resource: str) -> str:
    """Give the text of a comment. Raises Refusal for none, or one that is too long."""
    body = parameters.get("body")
    if not isinstance(body, str) or not body.strip():
        raise invalid(resource, "body")
    if len(body) > MAX_BODY:
        raise invalid(resource, "body", f"Body is too long (maximum is {MAX_BODY} characters)")
    return body


def react(reactions: list[tuple[str, str]], author: str, parameters: Mapping[str, Any]) -> Answer:
    """Add a reaction: 201, or 200 where this author has it there already."""
    content = parameters.get("content")
    if content not in REACTIONS:
        raise invalid("Reaction", "content", "content is not included in the list")
    known = (author, str(content)) in reactions
    if not known:
        reactions.append((author, str(content)))
    return Answer(200 if known else 201, {"id": 1, "content": content, "user": {"login": author}})
