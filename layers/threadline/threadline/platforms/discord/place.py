"""Where a message stands: which mailbox and conversation it belongs to, where its answer goes.

A message that starts a conversation in a channel is answered in a thread made from it. Such a
thread has the id of its first message, so that both name the same conversation from the start.
https://docs.discord.com/developers/topics/threads
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from threadline.core import keys
from threadline.core.ids import MailboxKey
from threadline.core.posting import Credentials, Destination

THREAD: Final = "thread"
"""The fact that names the thread an answer goes to; it may not be there yet."""

TITLE: Final = "title"
"""The fact that says what a thread that is to be made is called after."""

LONGEST_TITLE: Final = 60
ANSWERS_IN: Final = "answers_in"
"""The app's option: `thread`, as if it were not written, or `channel`."""


@dataclass(frozen=True, slots=True)
class Place:
    """A message in a channel; `parent` is the channel of the thread it stands in, "" outside one.

    `ours`: the bot began that thread or has spoken in it. `flat`: no threads are made.
    """

    guild: str
    channel: str
    message: str
    parent: str = ""
    ours: bool = False
    flat: bool = False

    @property
    def direct(self) -> bool:
        """Whether this is a direct message."""
        return not self.guild

    @property
    def chat(self) -> str:
        """The channel, also of what is said in a thread of it."""
        return self.parent or self.channel

    def topic(self, *, begins: bool) -> str:
        """Name the conversation's topic; `begins`: the message may begin one of its own."""
        if self.parent:
            return self.channel
        return self.message if begins and not (self.direct or self.flat) else ""

    def facts(self, topic: str, title: str = "") -> Mapping[str, str]:
        """Say what posting an answer needs to know; `title` is what was asked."""
        if not topic:
            return {}
        named = {} if self.parent or not title else {TITLE: title[:LONGEST_TITLE]}
        return {THREAD: topic, **named}

    def mailbox(self, credentials: Credentials, topic: str) -> MailboxKey:
        """Name the mailbox: a thread, also one to be, else the channel."""
        return keys.mailbox_key(credentials.platform, credentials.app, topic or self.channel)


def is_flat(credentials: Credentials) -> bool:
    """Tell whether this app answers in the channel rather than in threads."""
    return credentials.options.get(ANSWERS_IN) == "channel"


def channel_of(to: Destination) -> str:
    """Give the channel a post goes to: the thread where there is one."""
    return to.facts.get(THREAD) or to.chat
