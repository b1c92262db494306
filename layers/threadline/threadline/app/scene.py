"""One step of dispatch on one conversation: what was read, what changes, one commit."""

from dataclasses import dataclass, replace

from threadline.app import items
from threadline.app.plan import Plan
from threadline.app.world import World
from threadline.core.envelope import Wake
from threadline.core.ids import ConversationKey
from threadline.core.ports import Check, Expect, Put
from threadline.core.records import Conversation, Turn, Waiting
from threadline.core.settings import AgentSettings, Binding, Settings
from threadline.core.turn import DUE_AFTER, Move, State, after

SOON = 60.0
"""Due times nearer than this get a timer of their own; the sweep finds the others."""


@dataclass(slots=True)
class Scene:
    """A conversation under dispatch; `expect` is the version the next commit is fenced by.

    `batch` are the turn's messages where this step has them at hand, `guards` what must hold
    beside the version.
    """

    world: World
    settings: Settings
    now: float
    conversation: Conversation
    expect: int | Expect
    plan: Plan
    due_at: float | None = None
    batch: tuple[Waiting, ...] = ()
    opened_at: float = 0.0
    guards: tuple[Check, ...] = ()

    @property
    def key(self) -> ConversationKey:
        """The conversation's key."""
        return self.conversation.key

    @property
    def turn(self) -> Turn:
        """The current turn; only asked for in states that have one."""
        if self.conversation.turn is None:
            raise LookupError("conversation has no turn")
        return self.conversation.turn

    def move(self, move: Move, *, due_in: float | None = None) -> None:
        """Go where the table says; the state's own due time applies unless one is given."""
        state = after(self.conversation.state, move)
        self.conversation = replace(self.conversation, state=state, why=str(move))
        if state is State.IDLE:
            self.conversation = replace(self.conversation, turn=None, question=None)
            self.due_at = None
        else:
            self.due_in(DUE_AFTER[state] if due_in is None else due_in)

    def due_in(self, seconds: float) -> None:
        """Set when somebody must look again; a near time gets a timer."""
        self.due_at = self.now + seconds

    def timer(self) -> None:
        """Set a timer for the due time where the sweep would be too late."""
        if self.due_at is not None and self.due_at - self.now < SOON:
            self.plan.wake_at(self.due_at, self.wake("due"))

    def wake(self, why: str) -> Wake:
        """Make mail that brings somebody back to this conversation."""
        return Wake(conversation=self.key, mailbox=self.conversation.mailbox, why=why)

    def journal(self, step: str, detail: str = "", *, deliveries: tuple[str, ...] = ()) -> None:
        """Journal a step for the deliveries of the turn, or those given."""
        turn = self.conversation.turn
        for delivery in deliveries or (turn.deliveries if turn else ()):
            self.plan.journal(
                delivery, step, detail=detail, conversation=self.key, turn=turn.id if turn else ""
            )

    def commit(self) -> None:
        """Write the conversation and all that goes with it, then send."""
        item = items.conversation_item(self.conversation, self.due_at, self.now)
        self.plan.change(Put(item, self.expect), *self.guards)
        self.plan.commit()
        self.expect = 1 if isinstance(self.expect, Expect) else self.expect + 1
        self.guards = ()
        self.plan = Plan(self.world, self.world.clock.now())
        self.now = self.plan.now

    def binding(self) -> Binding | None:
        """The binding of the current turn, None where the configuration lost it."""
        return self.settings.binding(self.turn.binding)

    def agent(self) -> AgentSettings | None:
        """The agent of the current turn, None where the configuration lost it."""
        return self.settings.agents.get(self.turn.agent)


def open_scene(world: World, conversation: Conversation, expect: int | Expect) -> Scene:
    """Begin a step on what was read; the stored due time stays unless the step sets another."""
    now = world.clock.now()
    plan = Plan(world, now)
    return Scene(
        world, world.settings(), now, conversation, expect, plan, conversation.due or None,
        opened_at=now,
    )  # fmt: skip
