"""Responses items, to and from core messages: what the API takes and gives, and Codex records.

The assistant's items in a row (thoughts, calls, a message) are one core message. What a part or a
message has no place for is noted in ``metadata.responses``, whoever wrote the file.
"""

from .reading import Given, read_items
from .shapes import NOTES
from .writing import Made, tell_left_out, write_items

__all__ = ["NOTES", "Given", "Made", "read_items", "tell_left_out", "write_items"]
