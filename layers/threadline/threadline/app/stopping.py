"""Finding and stopping the runs of a turn at the agent."""

from threadline.app import agents
from threadline.app.agents import Contact
from threadline.app.scene import Scene
from threadline.core.agent import Found
from threadline.core.errors import AgentError, ThreadMissing
from threadline.core.reasons import Reason
from threadline.core.turn import State


def find(scene: Scene, to: Contact) -> Found:
    """List the thread's runs as seen from the current turn; a missing thread has none."""
    turn = scene.turn
    flow = to.codec.find(turn.thread, turn.id, turn.owner, to.access)
    try:
        return scene.world.calls.run(to.under_policy(flow))
    except ThreadMissing:
        return Found((), None)


def cancel(scene: Scene) -> bool:
    """Cancel the turn's run, also one whose create call may have taken effect; tell if it went."""
    turn = scene.turn
    if scene.conversation.state not in {State.RUNNING, State.STARTING}:
        return True
    try:
        to = agents.contact(scene.world, scene.settings, turn.agent)
        runs = [turn.run] if turn.run else [
            run for run, status in find(scene, to).ours if not status.over
        ]  # fmt: skip
        for run in runs:
            flow = to.codec.cancel(turn.thread, run, turn.owner, to.access)
            scene.world.calls.run(to.under_policy(flow))
    except AgentError as error:
        scene.journal(Reason.AGENT_DOWN, agents.brief(str(error)))
        return False
    return True
