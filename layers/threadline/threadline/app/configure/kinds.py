"""What the configuration must know of each platform: one row of a table.

What a platform does is its own folder's business; here stands what may be written about it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from threadline.core.bech32 import hex_key
from threadline.core.settings import Allow, Busy, ReplyMode


@dataclass(frozen=True, slots=True)
class Ids:
    """How a platform writes ids: a pattern, words for it, and what makes many spellings one."""

    pattern: str
    words: str
    normal: Callable[[str], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretName:
    """One secret of an entry: `ask` is what a person is asked for.

    `made`: a random one is made where none is given. `verifies`: deliveries are known by it, so
    that the former one stays valid while it is being replaced, as one that is made does.
    `from_file`: several lines, so a path is taken as well.
    """

    name: str
    ask: str
    made: bool = False
    verifies: bool = False
    from_file: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A platform as the configuration sees it.

    `needs` are the secrets without which an app is off, by transport: the first is taken where
    everything runs on one machine, else the last. `posts_with`: without one of these sets of
    secrets nothing can be posted. `allow` holds where no list says otherwise; `chats_admit`: then
    the people of a chat that a binding names may talk in it. `may_allow` are the one-word lists
    that mean something there. `by_default`: an app without a binding answers with the only agent.
    `recursion_limit` is the least a run is given unless its binding says so. `events` are those
    that may trigger a binding. `options` are what an app may choose besides, and from what: from
    nothing is any text. `own_address`: an installation has its own, a socket's, as `base_url`.
    """

    secrets: tuple[SecretName, ...] = ()
    needs: Mapping[str, tuple[str, ...]]
    posts_with: tuple[tuple[str, ...], ...] = ()
    allow: Allow
    chats_admit: bool = False
    may_allow: tuple[str, ...]
    place: Literal["chats", "repositories"] = "chats"
    by_default: bool = True
    only_local: bool = False
    busy: Busy = Busy.QUEUE
    replies: tuple[ReplyMode, ...] = (ReplyMode.CHAT, ReplyMode.COMMENT, ReplyMode.LOG)
    recursion_limit: int = 100
    events: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own_address: bool = False
    sender: Ids
    chat: Ids

    @property
    def fans_out(self) -> bool:
        """Whether several agents may answer in one place, each on its own events."""
        return self.place == "repositories"


_WEBHOOK_SECRET: Final = SecretName(name="webhook_secret", ask="webhook secret", made=True)
_TEXT: Final = Ids(r".+", "a text")


