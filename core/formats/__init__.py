"""Formats: how conversations of other programs are read and written, each behind one interface.

Start with ``base``, the interface, and ``source``, where data comes from. A new format is one file
with a class of that interface, and one entry in ``registry.FORMATS``; most are a ``JsonFormat``.
"""

from .base import Confidence, Format, Layout, Loaded, Written
from .json_text import dump_json, read_json
from .registry import (
    FORMATS,
    READABLE,
    WRITABLE,
    detect,
    format_for,
    format_named,
    load,
    load_all,
    messages_of,
)
from .source import Source

__all__ = [
    "FORMATS",
    "READABLE",
    "WRITABLE",
    "Confidence",
    "Format",
    "Layout",
    "Loaded",
    "Source",
    "Written",
    "detect",
    "dump_json",
    "format_for",
    "format_named",
    "load",
    "load_all",
    "messages_of",
    "read_json",
]
