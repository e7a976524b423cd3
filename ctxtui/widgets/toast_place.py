"""Where toasts stand: in a corner nobody works in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from textual.geometry import Region, Size

NARROWEST = 30
"""Cells a pane must have for a toast to stand within it."""


class Scenery(NamedTuple):
    """What is on a screen, as far as it matters to toasts."""

    size: Size
    panes: Sequence[Region]
    """Panes that nobody works in."""
    worked_in: Region
    """The pane that has the focus."""
    never: Sequence[Region]
    """What must stay in sight: a prompt, a button, the row of the cursor, the line of keys."""


def toast_spot(scenery: Scenery, wanted: int, height_for: Callable[[int], int]) -> Region:
    """Return where toasts stand that would like to be so wide, and are so high for a width.

    That is the lowest pane nobody works in, below at the right; where that would cover something,
    the next best spot; and where every spot covers something, the one that covers least of it.
    """
    spots = [spot for place in _places(scenery) for spot in _corners(place, wanted, height_for)]
    return min(spots, key=lambda spot: _harm(scenery, spot))


def _places(scenery: Scenery) -> list[Region]:
    panes = [pane for pane in scenery.panes if pane.width >= NARROWEST]
    panes.sort(key=lambda pane: (pane.bottom, pane.right), reverse=True)
    return [*panes, scenery.size.region]


def _corners(place: Region, wanted: int, height_for: Callable[[int], int]) -> Iterator[Region]:
    """Yield the corners of a place within its border, in the order in which they are liked."""
    width = max(1, min(wanted, place.width - 2))
    height = height_for(width)
    for y in (place.bottom - height - 1, place.y + 1):
        for x in (place.right - width - 1, place.x + 1):
            yield Region(x, y, width, height)


def _harm(scenery: Scenery, spot: Region) -> tuple[int, int, int]:
    """Return how much a spot covers of what must be seen, how much is cut, and what is bothered."""
    hidden = sum(spot.intersection(one).area for one in scenery.never)
    cut = spot.area - spot.intersection(scenery.size.region).area
    return hidden, cut, spot.intersection(scenery.worked_in).area
