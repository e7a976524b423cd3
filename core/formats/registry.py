"""The list of all formats, and the ways to find the right one."""

from __future__ import annotations

from core.errors import Refused, shown
from core.formats.base import Format, Loaded
from core.formats.native import Native
from core.formats.openai import OpenAI
from core.messages import read_messages

FORMATS: tuple[Format, ...] = (Native(), OpenAI())
"""Every format, in the order in which data is tried."""


def format_named(name: str) -> Format:
    """Return a format by its name, or refuse the name."""
    for known in FORMATS:
        if known.name == name:
            return known
    legal = ", ".join(known.name for known in FORMATS)
    raise Refused(
        f"format {shown(name)} is not one of {legal}", field="format", value=name, legal=legal
    )


def load(data: object, name: str | None = None) -> Loaded:
    """Read parsed JSON in a named format, or in the first one that it looks like."""
    if name is not None:
        return format_named(name).read(data)
    for known in FORMATS:
        if known.detects(data):
            return known.read(data)
    shapes = ", ".join(f"{known.name} ({known.shape})" for known in FORMATS)
    raise Refused(
        f"{shown(data)} is in no known format; looked for {shapes}{_why_not(data)}",
        field="format",
        value=data,
        legal=", ".join(known.name for known in FORMATS),
    )


def _why_not(data: object) -> str:
    """Return what keeps a list from being a list of messages."""
    if not isinstance(data, list) or not data:
        return ""
    try:
        read_messages(data)
    except Refused as refusal:
        return f"; {refusal}"
    return ""
