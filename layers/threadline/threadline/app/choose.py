"""Which bindings a message reaches, and who may talk."""

from collections.abc import Sequence

from threadline.app.world import World
from threadline.core import keys
from threadline.core.choice import Choice
from threadline.core.ids import OwnerId
from threadline.core.message import Message, Trust
from threadline.core.platform import Chooses
from threadline.core.reasons import Reason
from threadline.core.settings import Binding, Settings


def choose(world: World, settings: Settings, message: Message) -> tuple[Choice, ...]:
    """Give a verdict for each binding the message could reach; none where no binding is there."""
    bindings = [
        binding
        for binding in settings.bindings
        if binding.platform == message.platform and binding.app == message.app
    ]
    app = settings.app(message.platform, message.app)
    if app is not None and app.paused:
        return tuple(Choice(one, message.topic, Reason.PAUSED) for one in bindings[:1])
    platform = world.platform(message.platform)
    if isinstance(platform, Chooses):
        verdicts = platform.choose(message, bindings)
    else:
        verdicts = _nearest(message, bindings)
    return tuple(_unless_paused(verdict) for verdict in verdicts)


def fans_out(world: World, message: Message) -> bool:
    """Tell whether one message of this platform may start several turns."""
    return isinstance(world.platform(message.platform), Chooses)


def refusal(binding: Binding, message: Message, *, admitted: bool) -> str:
    """Tell why the sender may not talk, "" where they may."""
    allow, sender = binding.allow, message.sender
    if sender.bot:
        return "" if sender.id in allow.bots else Reason.BOT_SENDER
    if allow.everyone or sender.id in allow.senders:
        return ""
    if message.chat in allow.chats or message.workspace in allow.chats:
        return ""
    if allow.members and sender.trust is not Trust.NONE:
        return ""
    if allow.admitted and admitted:
        return ""
    return Reason.NOT_ALLOWED


def owner_of(binding: Binding, message: Message) -> OwnerId:
    """Name whose memories and files a turn uses: the binding's, the sender's, or the group's."""
    if binding.owner:
        return keys.owner_id(binding.owner)
    whom = message.sender.id if message.private else message.chat
    return keys.owner_id(f"{message.platform}-{whom}")


def _nearest(message: Message, bindings: Sequence[Binding]) -> tuple[Choice, ...]:
    """Take the binding that names this chat, else its workspace, else the one for every chat."""
    for place in (message.chat, message.workspace, ""):
        for binding in bindings:
            if place in binding.chats or not (place or binding.chats):
                return (Choice(binding, message.topic, _gate(binding, message)),)
    return ()


def _gate(binding: Binding, message: Message) -> str:
    if binding.mention and not message.private and not message.addressed:
        return Reason.NOT_ADDRESSED
    return ""


def _unless_paused(verdict: Choice) -> Choice:
    if verdict.reason or not verdict.binding.paused:
        return verdict
    return Choice(verdict.binding, verdict.topic, Reason.PAUSED)
