"""Which bindings a message reaches."""

from dataclasses import dataclass

from threadline.core.ids import ThreadId
from threadline.core.settings import Binding


@dataclass(frozen=True, slots=True)
class Choice:
    """One binding's verdict on a message; `reason` is empty where it fires.

    `topic` is the conversation's topic under this binding, `thread` an agent thread id the
    platform prescribes ("" for none), `prompt` what the agent reads where the binding decides over
    it ("" for the message's own).
    """

    binding: Binding
    topic: str
    reason: str = ""
    thread: ThreadId = ThreadId("")
    prompt: str = ""
