"""What the agent reads: text, images as content blocks, other files as links in the text."""

import base64

from threadline.core.agent import InlineImage, Prompt, StoredFile
from threadline.core.ids import TurnId
from threadline.core.json import Json, JsonObject


def human_message(prompt: Prompt, turn: TurnId) -> JsonObject:
    """Make the message of a turn; its id is the turn's, by which the run finds its own again."""
    return {"type": "human", "id": turn, "content": _content(prompt)}


def as_text(prompt: Prompt) -> str:
    """Say everything in text, as the answer to an agent's question must be."""
    images = [f"- image ({image.mime}), which cannot be shown here" for image in prompt.images]
    return _with_list(prompt.text, [*images, *map(_listed, prompt.files)])


def _content(prompt: Prompt) -> Json:
    text = _with_list(prompt.text, list(map(_listed, prompt.files)))
    if not prompt.images:
        return text
    words: list[Json] = [{"type": "text", "text": text}] if text else []
    return [*words, *map(_block, prompt.images)]


def _block(image: InlineImage) -> JsonObject:
    """The one shape that every chat model of LangChain takes: a data URL."""
    content = base64.b64encode(image.content).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime};base64,{content}"}}


def _listed(file: StoredFile) -> str:
    if file.problem:
        return f"- {file.name}: could not be read ({file.problem})"
    return f"- {file.name} ({file.mime})" + (f": {file.link}" if file.link else "")


def _with_list(text: str, lines: list[str]) -> str:
    if not lines:
        return text
    return "\n\n".join(filter(None, [text, "\n".join(["Attached files:", *lines])]))
