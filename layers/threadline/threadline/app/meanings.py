"""What each reason means, in one sentence for the operator, and what to do where there is more."""

from types import MappingProxyType
from typing import Final

from threadline.core.reasons import Reason

MEANINGS: Final = MappingProxyType(
    {
        Reason.NO_ROUTE: (
            "this platform or app has no route: it is not in the configuration, is switched off,"
            " or lacks a secret"
        ),
        Reason.METHOD: "only POST is taken",
        Reason.TOO_LARGE: "the body is longer than the platform ever sends",
        Reason.SIGNATURE: "the signature is missing or wrong: compare the secret on both sides",
        Reason.STALE_SIGNATURE: (
            "the signed time is too old or in the future: a replay, or a wrong clock"
        ),
        Reason.UNREADABLE: "accepted but not understood; its body was kept aside",
        Reason.HANDSHAKE: "the platform checked the address; it was answered",
        Reason.OWN_MESSAGE: "the bot's own post",
        Reason.UNKNOWN_EVENT: "an event that can never lead to a run",
        Reason.NO_CONTENT: "nothing in it that an agent could read",
        Reason.NO_SENDER: "nobody wrote it",
        Reason.NO_TARGET: "it belongs to no place that can be answered",
        Reason.ACCEPTED: "verified, read and put into its mailbox",
        Reason.NOT_KEPT: "neither queue nor blob store took it: the platform was told to try again",
        Reason.KEPT_ASIDE: "the queue did not take it; the sweep puts it there later",
        Reason.NO_BINDING: "no binding says which agent answers here",
        Reason.NOT_ADDRESSED: "said to others: no mention of the bot, no reply to it",
        Reason.NOT_ALLOWED: "its sender is not let in: add them to `allow`, or give them a code",
        Reason.PAUSED: "the platform or binding is paused",
        Reason.DUPLICATE: "the same message had been handled before",
        Reason.STALE: "older than what is remembered of handled messages",
        Reason.FORWARDED: "belongs to a conversation of another mailbox and was put there",
        Reason.BACKLOG_FULL: "too many messages were waiting in this conversation",
        Reason.BUSY_REJECTED: "an earlier message was being answered, and the binding says reject",
        Reason.RATE_CAPPED: "too many messages in a short time here",
        Reason.COMMAND: "a command of Threadline's own, answered without a run",
        Reason.UNKNOWN_COMMAND: "a command nobody knows",
        Reason.ADMITTED: "the sender's code was right: they are let in",
        Reason.CODE_INVALID: "the code is wrong, used or too old",
        Reason.EDITED_WAITING: "an edit of a message that was still waiting: taken over",
        Reason.EDIT_HELD: "an edit that came before its original, which is waited for",
        Reason.DROPPED_BY_NEW: "/new dropped it from the backlog",
        Reason.BOT_SENDER: "written by a bot",
        Reason.SELF_EVENT: "caused by the bot itself",
        Reason.ACTION_NOT_BOUND: "the binding does not want this action of the event",
        Reason.EVENT_NOT_BOUND: "the binding does not want this event",
        Reason.MENTION_REQUIRED: "the binding wants a mention of the bot, and there is none",
        Reason.AUTHOR_NOT_TRUSTED: "its author is neither owner, member nor collaborator",
        Reason.REDUNDANT_REVIEW_COMMENT: "the comment comes with a review that is handled itself",
        Reason.THREAD_OWNED_ELSEWHERE: "the agent's thread belongs to another owner",
        Reason.QUESTION_WAITS: "the agent waits for an answer from somebody else",
        Reason.PRESS_LATE: "the question of that button was answered, had expired or was dropped",
        Reason.PRESS_NOT_YOURS: "the question of that button waits for somebody else's answer",
        Reason.POISON: "handling it failed again and again: it is among the dead letters",
        Reason.QUEUED: "waits until earlier messages of the conversation are answered",
        Reason.FETCHING: "its files are being fetched",
        Reason.STARTING: "the agent is being asked for a run",
        Reason.RUN_CREATED: "the agent has a run for it",
        Reason.RUN_ADOPTED: "a run that had been created before was found and taken over",
        Reason.BLOCKED: "somebody else's run is active on the agent's thread",
        Reason.AGENT_DOWN: "the agent cannot be reached; it is tried again",
        Reason.AGENT_REJECTED: "the agent refuses the request: configuration or key",
        Reason.GAVE_UP: "the agent could not be reached for too long",
        Reason.THREAD_VANISHED: "the agent had forgotten the thread; it was made anew",
        Reason.STOPPED: "stopped by a person",
        Reason.TIME_LIMIT: "the run took longer than allowed",
        Reason.RUN_ENDED: "the run is over",
        Reason.RUN_FAILED: "the run failed at the agent",
        Reason.RUN_VANISHED: "the agent lost the run",
        Reason.RUN_SILENT: "the run ended without a text",
        Reason.RUN_UNWATCHED: "nobody could follow the run for a while; it was taken up again",
        Reason.TWIN_CANCELLED: "a second run of the same message was found and cancelled",
        Reason.ASKED: "the agent asked something and waits for the answer",
        Reason.QUESTION_EXPIRED: "nobody answered the agent's question in time",
        Reason.NOT_CURRENT: "it concerned a turn that was over already",
        Reason.PLACEHOLDER: "a first sign of life was posted",
        Reason.FIRST_TEXT: "the first text was shown",
        Reason.PLANNED: "the answer is in the ledger",
        Reason.POSTED: "posted",
        Reason.EDITED: "a post was changed",
        Reason.COOLING: "the platform asked to wait",
        Reason.UNKNOWN: "its answer was lost: the post may or may not stand in the chat",
        Reason.HIDDEN_CONTEXT: "the text held the agent's inner context and was cut",
        Reason.WINDOW_CLOSED: "the platform no longer takes an answer to this message",
        Reason.POST_REJECTED: "the platform refuses the post as it is",
        Reason.CONVERSATION_GONE: "the chat is gone, or the bot is no longer in it",
        Reason.CREDENTIALS: "the platform refuses the bot's credentials: the operator must act",
        Reason.SOCKET_DEAF: "a socket is open, but nothing that people write would arrive",
        Reason.SOCKET_REFUSED: "a platform does not let a socket in: the operator must act",
        Reason.SOCKET_DOWN: "a socket has not stood for minutes: its platform cannot be reached",
        Reason.SOCKET_FAULT: "a fault of ours ended a socket; it was begun again",
    }
)


def meaning(reason: str) -> str:
    """Give the sentence of a reason, "" for a word that is none."""
    try:
        return MEANINGS[Reason(reason)]
    except ValueError:
        return ""
