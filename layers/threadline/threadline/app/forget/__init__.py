"""Forgetting a person or a conversation, for an operator: found, shown, removed."""
