"""An agent's thread for an operator: which one is meant, what runs on it, stopping that."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from threadline.app import agents, audit, items
from threadline.app.agents import Contact
from threadline.app.audit import Hand
from threadline.app.scanning import all_of
from threadline.app.world import World
from threadline.core.errors import AgentRejected, ThreadlineError
from threadline.core.ids import ConversationKey, OwnerId, RunId, ThreadId
from threadline.core.ports import ItemStore, Scans
from threadline.core.records import Conversation, JournalRow, Seen
from threadline.core.settings import ReplyMode, Settings
from threadline.core.texts import say
from threadline.core.thread import RunSeen, ShowsThreads, ThreadSeen

MOST: Final = 5000
FOREVER: Final = 1e11
LONGEST_NAME: Final = 1000


@dataclass(frozen=True, slots=True)
class Meant:
    """A thread at an agent, and the conversation it belongs to where that is known."""

    thread: ThreadId
    owner: OwnerId
    to: Contact
    conversation: Conversation | None = None

    @property
    def shows(self) -> ShowsThreads:
        """The agent's codec. Raises AgentRejected where it cannot show threads."""
        if not isinstance(self.to.codec, ShowsThreads):
            raise AgentRejected(f"agent {self.to.settings.name} cannot show its threads")
        return self.to.codec


def meant(world: World, scans: Scans, asked: str, *, agent: str = "", owner: str = "") -> Meant:
    """Find the thread of a conversation, delivery, message or run, or the one that is named.

    `agent` and `owner` say what nothing stored does. Raises ThreadlineError.
    """
    settings = world.settings()
    conversation = conversation_of(world.store, asked) or _resting_on(scans, asked)
    if conversation is None:
        thread, known_owner = ThreadId(asked), OwnerId("")
        name = agent or _only(settings, settings.agents, f"nothing here is called {asked}")
    else:
        turn = conversation.turn
        thread, known_owner = (turn or conversation).thread, (turn or conversation).owner
        name = agent or (turn.agent if turn else _bound(settings, conversation))
    if not thread:
        raise ThreadlineError(f"{asked} has no thread at an agent: nothing was asked there yet")
    to = agents.contact(world, settings, name)
    return Meant(thread, OwnerId(owner) or known_owner, to, conversation)


def conversation_of(store: ItemStore, asked: str) -> Conversation | None:
    """Find a conversation by key, by a delivery or message of it, or by what it now runs."""
    if not 0 < len(asked.encode(errors="replace")) <= LONGEST_NAME:
        return None
    for key in (asked, *_keys_named(store, asked)):
        found = items.read(Conversation, store.get([items.conversation(ConversationKey(key))])[0])
        if found is not None:
            return found
    return next((one for one in under_way(store) if asked in _now(one)), None)


def _resting_on(scans: Scans, thread: str) -> Conversation | None:
    """Find the idle conversation that goes on on a thread: no index leads there."""
    for item in all_of(scans, "conversations"):
        if item.key.sort == "conversation" and item.attributes.get("thread") == thread:
            return items.read(Conversation, item)
    return None


def under_way(store: ItemStore) -> Iterable[Conversation]:
    """Give the conversations in which something is being done."""
    for item in store.due(items.CONVERSATION_DUE, FOREVER, MOST):
        found = items.read(Conversation, item)
        if found is not None:
            yield found


def runs(world: World, of: Meant) -> tuple[RunSeen, ...]:
    """List the thread's latest runs, newest first. Raises AgentError."""
    return world.calls.run(of.to.under_policy(of.shows.runs(of.thread, of.owner, of.to.access)))


def seen(world: World, of: Meant) -> ThreadSeen:
    """Read what the thread holds now. Raises AgentError."""
    return world.calls.run(of.to.under_policy(of.shows.seen(of.thread, of.owner, of.to.access)))


def stop(world: World, of: Meant, run: RunId, hand: Hand) -> None:
    """Cancel a run, behind an audit row that says who did. Raises AgentError, StoreError."""
    name = of.to.settings.name
    row = audit.row("agent cancel", world.clock.now(), hand, agent=name, thread=of.thread, run=run)
    world.store.write([row])
    flow = of.to.codec.cancel(of.thread, run, of.owner, of.to.access)
    world.calls.run(of.to.under_policy(flow))


def after_stopping(settings: Settings, of: Meant, run: RunId) -> str:
    """Say what people in the chat will see when this run is cancelled."""
    conversation = of.conversation
    turn = conversation.turn if conversation else None
    if conversation is None or turn is None or run not in {turn.run, turn.foreign}:
        return "Nobody in a chat waits for this run."
    following = _following(conversation)
    if run == turn.foreign:
        return "The run is not Threadline's own. The message that waits for it begins."
    if turn.reply is ReplyMode.LOG:
        return f"Nothing is said in the chat, as its binding wants.{following}"
    stopped = say("stopped", settings.language)
    return f"The chat is told “{stopped}”, below what is written so far.{following}"


def _following(conversation: Conversation) -> str:
    match conversation.waiting:
        case 0:
            return ""
        case 1:
            return " The message that waits begins."
        case count:
            return f" The next of {count} messages that wait begins."


def _keys_named(store: ItemStore, asked: str) -> Iterable[str]:
    row = items.read(Seen, store.get([items.seen(asked)])[0])
    if row is not None:
        yield row.conversation
    partition = items.journal_partition(asked)
    for item in store.query("deliveries", partition, "journal#", limit=50):
        journalled = items.read(JournalRow, item)
        if journalled is not None and journalled.conversation:
            yield journalled.conversation


def _now(conversation: Conversation) -> frozenset[str]:
    turn = conversation.turn
    own = (turn.run, turn.foreign, turn.thread) if turn else ()
    return frozenset(one for one in (*own, conversation.thread) if one)


def _bound(settings: Settings, conversation: Conversation) -> str:
    """Name the agent that an idle conversation's bindings lead to."""
    names = {
        one.agent: None
        for one in settings.bindings
        if (one.platform, one.app) == (conversation.platform, conversation.app)
        and (not one.chats or one.chats & {conversation.chat, conversation.workspace})
    }
    return _only(settings, names, f"no single binding leads to {conversation.key}")


def _only(settings: Settings, names: Iterable[str], why: str) -> str:
    listed = list(names) or list(settings.agents)
    if len(listed) == 1:
        return listed[0]
    there = ", ".join(listed) or "none"
    raise ThreadlineError(f"{why}; say which agent with --agent NAME: {there}")
