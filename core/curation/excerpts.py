"""Excerpts: what stands around hits, before and after, for a dry run to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..messages.message import Message
from ..messages.parts import ToolUsePart
from .replacing import ReplaceHit
from .texts import NAME, Path, TextPlace, Walk

AROUND = 40
"""Characters that are shown on either side of a hit; hits that are nearer stand together."""
CUT = "…"


class Piece(NamedTuple):
    """A stretch of an excerpt: as it is, or what is or would be at the place of a hit."""

    text: str
    hit: ReplaceHit | None = None


class Excerpt(NamedTuple):
    """Some hits that stand together in a text, with what is around them."""

    path: Path
    label: str
    """What the text is, where it is nothing that was said: a tool's name and an argument."""
    hits: tuple[ReplaceHit, ...]
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]


def excerpts(message: Message, found: Sequence[ReplaceHit], around: int = AROUND) -> list[Excerpt]:
    """Return what there is to show of the hits of one message."""
    return of_places(Walk().message(message), found, around, message)


def of_places(
    places: Iterable[TextPlace],
    found: Sequence[ReplaceHit],
    around: int = AROUND,
    message: Message | None = None,
) -> list[Excerpt]:
    """Return what there is to show of hits in a message, or beside the messages."""
    texts = {place.path: place.text for place in places}
    made: list[Excerpt] = []
    for path, grouped in groupby(found, key=lambda hit: hit.path):
        some = list(grouped)
        for together in _together(some, around):
            made.append(_excerpt(texts[path], _label(message, some[0]), together, around))
    return made


def _together(found: list[ReplaceHit], around: int) -> Iterator[tuple[ReplaceHit, ...]]:
    """Yield hits that are so near that what is between them is shown."""
    start = 0
    for at in range(1, len(found) + 1):
        if at == len(found) or found[at].start - found[at - 1].end > 2 * around:
            yield tuple(found[start:at])
            start = at


def _excerpt(text: str, label: str, found: tuple[ReplaceHit, ...], around: int) -> Excerpt:
    first, last = max(0, found[0].start - around), min(len(text), found[-1].end + around)
    old: list[Piece] = [Piece(CUT)] if first else []
    new, at = list(old), first
    for hit in found:
        between = [Piece(text[at : hit.start])] if hit.start > at else []
        old += [*between, Piece(hit.before, hit)]
        new += [*between, Piece(hit.after, hit)]
        at = hit.end
    rest = [Piece(text[at:last])] if last > at else []
    rest += [Piece(CUT)] if last < len(text) else []
    return Excerpt(found[0].path, label, found, (*old, *rest), (*new, *rest))


def _label(message: Message | None, hit: ReplaceHit) -> str:
    """Return what a text is: nothing where it was said, the field where it is an argument."""
    path = hit.path
    if message is None or hit.kind == NAME or hit.where in ("", "text", "tool result"):
        return "" if message is not None and hit.kind != NAME else hit.where
    part = message.parts[path[0]] if isinstance(path[0], int) else None
    if isinstance(part, ToolUsePart) and path[1] == "input":
        names = ".".join(str(step) for step in path[2:])
        return f"{part.name} {names}".rstrip()
    return hit.where
