"""What a platform tells the contract suite about itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from tests.events import Recorded
from tests.flows import Answer
from threadline.core.errors import PostError
from threadline.core.platform import Parses, Posts, ReceivesHttp, Stamps
from threadline.core.posting import Credentials, Destination, Draft


class Codec(Parses, Posts, Stamps, Protocol):
    """The abilities that every platform of this suite has."""


class WebhookCodec(ReceivesHttp, Posts, Stamps, Protocol):
    """The abilities of a platform that knocks."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One of the API's own error shapes and what it means to us; `after` of a RateLimited."""

    name: str
    call: Literal["post", "edit"]
    answer: Answer
    means: type[PostError]
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Held:
    """What the suite needs to try the connection that we hold to a platform.

    `secret` is the one without which there is no connection, and `shown`: it is said to the other
    side. Frames with `signed` hold somebody's signature at this place in them: nothing in there
    may be changed. `own` are recorded connections that bring only our own posts.
    """

    secret: str
    shown: bool = False
    signed: int | None = None
    own: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """A platform with what the suite needs to try it.

    `own` are recorded cases of our own posts; `twins` are pairs of cases with one message number
    in two chats (none where a number is unique in the world). `visible` gives the text a reader
    sees of a draft; `closed` tells whether its code blocks are whole. `token` is a value that must
    not show in any error. `posted` answers a successful post, call by call; `unchanged` answers an
    edit of post 17 that changes nothing. `held`: the platform holds a connection, too.
    """

    platform: Codec
    credentials: Credentials
    own: Sequence[str]
    twins: Sequence[tuple[str, str]]
    visible: Callable[[Draft], str]
    closed: Callable[[Draft], bool]
    to: Destination
    token: str
    posted: Sequence[Answer]
    failures: Sequence[Failure]
    unchanged: Answer | None = None
    held: Held | None = None
    now: float = 1_790_000_000.0

    def using(self, recorded: Recorded) -> Credentials:
        """Give the credentials of the app that a recording is for."""
        known = self.credentials.secrets.items()
        secrets = {name: value for name, value in known if name not in recorded.without}
        return replace(self.credentials, secrets=secrets)

    def __str__(self) -> str:
        return self.platform.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Knocking(Enrolment):
    """A platform that sends webhooks.

    `credentials` hold every secret of `secrets_needed`; `signed_with` names the one that signs and
    `signature` the header that carries it. `signs_body`: the signature covers the body's bytes.
    `signs_always`: False where an app may do without, on a secret inside the body. `renewed` gives
    another set of signing secrets for a word, where the word itself cannot be one.
    """

    platform: WebhookCodec
    signed_with: str
    signature: str
    signs_body: bool
    signs_always: bool = True
    renewed: Callable[[str], Mapping[str, str]] | None = None

    def signing(self, word: str) -> Mapping[str, str]:
        """Give the secrets that sign, made from a word."""
        return self.renewed(word) if self.renewed else {self.signed_with: word}
