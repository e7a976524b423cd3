"""What a search found in all sessions: a line for each place, with the words around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import Row
from ctxtui.lists.source import NumberedSource
from ctxtui.render.library.found import found_head, found_row
from ctxtui.render.text.lines import Line


class HitSource(NumberedSource):
    """A line for every place that was found; the title stands where a session begins."""

    def __init__(self, hits: Sequence[Hit], known: Mapping[str, Row]) -> None:
        self.hits = hits
        self.known = known

    def __len__(self) -> int:
        """Return how many places were found."""
        return len(self.hits)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return found_head(width)

    def line(self, at: int, width: int) -> Line:
        """Return one place."""
        hit = self.hits[at]
        is_first = at in (0, self.top) or self.hits[at - 1].id != hit.id
        return found_row(hit, self.known.get(hit.id), is_first, width)
