"""What a change did, in a sentence for a toast."""

from __future__ import annotations

from collections.abc import Iterator

from core.conversation.results import Result
from core.operations import Undo
from core.queries.notices import Offer
from ctxtui.render.text.numbers import tokens
from ctxtui.words import plural


def change_told(result: Result, word: str | None = None) -> str:
    """Return what a change did to the projection, and the key that takes it back."""
    operation = result.operation
    undo = "U redoes it" if isinstance(operation, Undo) else "u undoes it"
    name = word or (_list_name(operation) if isinstance(operation, tuple) else operation.title)
    if not result.diff and not result.created_batch:
        return f"{name}. {undo}."
    after = len(result.revision.view)
    before = after + len(result.diff.hidden) - len(result.diff.added) - len(result.diff.shown)
    change = result.tokens
    return (
        f"{name}{_batch(result)}: {before} → {after} messages, "
        f"{tokens(change.before)} → {tokens(change.after)} tokens. {undo}."
    )


def _list_name(operations: tuple[object, ...]) -> str:
    return plural(len(operations), "operation")


def _batch(result: Result) -> str:
    """Return which batch was opened; a list may have opened one and left it again."""
    if not result.created_batch:
        return ""
    batch = result.batch
    opened = [step.batch.id for step in result.steps or (result,) if step.created_batch]
    word = "opened" if batch.id in opened else "led to"
    return f" {word} batch {batch.number}"


def warnings_told(result: Result, new_errors: int, profile: str) -> Iterator[tuple[str, str]]:
    """Yield what else there is to say after a change: a title and a sentence each."""
    if new_errors > 0:
        told = plural(new_errors, "new error")
        yield "Lint", f"{told} for {profile}. L shows it, F repairs."
    if any(isinstance(notice, Offer) for notice in result.notices):
        total = tokens(result.tokens.after)
        yield "Offered", f"{total} tokens, above the threshold. K previews a cut."
