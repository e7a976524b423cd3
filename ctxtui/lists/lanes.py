"""The lanes that are watched: a heading for each run, two rows for a lane, one for side calls."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import LineSource
from ctxtui.models.run_tree import FlightNode, LaneNode, Node, RunHead, SideNode
from ctxtui.models.watching import Lane
from ctxtui.render.text.lines import Line
from ctxtui.render.watch.flights import asked_row, flight_row
from ctxtui.render.watch.rows import first_row, head_row, run_row, second_row, side_row

LANE_ROWS, OTHER_ROWS = 3, 2
"""Rows of a lane and of other lines, the last of them blank."""


class LaneSource(LineSource):
    """The lines of a tree of lanes, as they were at a moment."""

    def __init__(self, nodes: Sequence[Node], now: int) -> None:
        self.nodes = nodes
        self._now = now
        self._places = {node.key: at for at, node in enumerate(nodes)}

    def renew(self, nodes: Sequence[Node], now: int) -> bool:
        """Take over what is new of the same lines; False where these are others."""
        if [node.key for node in nodes] != list(self._places):
            return False
        self.nodes, self._now = nodes, now
        return True

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.nodes)

    def key(self, at: int) -> int:
        """Return the number of what stands there, which stays when others come."""
        return self.nodes[at].key

    def find(self, key: int) -> int | None:
        """Return the line of a run, a lane or what was asked beside one."""
        return self._places.get(key)

    def stop(self, at: int, way: int) -> int:
        """Return the nearest line that is no heading, on the way if there is one."""
        at = super().stop(at, way)
        for step in (way, -way):
            place = at
            while 0 <= place < len(self.nodes):
                if not isinstance(self.nodes[place], RunHead):
                    return place
                place += step
        return at

    def lane(self, at: int) -> Lane | None:
        """Return the lane of a line; of side calls, that of the newest."""
        node = self.nodes[at] if at < len(self.nodes) else None
        return node.lane if isinstance(node, LaneNode | SideNode) else None

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return head_row(width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return that a lane takes three rows, anything else two, the last of them blank."""
        return [
            Block(1, LANE_ROWS if isinstance(node, LaneNode | FlightNode) else OTHER_ROWS)
            for node in self.nodes
        ]

    def line(self, at: int, width: int) -> Line:
        """Return who it is."""
        node = self.nodes[at]
        if isinstance(node, RunHead):
            return run_row(node, width)
        if isinstance(node, FlightNode):
            return flight_row(node.flight, self._now, width)
        if isinstance(node, SideNode):
            return side_row(node, self._now, width)
        return first_row(node, self._now, width)

    def below(self, at: int, width: int) -> list[Line]:
        """Return how full it is."""
        node = self.nodes[at]
        if isinstance(node, FlightNode):
            return [asked_row(node.flight, width)]
        return [second_row(node, width)] if isinstance(node, LaneNode) else []
