"""Recipes: lists of operations without a conversation, to be run on any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.comparison import common_prefix
from core.conversation import Conversation
from core.dialects import read_operation
from core.errors import Refused, not_a
from core.history import Revision, ancestor
from core.lint import lint_state
from core.operations import Operation
from core.plain import Told
from core.results import Result
from core.state import State

Recipe = tuple[Operation, ...]


def read_recipe(data: object) -> Recipe:
    """Return a recipe from a JSON list of operations in any dialect, or refuse it."""
    if not isinstance(data, list | tuple):
        raise not_a("recipe", data, "a list of operations")
    if not data:
        raise Refused("recipe [] holds no operation", field="recipe", value=[], legal="one or more")
    read = []
    for i, one in enumerate(data):
        try:
            read.append(read_operation(one))
        except Refused as refusal:
            raise refusal.at(i) from None
    return tuple(read)


def record_recipe(conversation: Conversation, first: int, last: int) -> Recipe:
    """Return the operations of a stretch of the path, both revisions included, as a recipe."""
    current = conversation.current
    revisions = conversation.revisions
    for name, id in (("first", first), ("last", last)):
        if not 0 <= id < len(revisions) or not _is_above(conversation, revisions[id], current):
            raise not_a(name, id, "a revision of this path")
    if revisions[first].depth > revisions[last].depth:
        raise not_a("first", first, f"a revision up to {last}")
    depths = range(revisions[first].depth, revisions[last].depth + 1)
    made = [ancestor(revisions, current, depth).operation for depth in depths]
    recipe = tuple(operation for operation in made if operation is not None)
    if not recipe:
        raise not_a("first", first, "a revision that an operation made")
    return recipe


def _is_above(conversation: Conversation, revision: Revision, current: Revision) -> bool:
    if revision.depth > current.depth:
        return False
    return ancestor(conversation.revisions, current, revision.depth).id == revision.id


@dataclass(frozen=True, slots=True)
class Standing(Told):
    """What a projection amounts to: messages, tokens, lint."""

    messages: int
    tokens: int
    counter: str
    errors: int
    warnings: int


@dataclass(frozen=True, slots=True)
class Outcome(Told):
    """What one recipe would make of a conversation; figures are None where it was refused."""

    name: str
    ok: bool
    error: str | None = None
    messages: int | None = None
    tokens: int | None = None
    counter: str | None = None
    errors: int | None = None
    warnings: int | None = None
    marks_lost: int | None = None
    prefix_messages: int | None = None
    prefix_tokens: int | None = None


def standing(state: State, profile: str | None = None) -> Standing:
    """Return what a state's projection amounts to."""
    findings = lint_state(state, profile)
    errors = sum(finding.severity == "error" for finding in findings)
    tokens = state.total(state.current)
    return Standing(len(state.view), tokens, state.counter, errors, len(findings) - errors)


def what_if(
    conversation: Conversation,
    recipes: Mapping[str, Sequence[Any]] | Iterable[tuple[str, Sequence[Any]]],
    profile: str | None = None,
) -> list[Outcome]:
    """Return what each recipe would make of the same state; nothing is changed.

    Executing a recipe as a list makes its outcome a branch.
    """
    named = recipes.items() if isinstance(recipes, Mapping) else recipes
    return [_outcome(conversation, name, recipe, profile) for name, recipe in named]


def _outcome(
    conversation: Conversation, name: str, recipe: Sequence[Any], profile: str | None
) -> Outcome:
    try:
        result = conversation.preview(list(recipe))
    except Refused as refusal:
        return Outcome(name, False, str(refusal))
    after = result.moment
    reached = standing(after, profile)
    prefix = common_prefix(after, conversation.view, after.view)
    return Outcome(
        name,
        True,
        None,
        reached.messages,
        reached.tokens,
        reached.counter,
        reached.errors,
        reached.warnings,
        marks_lost(conversation, result),
        prefix.messages,
        prefix.tokens,
    )


def marks_lost(conversation: Conversation, result: Result) -> int:
    """Return how many marked messages were visible before and would not be any more."""
    marked = {raw for found in conversation.marks.values() for raw in found}
    return sum(raw in marked for raw in result.diff.hidden)
