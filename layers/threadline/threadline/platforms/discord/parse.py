"""What comes from Discord, whatever the way: events of the gateway, and interactions by HTTP.

Events come as the gateway sent them (`t` and `d`), with what the connection knows of the place
(`place`). https://docs.discord.com/developers/events/gateway-events
"""

from threadline.core.message import Ignored, Parsed, Webhook
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.discord.interaction import interacted
from threadline.platforms.discord.payload import decode, number, text
from threadline.platforms.discord.written import written


def parse(request: Webhook, credentials: Credentials) -> Parsed:
    """Read one delivery. Never raises."""
    fields = decode(request.body)
    if fields is None:
        return Ignored(Reason.UNREADABLE)
    kind = text(fields, "t")
    if kind in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}:
        return written(fields, credentials)
    if kind:
        return Ignored(Reason.UNKNOWN_EVENT, kind[:40])
    if number(fields, "type") >= 0:
        return interacted(fields, credentials)
    return Ignored(Reason.UNREADABLE)
