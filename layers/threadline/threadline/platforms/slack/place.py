"""Where a post stands: which mailbox and conversation it belongs to, and where its answer goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from threadline.core import keys
from threadline.core.ids import MailboxKey
from threadline.core.posting import Credentials

THREAD: Final = "thread"
"""The fact that names the thread an answer goes to; none is a direct message's top level."""

SINCE: Final = "since"
"""The fact that says since when an answer can stand there, where no post is answered."""


@dataclass(slots=True)
class Place:
    """A post in a channel; `ts` is its id there, `thread` the id of the post it was written below.

    `direct`: a direct message to the bot.
    """

    channel: str
    ts: str
    thread: str = ""
    direct: bool = False

    @property
    def in_thread(self) -> bool:
        """Whether the post was written below another one."""
        return self.thread not in {"", self.ts}

    @property
    def topic(self) -> str:
        """The conversation's topic: a thread; a direct message outside threads has none.

        In a channel every post may begin a thread, and belongs to it from the start.
        """
        if self.direct:
            return self.thread if self.in_thread else ""
        return self.thread or self.ts

    @property
    def facts(self) -> Mapping[str, str]:
        """What posting an answer needs to know."""
        topic = self.topic
        return {THREAD: topic} if topic else {}

    def mailbox(self, credentials: Credentials, workspace: str) -> MailboxKey:
        """Name the mailbox: a direct message channel is one, elsewhere each thread."""
        return mailbox(credentials, workspace, self.channel, "" if self.direct else self.topic)


def mailbox(credentials: Credentials, workspace: str, channel: str, topic: str) -> MailboxKey:
    """Name a mailbox; without a topic it is the channel's own."""
    parts = (workspace, channel, topic) if topic else (workspace, channel)
    return keys.mailbox_key(credentials.platform, credentials.app, *parts)