def _nostr_key(spelled: str) -> str:
    return hex_key(spelled, "npub") or spelled


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "playground": Kind(
            needs={"webhook": ()},
            allow=Allow(everyone=True),
            may_allow=("everyone",),
            only_local=True,
            sender=_TEXT,
            chat=_TEXT,
        ),
        "telegram": Kind(
            secrets=(
                SecretName(name="bot_token", ask="bot token, as @BotFather gave it"),
                _WEBHOOK_SECRET,
            ),
            needs={"polling": ("bot_token",), "webhook": ("bot_token", "webhook_secret")},
            allow=Allow(admitted=True),
            chats_admit=True,
            may_allow=("everyone", "admitted"),
            sender=Ids(r"[1-9][0-9]*", "a user's number, not a name, such as 123456789"),
            chat=Ids(r"-?[1-9][0-9]*", "a chat's number, such as -1001234567890"),
        ),
        "feishu": Kind(
            secrets=(
                SecretName(name="app_id", ask="App ID"),
                SecretName(name="app_secret", ask="App Secret"),
                SecretName(
                    name="verification_token",
                    ask="Verification Token, for a webhook",
                    verifies=True,
                ),
                SecretName(name="encrypt_key", ask="Encrypt Key, for a webhook", verifies=True),
            ),
            needs={
                "long_connection": ("app_id", "app_secret"),
                "webhook": ("app_id", "app_secret", "verification_token"),
            },
            allow=Allow(members=True),
            may_allow=("everyone", "members"),
            options={"domain": ("feishu", "lark")},
            sender=Ids(r"ou_[A-Za-z0-9]+", "an open_id, such as ou_84aad35d084aa403"),
            chat=Ids(r"oc_[A-Za-z0-9]+", "a chat's id, such as oc_5ce6d572455d361153"),
        ),
        "discord": Kind(
            secrets=(
                SecretName(name="bot_token", ask="bot token, from Developer Portal > Bot"),
                SecretName(
                    name="public_key",
                    ask="Public Key, from General Information, for slash commands and buttons",
                    verifies=True,
                ),
            ),
            needs={
                "gateway": ("bot_token",),
                "webhook": ("bot_token", "public_key"),
            },
            allow=Allow(admitted=True),
            chats_admit=True,
            may_allow=("everyone", "members", "admitted"),
            options={"answers_in": ("thread", "channel")},
            sender=Ids(r"[1-9][0-9]{5,18}", "a user's id, such as 810000000000000001"),
            chat=Ids(r"[1-9][0-9]{5,18}", "a channel's or server's id"),
        ),
        "slack": Kind(
            secrets=(
                SecretName(name="bot_token", ask="Bot User OAuth Token, xoxb-…"),
                SecretName(name="app_token", ask="App-Level Token, xapp-…, for Socket Mode"),
                SecretName(
                    name="signing_secret", ask="Signing Secret, for a webhook", verifies=True
                ),
            ),
            needs={
                "socket": ("bot_token", "app_token"),
                "webhook": ("bot_token", "signing_secret"),
            },
            allow=Allow(members=True),
            may_allow=("everyone", "members"),
            sender=Ids(r"[UWB][A-Z0-9]+", "a member's id, such as U0123ABCDEF"),
            chat=Ids(r"[CDG][A-Z0-9]+", "a channel's id, such as C0123ABCDEF"),
        ),
        "buzz": Kind(
            secrets=(SecretName(name="private_key", ask="private key, as hex or nsec1…"),),
            needs={"socket": ("private_key",)},
            allow=Allow(),
            may_allow=("everyone", "admitted"),
            options={"relay_key": ()},
            own_address=True,
            sender=Ids(r"[0-9A-Fa-f]{64}|npub1[a-z0-9]{58}", "a public key", _nostr_key),
            chat=Ids(
                r"[!-~]{1,51}", "a channel's id, such as 136852ee-63e1-49c2-8927-413b5ee8e5f7"
            ),
        ),
        "github": Kind(
            secrets=(
                _WEBHOOK_SECRET,
                SecretName(name="token", ask="access token, unless it is an App"),
                SecretName(name="app_id", ask="App id, unless it is a token"),
                SecretName(name="private_key", ask="private key of the App", from_file=True),
            ),
            needs={"webhook": ("webhook_secret",)},
            posts_with=(("token",), ("app_id", "private_key")),
            allow=Allow(members=True),
            may_allow=("everyone", "members"),
            place="repositories",
            by_default=False,
            busy=Busy.COLLECT,
            replies=(ReplyMode.COMMENT, ReplyMode.LOG),
            recursion_limit=250,
            events=(
                "issues",
                "issue_comment",
                "pull_request",
                "pull_request_review",
                "pull_request_review_comment",
            ),
            sender=Ids(r"[A-Za-z0-9_-]+(\[bot\])?", "a login without `@`"),
            chat=Ids(r"[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+", "`owner/name`"),
        ),
    }
)

Dialect = Literal["langgraph", "deerflow"]
"""How an agent's API differs; what that means is known to the dialect alone."""

USUAL_DIALECT: Final[Dialect] = "langgraph"

AGENT_SECRETS: Final = (
    SecretName(name="api_key", ask="key for its x-api-key header, if it wants one"),
    SecretName(name="token", ask="bearer token, if it wants one"),
    SecretName(name="internal_token", ask="internal token of a DeerFlow Gateway, if it is one"),
    SecretName(name="callback", ask="secret of its call at a run's end", made=True),
)
