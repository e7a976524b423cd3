"""The rules of training data, beyond those all share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import shown
from ..messages.facts import VOID
from .projection import Projection
from .rule import Breach, Rule

TRAINED = ("system", "developer", "user", "assistant", "tool", "function")
"""The roles that a fine-tuning file may name."""
WRITTEN_AS = "openai"
"""The format of such a file: under its name messages note the role they were read by."""


def no_assistant(p: Projection) -> Iterator[Breach]:
    """Nothing to learn from."""
    if not p.of_role("assistant"):
        yield Breach(None, "No assistant message is visible.")


def empty_assistant(p: Projection) -> Iterator[Breach]:
    """An empty assistant message without a call."""
    for position in p.positions(VOID):
        if p.role(position) == "assistant":
            yield Breach(position, "This assistant message is empty.")


def assistant_not_last(p: Projection) -> Iterator[Breach]:
    """A sample that does not end with the assistant."""
    if p.size and p.role(p.size - 1) != "assistant":
        yield Breach(p.size - 1, "The last message is not the assistant's.")


def unknown_role(p: Projection) -> Iterator[Breach]:
    """A role that no trainer knows, which stands in the file as it was read."""
    for position, raw in enumerate(p.raws):
        metadata = p.log[raw].metadata
        noted = metadata and metadata.get(WRITTEN_AS)
        role = noted.get("role") if isinstance(noted, Mapping) else None
        if isinstance(role, str) and role not in TRAINED:
            yield Breach(position, f"No trainer knows the role {shown(role)}.")


RULES = (
    Rule(
        "F1",
        "error",
        "no assistant",
        no_assistant,
        profiles=("fine-tuning",),
        of_empty=True,
        why="Only what the assistant says is learned from.",
    ),
    Rule(
        "F2",
        "error",
        "empty assistant",
        empty_assistant,
        profiles=("fine-tuning",),
        why="An empty answer teaches to say nothing.",
    ),
    Rule(
        "F3",
        "warning",
        "assistant not last",
        assistant_not_last,
        profiles=("fine-tuning",),
        why="What stands behind the last answer is not learned from.",
    ),
    Rule(
        "F4",
        "error",
        "unknown role",
        unknown_role,
        profiles=("fine-tuning",),
        why="A message of any other role is written with it again, and the file is refused.",
    ),
)
