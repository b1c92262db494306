"""The dialect of DeerFlow's Gateway."""

from threadline.agents.deerflow.dialect import DeerFlow

__all__ = ["DeerFlow"]
