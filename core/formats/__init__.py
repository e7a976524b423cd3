"""Formats: how conversations of other programs are read and written, each behind one interface.

A new format is one file with a class of that interface, and one entry in ``registry.FORMATS``.
"""

from core.formats.base import Format, Loaded, Written
from core.formats.json_text import dump_json, read_json
from core.formats.registry import FORMATS, foreign_lines, format_named, load

__all__ = [
    "FORMATS",
    "Format",
    "Loaded",
    "Written",
    "dump_json",
    "foreign_lines",
    "format_named",
    "load",
    "read_json",
]
