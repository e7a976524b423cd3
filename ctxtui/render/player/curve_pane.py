"""The pane of the curve: the curve, how far it has been played, and the names of the records."""

from __future__ import annotations

from ctxtui.models.journey import Journey
from ctxtui.render.batch.fields import operation_title
from ctxtui.render.player.curve import Curve
from ctxtui.render.text.lines import Line

MOST_NAMES = 60
BAR_ROWS = 1
NAME_ROWS = 1
FEW_ROWS = 4
"""Rows below which there is only the curve."""


class CurvePicture:
    """Draws a journey again and again; what does not depend on the record is worked out once."""

    def __init__(self, journey: Journey) -> None:
        self._journey = journey
        self._curves: dict[int, Curve] = {}

    def curve(self, width: int) -> Curve:
        """Return the curve for a width."""
        if width not in self._curves:
            self._curves = {width: Curve(self._journey, width)}
        return self._curves[width]

    def lines(self, place: int, width: int, height: int) -> list[Line]:
        """Return the pane with a record as the one that is shown."""
        curve = self.curve(width)
        if height < FEW_ROWS:
            return curve.lines(place, height)
        shown = curve.lines(place, height - BAR_ROWS - NAME_ROWS)
        return [*shown, curve.bar(place), curve.names(self._titles(), self._name(place), place)]

    def _titles(self) -> list[str]:
        """Return the names of all records, where there are few."""
        count = len(self._journey)
        return [self._name(place) for place in range(count)] if count <= MOST_NAMES else []

    def _name(self, place: int) -> str:
        record = self._journey.conversation.journal[place]
        return "LIST" if record.listed else operation_title(record.operations[0])
