"""The list of all formats, and the ways to find the right one."""

from __future__ import annotations

from core.errors import Refused, shown
from core.formats.base import Format, Loaded
from core.formats.native import Native
from core.formats.openai import OpenAI
from core.formats.recognising import describe, recognise, recognise_lines

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
    kind = recognise(data)
    if kind is not None:
        raise _foreign(kind, data)
    raise Refused(
        f"{describe(data)} is in no known format; ctxtui reads {_readable()}{_why_not(data)}",
        field="format",
        value=data,
        legal=", ".join(known.name for known in FORMATS),
    )


def foreign_lines(source: bytes) -> Refused | None:
    """Return the refusal of a text with JSON in each line, by what that looks like."""
    kind = recognise_lines(source)
    return None if kind is None else _foreign(kind, None)


def _foreign(kind: str, data: object) -> Refused:
    return Refused(
        f"this looks like {kind}; ctxtui can't read that yet, only {_readable()}",
        field="format",
        value=data,
        legal=", ".join(known.name for known in FORMATS),
    )


def _readable() -> str:
    return " and ".join(f"{known.name} ({known.shape})" for known in FORMATS)


def _why_not(data: object) -> str:
    """Return what keeps data that seems to have messages from being a chat."""
    match data:
        case {"messages": _} | [{"role": _}, *_]:
            try:
                OpenAI().read(data)
            except Refused as refusal:
                return f"; {refusal}"
    return ""
