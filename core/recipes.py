"""Recipes: lists of operations that fit any conversation."""

from __future__ import annotations

from .conversation.conversation import Conversation
from .engine.dialects import read_operation
from .engine.operation import Operation
from .engine.revisions import ancestor, is_on_way
from .errors import Refused, wrong_type

Recipe = tuple[Operation, ...]


def read_recipe(data: object) -> Recipe:
    """Return a recipe from a JSON list of operations in any dialect, or refuse it."""
    if not isinstance(data, list | tuple):
        raise wrong_type("recipe", data, "a list of operations")
    if not data:
        raise Refused("recipe [] holds no operation", "recipe", [], "one or more")
    read = []
    for i, one in enumerate(data):
        try:
            read.append(read_operation(one))
        except Refused as refusal:
            raise refusal.with_step(i) from None
    return tuple(read)


def record_recipe(conversation: Conversation, first: int, last: int) -> Recipe:
    """Return the operations of a range of the path, both revisions included, as a recipe."""
    current = conversation.current
    revisions = conversation.revisions
    for name, id in (("first", first), ("last", last)):
        if not 0 <= id < len(revisions) or not is_on_way(revisions, id, current):
            raise wrong_type(name, id, "a revision of this path")
    if revisions[first].depth > revisions[last].depth:
        raise wrong_type("first", first, f"a revision up to {last}")
    depths = range(revisions[first].depth, revisions[last].depth + 1)
    made = [ancestor(revisions, current, depth).operation for depth in depths]
    recipe = tuple(operation for operation in made if operation is not None)
    if not recipe:
        raise wrong_type("first", first, "a revision that an operation made")
    return recipe
