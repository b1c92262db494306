"""Threadline connects chat platforms to agents that speak the LangGraph API."""
