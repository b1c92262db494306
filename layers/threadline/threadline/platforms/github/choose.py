"""Which agents an event calls: a trigger bound to it, someone who may call, and a mention."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from threadline.core.choice import Choice
from threadline.core.message import Message, Trust
from threadline.core.reasons import Reason
from threadline.core.settings import Allow, Binding, Trigger
from threadline.platforms.github import facts
from threadline.platforms.github.closing import closing
from threadline.platforms.github.facts import Event
from threadline.platforms.github.threads import thread_id, topic
from threadline.text.mentions import bare, mentioned

USUAL_ACTIONS: Final = MappingProxyType(
    {
        Event.ISSUES: frozenset({"opened"}),
        Event.ISSUE_COMMENT: frozenset({"created"}),
        Event.PULL_REQUEST: frozenset({"opened"}),
        Event.REVIEW: frozenset({"submitted"}),
        Event.REVIEW_COMMENT: frozenset({"created"}),
    }
)
"""What fires a trigger that names no actions: something new, never an edit or a label."""

MENTION_USUAL: Final = frozenset({Event.ISSUE_COMMENT, Event.REVIEW_COMMENT})
"""The events whose triggers want a mention where they do not say."""

WHEN_NONE_WRITTEN: Final = tuple(Trigger(event, require_mention=True) for event in Event)
"""The triggers of a binding that writes none: whatever new text mentions the agent."""


def choose(message: Message, bindings: Sequence[Binding]) -> tuple[Choice, ...]:
    """Give a choice for each binding of the message's repository, fired or with its reason."""
    here = [one for one in bindings if _bound_to(one, message.chat)]
    called = _called(message, here)
    return tuple(_choice(message, one, here, called) for one in here)


def _choice(
    message: Message, binding: Binding, here: Sequence[Binding], called: frozenset[str]
) -> Choice:
    number = message.facts[facts.NUMBER]
    return Choice(
        binding,
        topic(number, binding.agent),
        reason=_refusal(message, binding, here, called),
        thread=thread_id(message.chat, number, binding.agent),
        prompt=f"{message.prompt}\n\n{closing(message, binding.reply)}",
    )


def _refusal(
    message: Message, binding: Binding, here: Sequence[Binding], called: frozenset[str]
) -> str:
    """Give the first reason why the binding does not fire, or ""."""
    trigger = _trigger(binding, message.event)
    if _is_itself(message, binding):
        return Reason.SELF_EVENT
    if trigger is None:
        return Reason.EVENT_NOT_BOUND
    if message.action not in _actions(trigger):
        return Reason.ACTION_NOT_BOUND
    listed = message.sender.id.lower() in _lower(trigger.allow_authors)
    if not listed:
        if refused := _not_allowed(message, binding.allow):
            return refused
        if _wants_mention(trigger) and called.isdisjoint(_names(binding, trigger)):
            return Reason.MENTION_REQUIRED
    if _comes_with_its_review(message, binding, here):
        return Reason.REDUNDANT_REVIEW_COMMENT
    return ""


def _bound_to(binding: Binding, repository: str) -> bool:
    return not binding.chats or repository.lower() in _lower(binding.chats)


def _called(message: Message, bindings: Sequence[Binding]) -> frozenset[str]:
    """Read the Markdown once, and only where one of the names stands in it at all."""
    text = message.text.lower()
    names = {
        name
        for one in bindings
        if (trigger := _trigger(one, message.event))
        for name in _names(one, trigger)
    }
    return mentioned(message.text) if any(name in text for name in names) else frozenset()


def _is_itself(message: Message, binding: Binding) -> bool:
    """Tell the agent's own account by every name it is called by, else by the agent's name."""
    names = {binding.mention_name, *(one.mention for one in binding.triggers)} - {""}
    return bare(message.sender.id) in {bare(name) for name in names or {binding.agent}}


def _trigger(binding: Binding, event: str) -> Trigger | None:
    triggers = binding.triggers or WHEN_NONE_WRITTEN
    return next((one for one in triggers if one.event == event), None)


def _actions(trigger: Trigger) -> frozenset[str]:
    if trigger.actions is not None:
        return trigger.actions
    return USUAL_ACTIONS.get(Event(trigger.event), frozenset())


def _wants_mention(trigger: Trigger) -> bool:
    if trigger.require_mention is not None:
        return trigger.require_mention
    return trigger.event in MENTION_USUAL


def _names(binding: Binding, trigger: Trigger) -> frozenset[str]:
    """Give the one login that calls this agent here; blank names count as absent."""
    for name in (trigger.mention, binding.mention_name, binding.agent):
        if name.strip():
            return frozenset({bare(name.strip())})
    return frozenset()


def _not_allowed(message: Message, allow: Allow) -> str:
    sender = message.sender
    if sender.bot:
        known = bare(sender.id) in {bare(name) for name in allow.bots}
        return "" if known else Reason.BOT_SENDER
    if allow.everyone or sender.id.lower() in _lower(allow.senders):
        return ""
    if message.chat.lower() in _lower(allow.chats):
        return ""
    if allow.members and sender.trust is not Trust.NONE:
        return ""
    return Reason.AUTHOR_NOT_TRUSTED


def _comes_with_its_review(message: Message, binding: Binding, here: Sequence[Binding]) -> bool:
    """Tell that the same agent is called by the review that this comment is a part of."""
    if message.event != Event.REVIEW_COMMENT or facts.OF_REVIEW not in message.facts:
        return False
    return any(
        one.agent == binding.agent
        and one.owner == binding.owner
        and (trigger := _trigger(one, Event.REVIEW)) is not None
        and not _wants_mention(trigger)
        and "submitted" in _actions(trigger)
        for one in here
    )


def _lower(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
