"""What a change did, in the words of a toast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ctxtui.core.conversation.conversation import Result
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.messages import Message
from ctxtui.core.engine.operations import Delete, Redact, Redo, Truncate, Undo
from ctxtui.core.engine.queries import Offer
from ctxtui.core.engine.settings import Settings
from ctxtui.text.numbers import tokens
from ctxtui.text.plurals import percent, plural
from ctxtui.text.toast import Toast, done, warned

UNDOES = ("u", "undoes it")


def change_toast(result: Result, word: str | None = None, turned: Record | None = None) -> Toast:
    """Return what a change did to the projection, and the key that takes it back.

    ``turned`` is the change that was undone or redone, where that is what was done.
    """
    operation, moved = result.operation, _moved(result)
    if isinstance(operation, Undo):
        back = f"Back in batch {result.batch.number}: {moved}" if moved else ""
        return done(f"Undone: {record_name(turned)}", back, ("U", "redoes it"))
    if isinstance(operation, Redo):
        name = f"Redone: {record_name(turned)}"
    else:
        name = word or (_list_name(operation) if isinstance(operation, tuple) else operation.title)
    if isinstance(operation, Redact) and result.diff.added:
        # Removed from what is sent is not removed from the session.
        moved = f"{moved} {kept_by_redact(result).capitalize()} (squash --purge removes those)."
    if isinstance(operation, Delete) and result.diff.hidden:
        moved = f"Hidden: {_named(result.diff.hidden)}. {moved}"
    return done(f"{name}{_batch(result)}", moved, UNDOES)


MOST_NAMED = 5


def _named(raws: Sequence[int]) -> str:
    """Return which messages these are, by their raw indices."""
    listed = ", ".join(f"{raw:,}" for raw in raws[:MOST_NAMED])
    more = len(raws) - MOST_NAMED
    return f"raw {listed}{f' and {more:,} more' if more > 0 else ''}"


def _moved(result: Result) -> str:
    """Return how many messages and tokens there were and are; nothing where none has moved."""
    if not result.diff and not result.created_batch:
        return ""
    after = len(result.revision.view)
    before = after + len(result.diff.hidden) - len(result.diff.added) - len(result.diff.shown)
    sizes = result.tokens
    return (
        f"{before:,} → {after:,} messages, {tokens(sizes.before)} → {tokens(sizes.after)} tokens."
    )


def kept_by_redact(result: Result) -> str:
    """Return what REDACT left of the copies: calls, names and ids; and the hidden originals."""
    log, added = result.moment.log, result.diff.added
    calls = sum(len(log[raw].calls) for raw in added)
    called = f"{plural(calls, 'tool call')} with {'its' if calls == 1 else 'their'} arguments, "
    names = "names, " if any(_has_author(log[raw]) for raw in added) else ""
    return f"kept: {called if calls else ''}{names}ids, and the hidden originals"


def _has_author(message: Message) -> bool:
    """Return whether a format has noted the name of who said a message."""
    notes = (message.metadata or {}).values()
    return any(isinstance(one, Mapping) and "name" in one for one in notes)


def record_name(record: Record | None) -> str:
    """Return what a change is called: its operation, or how many it has."""
    if record is None:
        return "the change"
    operations = record.operations
    return operations[0].title if len(operations) == 1 else _list_name(operations)


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


def error_toasts(new_errors: int, profile: str) -> Iterator[Toast]:
    """Yield that a change has brought errors, if it has."""
    if new_errors > 0:
        title = f"{plural(new_errors, 'new error')} for {profile}"
        yield warned(title, "", ("L", "shows what is wrong"), ("F", "repairs it"))


def offer_toast(offer: Offer, total: int, settings: Settings, cut: Result) -> Toast:
    """Return what is offered above the threshold, and what it would do; it takes no focus."""
    threshold, limit = settings.compression_config.threshold or 0, settings.token_limit
    above = f"{percent(threshold, limit)} of the limit" if limit else f"{tokens(threshold)}"
    title = f"{tokens(total)} tokens, above {above}"
    most = offer.operation.max_tokens if isinstance(offer.operation, Truncate) else None
    to = "" if most is None else f" to {tokens(most)}"
    count = plural(len(cut.diff.hidden), "message")
    told = f"{offer.operation.title}{to} would hide {count}."
    return warned(title, told, ("K", "previews it"))
