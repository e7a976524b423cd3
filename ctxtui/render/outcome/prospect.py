"""What is drawn of an operation that nobody has done yet, worked out before it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ctxtui.core.conversation.results import Result
from ctxtui.core.suggestions import Hint, Suggestion
from ctxtui.core.what_if import Outcome
from ctxtui.models.look import Look
from ctxtui.render.diff.words import Edit
from ctxtui.render.text.ribbon import Weights


class Place(NamedTuple):
    """A message, and where it stands before or after; None where it doesn't."""

    raw: int
    position: int | None


class Moves(NamedTuple):
    """Messages that go, come or move: how many, and the first of them in visible order."""

    words: str
    sign: str
    kind: str
    tint: str
    number: int
    places: tuple[Place, ...]


class Neighbour(NamedTuple):
    """A line of the place where something changes: ``−`` goes, ``+`` comes, a blank stays."""

    sign: str
    place: Place


class Swap(NamedTuple):
    """New messages where others stand: the places around them, and how the text changes.

    ``edits`` is None where the texts are too long or too different to be compared.
    """

    around: tuple[Neighbour, ...]
    old: int | None
    new: int | None
    edits: Sequence[Edit] | None


class ProfileCount(NamedTuple):
    """What a profile's rules say about what is sent."""

    name: str
    errors: int
    warnings: int


class Held(NamedTuple):
    """What settings mean: findings by profile, tokens against the limit, batches above it."""

    profile: str
    counts: tuple[ProfileCount, ...]
    tokens: int
    counter: str
    limit: int | None
    batches_above: int
    highest: int


@dataclass(frozen=True)
class Prospect:
    """An operation as it stands in a form, and all that a preview tells of it."""

    look: Look
    asked: Mapping[str, Any]
    result: Result
    outcome: Outcome
    moves: tuple[Moves, ...]
    weights: Weights
    notes: tuple[str, ...] = ()
    swap: Swap | None = None
    held: Held | None = None
    hint: Hint | None = None
    hint_label: str = ""
    can_keep_system: bool = False
    can_keep_marks: bool = False


@dataclass(frozen=True)
class Start:
    """A form nobody has filled in: how things stand, and what one could start from."""

    look: Look
    sentence: str
    about: str
    suggestions: tuple[Suggestion, ...] = ()
    chosen: int = 0
    is_looking: bool = False
    held: Held | None = None
    position: int | None = None
    """Where something is to be put, if the form says so."""
