"""What a Buzz bot asks its relay for.

https://github.com/nostr-protocol/nips/blob/master/01.md
"""

from typing import Final

from threadline.core.setup import Need, Needs
from threadline.platforms.buzz.event import ADDED, CHANNEL, CHAT, REMOVED

NEEDS: Final = Needs(
    events=(
        Need(str(CHANNEL), "the channels of the workspace"),
        Need(str(ADDED), "the bot is added to a channel"),
        Need(str(REMOVED), "the bot is taken out of a channel"),
        Need(str(CHAT), "what people write"),
    )
)
"""The kinds of events it subscribes to; a key has no scopes."""
