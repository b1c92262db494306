"""What a Feishu app must be allowed and be sent: the one place that says so.

Where several scopes open a call, the narrowest is asked for and the broader ones do as well.
https://open.feishu.cn/document/server-docs/application-scope/scope-list
"""

from typing import Final

from threadline.core.setup import Need, Needs
from threadline.platforms.feishu.parse import RECEIVED

_EVERYTHING: Final = "im:message"

NEEDS: Final = Needs(
    scopes=(
        Need(
            "im:message.p2p_msg:readonly",
            "what people write in private",
            instead=("im:message.p2p_msg",),
        ),
        Need(
            "im:message.group_at_msg:readonly",
            "what mentions the bot in a group",
            instead=("im:message.group_at_msg", "im:message.group_msg"),
        ),
        Need(
            "im:message:send_as_bot",
            "answers, and changes of their card",
            instead=(_EVERYTHING,),
        ),
        Need(
            "im:message:readonly",
            "files of a message; looking up a post whose answer was lost",
            instead=(_EVERYTHING,),
        ),
        Need(
            "im:message.reactions:write_only",
            "OK when work begins, DONE at the end",
            instead=(_EVERYTHING,),
        ),
        Need("im:resource", "files that the agent makes", instead=("im:resource:upload",)),
        Need(
            "im:message.group_msg",
            "only where the bot shall hear everything said in its groups; an administrator has to"
            " approve it. With it a lost post is found in groups too",
            usual=False,
        ),
    ),
    events=(Need(RECEIVED, "Receive messages"),),
)
"""The scopes of the tenant's token, and the events. Nothing is wanted of card callbacks."""
