"""How a prompt ends: what becomes of the agent's final message, which the binding decides."""

from threadline.core.message import Message
from threadline.core.settings import ReplyMode
from threadline.platforms.github import facts


def closing(message: Message, reply: ReplyMode) -> str:
    """Tell the agent whether its final message is posted, and how to answer where it is not."""
    number, thread = message.facts[facts.NUMBER], message.facts.get(facts.THREAD)
    place = f"{message.chat}#{number}"
    if thread:
        place = f"the review thread on {place}"
    if reply is not ReplyMode.LOG:
        return (
            f"Your final message is posted as a comment in {place}, as it stands: write it for the"
            " people there, and do not post the same words a second time."
        )
    return (
        "Your final message is only written to a log; nobody on GitHub reads it. To say something"
        f" in {place}, post it yourself, with the text on standard input:\n"
        f"{_command(message, number, thread)}"
    )


def _command(message: Message, number: str, thread: str | None) -> str:
    if thread:
        path = f"repos/{message.chat}/pulls/{number}/comments/{thread}/replies"
        return f"gh api {path} -F body=@-"
    kind = "pr" if facts.IS_PULL in message.facts else "issue"
    return f"gh {kind} comment {number} --repo {message.chat} --body-file -"
