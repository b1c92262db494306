"""An agent that works in so many steps: in all it says 1,000 words, and its state ends at 200 KB.

The message is the number of steps. In each the model says its share of the words, and what was
found meanwhile goes into the state.
"""

import operator
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph

WORDS: Final = 1000
STATE: Final = 200_000


class Found(MessagesState):
    """What was said, and what was found."""

    found: Annotated[list[str], operator.add]


class Speaker(BaseChatModel):
    """A chat model that streams the text of the last message, one word after the other."""

    @property
    def _llm_type(self) -> str:
        return "speaker"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(messages[-1].text))])

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for word in re.findall(r"\S+ ", messages[-1].text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))


def steps(state: Found) -> int:
    """Give how many steps were asked for."""
    return int(state["messages"][0].text)


async def step(state: Found) -> dict[str, Any]:
    """Say a share of the words and find a share of the state."""
    taken, number = len(state["found"]), steps(state)
    first, last = taken * WORDS // number, (taken + 1) * WORDS // number
    words = "".join(f"word{word:03d} " for word in range(first, last))
    said = await Speaker().ainvoke(words)
    return {"messages": [said], "found": ["x" * (STATE // number - len(words))]}


def more(state: Found) -> Literal["step", "__end__"]:
    """Go on until every step was taken."""
    return "step" if len(state["found"]) < steps(state) else "__end__"


graph = (
    StateGraph(Found)
    .add_node(step)
    .add_edge(START, "step")
    .add_conditional_edges("step", more)
    .compile()
)
