"""Anthropic messages and their content blocks, to and from core messages.

Several programs write them: the API itself and Claude Code. What a core part has no place for is
noted in ``metadata.anthropic`` of the part, whoever wrote the file, so that cache markers and
citations go from one to the other.
"""

from .parts import NOTES, holds, read_blocks, write_blocks
from .turns import left_out_of, read_turn, write_content

__all__ = [
    "NOTES",
    "holds",
    "left_out_of",
    "read_blocks",
    "read_turn",
    "write_blocks",
    "write_content",
]
