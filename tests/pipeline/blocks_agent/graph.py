"""An agent with everything that a stream of events tells in a way of its own.

Its model thinks, calls a tool and answers; then a subgraph speaks. Asked for `both`, two models
speak at once; asked for `again`, one fails in the middle and another takes its place; asked to
`ask`, a model's content is the question. What it was given as context stands in the answer.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

CALL: Final = "call-1"
BROKEN: Final = "the model broke off"


@dataclass
class Given:
    """What a run of this agent takes as context; anything else would be refused."""

    user_id: str = ""


class Speaker(BaseChatModel):
    """A chat model that says what it is told to, piece by piece."""

    says: list[AIMessageChunk]

    @property
    def _llm_type(self) -> str:
        return "speaker"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        del messages
        return ChatResult(generations=[ChatGeneration(message=AIMessage("not streamed"))])

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        del messages
        for chunk in self.says:
            if chunk.content == BROKEN:
                raise ConnectionError(chunk.content)
            yield ChatGenerationChunk(message=chunk)
            await asyncio.sleep(0.01)


async def said(*contents: Any) -> BaseMessage:
    """Let a model say this, a piece for each."""
    chunks = [
        one if isinstance(one, AIMessageChunk) else AIMessageChunk(content=one) for one in contents
    ]
    return await Speaker(says=chunks).ainvoke("speak")


async def reasoned(*words: str) -> BaseMessage:
    """Let a model think, and then say this."""
    thought = [{"type": "reasoning", "reasoning": "unsaid", "index": 0}]
    return await said(thought, *[[{"type": "text", "text": one, "index": 1}] for one in words])


async def think(state: MessagesState, runtime: Runtime[Given]) -> dict[str, list[BaseMessage]]:
    """Think, call a tool, and answer."""
    if state["messages"][-1].text == "both":
        pair = await asyncio.gather(said("left ", "and ", "on"), said("right ", "and ", "off"))
        return {"messages": [*pair, await said("both ", "spoke")]}
    if state["messages"][-1].text == "again":
        with contextlib.suppress(ConnectionError):
            await said("not ", BROKEN)
        return {"messages": [await said("well ", "said")]}
    if state["messages"][-1].text == "ask":
        return {
            "messages": [AIMessage(f"You chose {interrupt((await reasoned('Which?')).content)}")]
        }
    called = AIMessageChunk(
        content="", tool_call_chunks=[tool_call_chunk(name="look", args="{}", id=CALL)]
    )
    return {
        "messages": [
            await said([{"type": "text", "text": "Let me see", "index": 0}], called),
            ToolMessage("found", tool_call_id=CALL, name="look"),
            await reasoned(f"I know {runtime.context.user_id}", " well"),
        ]
    }


async def inner(state: MessagesState) -> dict[str, list[BaseMessage]]:
    """Say what stays inside."""
    await said("inside ", "only")
    return {"messages": []}


subgraph = StateGraph(MessagesState).add_node(inner).add_edge(START, "inner").compile()
graph = (
    StateGraph(MessagesState, context_schema=Given)
    .add_node(think)
    .add_node("inside", subgraph)
    .add_edge(START, "think")
    .add_edge("think", "inside")
    .compile()
)
