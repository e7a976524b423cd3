"""Chat messages as OpenAI has them and many others copy them, to and from core messages.

A chat message that is read and written again is the same: what a core message has no place for is
kept in notes (``metadata.openai``, or under another key for a format that only resembles it), of
the message or of a part. There, an unknown key stands under its own name; a known one (role,
content, arguments …) only says in which form it came, and counts as long as it fits what the
message holds now.
"""

from .reading import read_chat
from .writing import write_chat

__all__ = ["read_chat", "write_chat"]
