"""Formats: how conversations of other programs are read and written, each behind one interface.

Start with ``base``, the interface, and ``source``, where data is read from. A new format is one
module with a class of that interface (its signs, a reader, perhaps a writer) and one entry in
``registry.FORMATS``; most are a ``JsonFormat``. ``format_metadata`` has the table by which parts
are read and written, and stores what core has no field for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
_MODULES = {
    **dict.fromkeys(("Confidence", "Format", "Layout", "Loaded", "Written"), "base"),
    **dict.fromkeys(("dump_json", "read_json"), "json_text"),
    "Source": "source",
}


def __getattr__(name: str) -> Any:
    """Import what is used on first use: all formats together take long to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_MODULES.get(name, 'registry')}", __name__)
    globals()[name] = value = getattr(module, name)
    return value
