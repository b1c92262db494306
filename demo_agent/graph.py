"""An agent without a model or a network, for trying Threadline out.

It repeats what it is told, word by word, so that the answer can be seen growing. `ACTS` lists the
first words that make it do something else.
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
            yield ChatGenerationChunk(message=AIMessageChunk(piece))
            await asyncio.sleep(SECONDS_A_PIECE)


async def sleep(message: BaseMessage, argument: str) -> str:
    """Wait that many seconds before the answer."""
    seconds = min(float(argument or 1), LONGEST_SLEEP)
    await asyncio.sleep(seconds)
    return f"Slept for {seconds:g} seconds."


async def boom(message: BaseMessage, argument: str) -> str:
    """Fail, as an agent with a fault does."""
    raise ValueError(argument or "boom")


async def ask(message: BaseMessage, argument: str) -> str:
    """Ask a question back and use what is answered."""
    question = {"question": argument or "Which colour?", "options": ["red", "green", "blue"]}
    return f"You chose: {interrupt(question)}"


async def long(message: BaseMessage, argument: str) -> str:
    """Answer with that many paragraphs and a block of code in the middle."""
    count = min(int(argument or 20), MOST_PARAGRAPHS)
    paragraphs = [PARAGRAPH.format(number=number) for number in range(1, count + 1)]
    paragraphs.insert(count // 2, CODE.format(count=count))
    return "\n".join(paragraphs)


async def images(message: BaseMessage, argument: str) -> str:
    """Say how many images came with the message."""
    count = sum(block["type"] == "image" for block in message.content_blocks)
    return f"You sent {count} image{'' if count == 1 else 's'}."


ACTS: Final = {"sleep": sleep, "boom": boom, "ask": ask, "long": long, "image?": images}


async def answer(state: MessagesState) -> dict[str, list[BaseMessage]]:
    """Do what the first word of the last message says, or repeat the message."""
    message = state["messages"][-1]
    word, _, argument = message.text.strip().partition(" ")
    if act := ACTS.get(word.lower()):
        text = await act(message, argument.strip())
    else:
        text = f"You said: {message.text}"
    return {"messages": [await Recital().ainvoke(text)]}


graph = StateGraph(MessagesState).add_sequence([answer]).set_entry_point("answer").compile()
