"""The agent's own threads of a conversation: found by where they came from, and deleted."""

from threadline.app import agents
from threadline.app.agents import Contact
from threadline.app.start import origin_of
from threadline.app.world import World
from threadline.core.errors import ThreadlineError
from threadline.core.records import Conversation
from threadline.core.settings import Settings
from threadline.core.thread import DeletesThreads


def delete(world: World, conversation: Conversation) -> int:
    """Delete a conversation's threads at every agent that it may have; give how many there were.

    Former ones too, before a `/new`. Raises AgentError, AgentBusy where a run goes on.
    """
    settings, deleted = world.settings(), 0
    for name in _agents(settings, conversation):
        to = agents.contact(world, settings, name)
        deleted += _delete_at(world, to, conversation)
    return deleted


def _delete_at(world: World, to: Contact, conversation: Conversation) -> int:
    codec, owner, access = to.codec, conversation.owner, to.access
    if not isinstance(codec, DeletesThreads):
        raise ThreadlineError(f"agent {to.settings.name} deletes no threads: do it there by hand")
    if not owner:
        return 0  # nothing was ever asked
    origin = origin_of(conversation)
    found = world.calls.run(to.under_policy(codec.threads_of(origin, owner, access)))
    threads = dict.fromkeys((*found, *([conversation.thread] if conversation.thread else [])))
    return sum(
        world.calls.run(to.under_policy(codec.delete(thread, owner, access))) for thread in threads
    )


def _agents(settings: Settings, conversation: Conversation) -> tuple[str, ...]:
    bound = {
        one.agent: None
        for one in settings.bindings
        if (one.platform, one.app) == (conversation.platform, conversation.app)
    }
    return tuple(bound or settings.agents)
