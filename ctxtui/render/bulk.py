"""The head of a screen on which many sessions are changed or written, before that is done."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.render.text.lines import Line, Piece
from ctxtui.words import percent, plural


class BulkHead(NamedTuple):
    """What is done, to what, how finding out is called, and what is not done before it is asked."""

    name: str
    about: str
    doing: str = "looking"
    until: str = "changed"


def bulk_head(
    head: BulkHead, count: int, progress: float | None, width: int, so_far: str = ""
) -> Line:
    """Return the head line: what it is about, and how far it is or that nothing is done yet."""
    line: Line = [
        Piece(f" {head.name} ", "bright"),
        Piece(f" {head.about} ", "muted"),
        Piece(plural(count, "session"), "bright"),
        Piece("   "),
    ]
    if progress is not None:
        doing = so_far or f"{head.doing} … {percent(progress, 1)}"
        return [*line, Piece(f" {doing}", "warn")]
    return [
        *line,
        Piece(" dry run ", "chip"),
        Piece(f" nothing is {head.until} until ctrl+s", "muted"),
    ]
