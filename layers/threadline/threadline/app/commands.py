"""Chat commands: most answer at once, whatever the conversation is doing."""

from dataclasses import dataclass, replace

from threadline.app import agents, waits
from threadline.app.agents import Contact
from threadline.app.ended import go_on
from threadline.app.place import accept
from threadline.app.scene import Scene
from threadline.app.speak import destination_of, in_words, markdown, notice, withdraw
from threadline.app.stopping import cancel
from threadline.core.command import Command, CommandName
from threadline.core.errors import AgentError, NotOffered
from threadline.core.ids import ThreadId
from threadline.core.posting import Stage
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Turn, Waiting
from threadline.core.settings import Binding, ReplyMode
from threadline.core.texts import say
from threadline.core.turn import Move, State


@dataclass(frozen=True, slots=True)
class Order:
    """A command as it was given: by which message, under which binding."""

    command: Command
    waiting: Waiting
    binding: Binding


def handle(scene: Scene, order: Order) -> None:
    """Carry out a command; its dedupe row goes with its effect. Commits."""
    accept(scene, order.waiting, reason=Reason.COMMAND, fate=Fate.DONE)
    scene.journal(
        Reason.COMMAND, str(order.command.name), deliveries=(order.waiting.message.delivery,)
    )
    match order.command.name:
        case CommandName.HELP:
            _say(scene, order, "help")
        case CommandName.START | CommandName.CONNECT:
            _say(scene, order, "welcome")
        case CommandName.STATUS:
            _status(scene, order)
        case CommandName.STOP:
            _stop(scene, order)
            return
        case CommandName.NEW:
            _new(scene, order)
            return
        case _:
            _ask_agent(scene, order)
    scene.commit()


def _status(scene: Scene, order: Order) -> None:
    conversation = scene.conversation
    thread = conversation.thread or say("no_conversation", scene.settings.language)
    if conversation.state is State.IDLE:
        _say(scene, order, "status_idle", thread=thread)
    else:
        _say(
            scene, order, "status_busy", thread=thread, state=str(conversation.state),
            count=conversation.waiting,
        )  # fmt: skip


def _stop(scene: Scene, order: Order) -> None:
    """Stop the current turn in whatever state; the backlog goes on."""
    turn = scene.conversation.turn
    if turn is None:
        _say(scene, order, "nothing_to_stop")
        scene.commit()
        return
    certainly_none = turn.tries > 0 and not turn.lost and not turn.run
    stopped = certainly_none or cancel(scene)
    if scene.conversation.state is State.STARTING and not stopped:
        _say(scene, order, "command_failed", command="stop")
        scene.commit()
        return
    if scene.conversation.state is State.RUNNING and turn.reply is not ReplyMode.LOG:
        if not stopped:
            _say(scene, order, "command_failed", command="stop")
        elif order.waiting.message.awaited:
            _say(scene, order, "stopped")
        scene.conversation = replace(scene.conversation, turn=replace(turn, stopped=True))
        scene.journal(Reason.STOPPED)
        scene.commit()
        return
    scene.journal(Reason.STOPPED)
    _withdraw_turn(scene, turn)
    _say(scene, order, "stopped")
    waits.drop(scene, turn.waits)
    scene.move(Move.STOPPED)
    go_on(scene)


def _withdraw_turn(scene: Scene, turn: Turn) -> None:
    """Where the turn's post still says that it waits, let it say that it was dropped."""
    if not turn.run:
        withdraw(scene, turn.destination, turn.queued_part, turn.deliveries[-1])


def _new(scene: Scene, order: Order) -> None:
    """Stop, drop the backlog and say so, and start a new epoch on a new thread."""
    turn = scene.conversation.turn
    if turn is not None:
        cancel(scene)
        scene.journal(Reason.STOPPED)
        _withdraw_turn(scene, turn)
        waits.drop(scene, turn.waits)
    dropped = [
        (sort, one) for sort, one in waits.backlog(scene) if turn is None or sort not in turn.waits
    ]
    for sort, one in dropped:
        waits.drop(scene, [sort])
        scene.journal(Reason.DROPPED_BY_NEW, deliveries=(one.message.delivery,))
        withdraw(scene, destination_of(one.message), one.queued_part, one.message.delivery)
    scene.move(Move.RESET)
    scene.conversation = replace(
        scene.conversation, epoch=scene.world.random(), thread=ThreadId(""), thread_known=False,
        waiting=0, held=0,
    )  # fmt: skip
    if dropped:
        _say(scene, order, "new_dropped", count=len(dropped))
    else:
        _say(scene, order, "new")
    scene.commit()


def _ask_agent(scene: Scene, order: Order) -> None:
    """Let the agent answer `/models`, `/memory` and the like, or say that it does not."""
    name = str(order.command.name)
    try:
        to = agents.contact(scene.world, scene.settings, order.binding.agent)
        answer = _agent_answer(scene, order, to)
    except NotOffered:
        _say(scene, order, "not_offered", command=name)
    except AgentError as error:
        why = agents.brief(str(error))
        scene.journal(Reason.AGENT_DOWN, why, deliveries=(order.waiting.message.delivery,))
        _say(scene, order, "command_failed", command=name)
    else:
        to_post = destination_of(order.waiting.message)
        markdown(scene, to_post, answer, delivery=order.waiting.message.delivery)


def _agent_answer(scene: Scene, order: Order, to: Contact) -> str:
    name = str(order.command.name)
    if name not in to.codec.traits.commands:
        raise NotOffered(name)
    flow = to.codec.command(name, order.waiting.owner, to.access)
    return scene.world.calls.run(to.under_policy(flow))


def _say(scene: Scene, order: Order, key: str, **values: str | int) -> None:
    message = order.waiting.message
    notice(
        scene, destination_of(message), in_words(message, order.binding.reply), key,
        delivery=message.delivery, stage=Stage.DONE, over="", **values,
    )  # fmt: skip
