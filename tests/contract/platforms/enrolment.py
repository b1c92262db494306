"""What a platform tells the contract suite about itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from tests.events import Recorded
from threadline.core.errors import PostError
from threadline.core.http import HttpResponse, Lost
from threadline.core.platform import Posts, ReceivesHttp, Stamps
from threadline.core.posting import Credentials, Destination, Draft


class Codec(ReceivesHttp, Posts, Stamps, Protocol):
    """The abilities that every platform of this suite has."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One of the API's own error shapes and what it means to us; `after` of a RateLimited."""

    name: str
    call: Literal["post", "edit"]
    answer: HttpResponse | Lost
    means: type[PostError]
    after: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """A platform with what the suite needs to try it.

    `credentials` hold every secret of `secrets_needed`; `signed_with` names the one that signs and
    `signature` the header that carries it. `signs_body`: the signature covers the body's bytes.
    `signs_always`: False where an app may do without, on a secret inside the body.
    `own` are recorded cases of our own posts; `twins` are pairs of cases with one message number
    in two chats (none where a number is unique in the world). `visible` gives the text a reader
    sees of a draft; `closed` tells whether its code blocks are whole. `token` is a value that must
    not show in any error. `posted` answers a successful post, call by call; `unchanged` answers an
    edit of post 17 that changes nothing. `renewed` gives another set of signing secrets for a word,
    where the word itself cannot be one.
    """

    platform: Codec
    credentials: Credentials
    signed_with: str
    signature: str
    signs_body: bool
    signs_always: bool = True
    own: Sequence[str]
    twins: Sequence[tuple[str, str]]
    visible: Callable[[Draft], str]
    closed: Callable[[Draft], bool]
    to: Destination
    token: str
    posted: Sequence[HttpResponse]
    failures: Sequence[Failure]
    unchanged: HttpResponse | None = None
    renewed: Callable[[str], Mapping[str, str]] | None = None
    now: float = 1_790_000_000.0

    def signing(self, word: str) -> Mapping[str, str]:
        """Give the secrets that sign, made from a word."""
        return self.renewed(word) if self.renewed else {self.signed_with: word}

    def using(self, recorded: Recorded) -> Credentials:
        """Give the credentials of the app that a recording is for."""
        known = self.credentials.secrets.items()
        secrets = {name: value for name, value in known if name not in recorded.without}
        return replace(self.credentials, secrets=secrets)

    def __str__(self) -> str:
        return self.platform.name
