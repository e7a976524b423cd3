"""Messages laid out as Markdown. Start with ``layout.py``."""
