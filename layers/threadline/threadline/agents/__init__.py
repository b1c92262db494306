"""Agents that speak the LangGraph API: shared readings, and a folder per dialect."""
