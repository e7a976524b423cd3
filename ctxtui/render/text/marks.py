"""Marks: the sign of a marked message, in the colour of its label."""

from __future__ import annotations

from zlib import crc32

from ctxtui.models.look import Look
from ctxtui.render.text.lines import Piece

COLOURS = ("mark", "mark-2", "mark-3", "mark-4")


def mark_kind(label: str) -> str:
    """Return the colour of a label, the same in every conversation."""
    return COLOURS[crc32(label.encode("utf-8", "surrogatepass")) % len(COLOURS)]


def star(look: Look, raw: int) -> Piece | None:
    """Return the sign of a marked message, in the colour of its first label."""
    labels = look.marked.get(raw)
    return None if labels is None else Piece("★", mark_kind(labels[0]))
