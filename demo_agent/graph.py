"""An agent without a model or a network, for trying Threadline out.

It repeats what it is told, word by word, so that the answer can be seen growing. `ACTS` lists what
else can be asked of it: `sleep 5`, `boom`, `ask Which size?`, `long 30`, `image?`.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import MessagesState, StateGraph
from langgraph.types import interrupt

SECONDS_A_PIECE: Final = 0.04
LONGEST_SLEEP: Final = 3600.0
MOST_PARAGRAPHS: Final = 400

PARAGRAPH: Final = """\
Paragraph {number}. The quick brown fox jumps over the lazy dog, **again** and _again_, and a \
[link](https://example.com/{number}) leads nowhere in particular.
"""
CODE: Final = """\
```python
for number in range({count}):
    print("line", number)
```
"""


class Recital(BaseChatModel):
    """A chat model whose answer is the text of the last message, one word after the other."""

    @property
    def _llm_type(self) -> str:
        return "recital"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(messages[-1].text))])

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in re.findall(r"\s*\S+\s*?", messages[-1].text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
            await asyncio.sleep(SECONDS_A_PIECE)


async def sleep(message: BaseMessage, seconds: str) -> str:
    """Wait that many seconds before the answer."""
    length = min(float(seconds), LONGEST_SLEEP)
    await asyncio.sleep(length)
    return f"Slept for {length:g} seconds."


async def boom(message: BaseMessage, why: str) -> str:
    """Fail, as an agent with a fault does."""
    raise ValueError(why or "boom")


async def ask(message: BaseMessage, question: str) -> str:
    """Ask a question back and use what is answered."""
    options = ["red", "green", "blue"]
    answered = interrupt({"question": question or "Which colour?", "options": options})
    return f"You chose: {answered}"


async def long(message: BaseMessage, paragraphs: str) -> str:
    """Answer with that many paragraphs and a block of code in the middle."""
    count = min(int(paragraphs), MOST_PARAGRAPHS)
    parts = [PARAGRAPH.format(number=number) for number in range(1, count + 1)]
    parts.insert(count // 2, CODE.format(count=count))
    return "\n".join(parts)


async def images(message: BaseMessage, _: str) -> str:
    """Say how many images came with the message."""
    count = sum(block["type"] == "image" for block in message.content_blocks)
    return f"You sent {count} image{'' if count == 1 else 's'}."


async def echo(message: BaseMessage, text: str) -> str:
    """Repeat the message."""
    return f"You said: {text}"


ACTS: Final = (
    (re.compile(r"sleep (\d+(?:\.\d+)?)", re.IGNORECASE), sleep),
    (re.compile(r"boom\b\s*(.*)", re.IGNORECASE | re.DOTALL), boom),
    (re.compile(r"ask\b\s*(.*)", re.IGNORECASE | re.DOTALL), ask),
    (re.compile(r"long (\d+)", re.IGNORECASE), long),
    (re.compile(r"image(\?)", re.IGNORECASE), images),
    (re.compile(r"(.*)", re.DOTALL), echo),
)
"""What a whole message may look like, and what is then done with it."""


async def answer(state: MessagesState) -> dict[str, list[BaseMessage]]:
    """Do what the last message says, or repeat it."""
    message = state["messages"][-1]
    for pattern, act in ACTS:
        if said := pattern.fullmatch(message.text.strip()):
            text = await act(message, said[1])
            return {"messages": [await Recital().ainvoke(text)]}
    raise AssertionError("the last pattern fits everything")


graph = StateGraph(MessagesState).add_sequence([answer]).set_entry_point("answer").compile()
