"""First look through the tables: by which names the subject's things go, and what is in work."""

from threadline.app import items
from threadline.app.forget.found import Found
from threadline.app.forget.subject import Traces
from threadline.app.scanning import all_of
from threadline.core import keys
from threadline.core.ids import ConversationKey, MailboxKey
from threadline.core.ports import Item, ItemStore, Scans
from threadline.core.records import Conversation, Fate, Seen, Waiting
from threadline.core.turn import State


def look(store: ItemStore, scans: Scans, found: Found) -> None:
    """Find the subject's conversations, turns and deliveries, and say what is in work."""
    under_way: list[Conversation] = []
    for item in all_of(scans, "conversations"):
        match item.key.sort.partition("#")[0]:
            case "conversation":
                _conversation(found, item, under_way)
            case "wait":
                _waiting(found, item)
    suspects: set[ConversationKey] = set()
    for item in all_of(scans, "deliveries"):
        if item.key.sort == "seen":
            _seen(found, item, suspects)
        elif found.traces.goes(str(item.attributes.get("conversation"))):
            found.traces.turns.add(str(item.attributes.get("turn") or ""))
    for named in (found.traces.turns, found.traces.deliveries):
        named.discard("")  # a row that names no turn is about none, and every other one is not
    found.busy += [_in_work(one) for one in under_way if _is_theirs(found.traces, one)]
    for key in suspects - found.traces.whole.keys():
        # What a broken-off removal left of a private conversation: groups never go as a whole.
        if store.get([items.conversation(key)])[0] is None:
            found.traces.whole[key] = MailboxKey("")


def _conversation(found: Found, item: Item, under_way: list[Conversation]) -> None:
    conversation, traces = found.read(Conversation, item), found.traces
    if conversation is None:
        return
    if traces.goes(conversation.key) or traces.is_private(conversation):
        _goes(found, conversation)
        return
    if conversation.turn is not None:
        under_way.append(conversation)


def _goes(found: Found, conversation: Conversation) -> None:
    traces = found.traces
    traces.whole[conversation.key] = conversation.mailbox
    found.standing.append(conversation)
    if conversation.person:
        traces.mailboxes.add(conversation.mailbox)
        place = (conversation.platform, conversation.app, conversation.workspace, conversation.chat)
        traces.chats.add(keys.destination_key(*place))
    if conversation.state is not State.IDLE:
        found.busy.append(_in_work(conversation))


def _is_theirs(traces: Traces, conversation: Conversation) -> bool:
    """Tell whether a message of the person is among those that the current turn answers."""
    turn = conversation.turn
    return turn is not None and (
        traces.wrote(conversation.platform, conversation.app, turn.sender)
        or not traces.deliveries.isdisjoint(turn.deliveries)
    )


def _in_work(conversation: Conversation) -> str:
    run = conversation.turn.run if conversation.turn else ""
    match conversation.state:
        case State.ASKING:
            what = "the agent's question waits for an answer"
        case State.RUNNING if run:
            what = f"run {run} goes on"
        case state:
            what = f"a turn is {state}"
    return f"{conversation.key}: {what}"


def _waiting(found: Found, item: Item) -> None:
    waiting, traces = found.read(Waiting, item), found.traces
    if waiting is None:
        return
    key, message = ConversationKey(item.key.partition), waiting.message
    theirs = traces.wrote(message.platform, message.app, message.sender.id)
    if not theirs and not traces.goes(key):
        return
    if not traces.goes(key):
        traces.shared[key] = message.mailbox
    found.waiting.add(item.key)
    traces.turns.add(waiting.turn)
    if theirs:
        traces.deliveries.add(message.delivery)


def _seen(found: Found, item: Item, suspects: set[ConversationKey]) -> None:
    seen, traces = found.read(Seen, item), found.traces
    if seen is None:
        return
    platform, app, *_ = keys.split(seen.identity)
    if traces.wrote(platform, app, seen.sender):
        if seen.fate is not Fate.DEAD:  # a message that had no effect may have made none
            suspects.add(seen.conversation)
        traces.turns.add(seen.turn)
        traces.deliveries.add(seen.delivery)
    elif traces.goes(seen.conversation):
        traces.turns.add(seen.turn)
