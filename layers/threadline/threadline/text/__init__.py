"""Markdown by its structure; never imported while a webhook is being answered."""
