"""ChatGPT's export: conversations as trees of messages, each in a mapping of nodes.

Start with ``format``; ``contents`` has what a message says, ``nodes`` the tree around it.
"""

from .format import ChatGPT

__all__ = ["ChatGPT"]
