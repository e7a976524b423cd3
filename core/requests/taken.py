"""An exchange that was taken in: its bodies read, and all that a model was told."""

from __future__ import annotations

from dataclasses import dataclass

from .asked import Answered, Asked, Sent
from .exchange import Exchange


@dataclass(frozen=True, slots=True)
class Taken:
    """An exchange with its bodies read; ``sent`` is all a model was told.

    ``carried`` are the positions in it that the body did not write, but named by an id.
    """

    exchange: Exchange
    asked: Asked
    answered: Answered | None
    sent: tuple[Sent, ...]
    carried: range
