"""The dialect of LangGraph Server and LangGraph Platform."""

from threadline.agents.langgraph.dialect import LangGraph

__all__ = ["LangGraph"]
