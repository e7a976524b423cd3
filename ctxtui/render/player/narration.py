"""What a record did, in a sentence or two: what moved, and where it still is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.diff import Diff
from ctxtui.core.engine.journal import Create, Usage
from ctxtui.core.engine.operations import (
    Append,
    Checkout,
    Configure,
    Describe,
    DescribeMeta,
    Mark,
    Operation,
    Redo,
    Rollback,
    Toggle,
    Undo,
    Unmark,
)
from ctxtui.core.engine.views import EMPTY, View
from ctxtui.models.frame import Frame
from ctxtui.models.journey import Journey
from ctxtui.models.playlist import Beat
from ctxtui.models.story import noted_between
from ctxtui.render.batch.fields import field_value, given_fields, operation_title
from ctxtui.render.calls import call_words
from ctxtui.render.text.indices import run_text, shown_indices
from ctxtui.render.text.numbers import tokens
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_RUNS = 3
NOTHING = Diff(EMPTY, EMPTY, EMPTY, EMPTY)


class Told(NamedTuple):
    """A sentence with the word it begins with, which stands out."""

    title: str
    words: str


class Change(NamedTuple):
    """What a record has changed: the frame it left, and what is known of the way there."""

    frame: Frame
    journey: Journey
    diff: Diff
    old: int
    new: int

    @property
    def gone(self) -> str:
        """Return how many messages are hidden by it."""
        return plural(len(self.diff.hidden), "message")

    @property
    def place(self) -> int:
        """Return which record it is."""
        return self.frame.place


def narration(frame: Frame, journey: Journey, beat: Beat | None = None) -> Told:
    """Return what happened at a record, or at the step of a script."""
    if beat is not None and beat.step is not None and not (beat.is_record and beat.step.ok):
        return step_told(beat)
    record = frame.record
    change = Change(
        frame,
        journey,
        frame.difference or NOTHING,
        journey.number_before(frame.place),
        journey.numbers[frame.place],
    )
    if record.listed:
        return _list(change, record.operations)
    operation = record.operations[0]
    teller = TELLERS.get(type(operation), _opening)
    return Told(operation_title(operation), teller(change, operation))


def step_told(beat: Beat) -> Told:
    """Return what became of a step that left no record."""
    report = beat.step
    assert report is not None
    if report.error is not None:
        return Told(f"Step {report.index} failed", f": {visible(report.error, 400)}.")
    if report.refusal is not None:
        return Told(
            "Refused, as expected", f": {visible(report.refusal, 300)}. Nothing was changed."
        )
    if report.kind == "expect":
        held = ", ".join(f"{name} {field_value(value)}" for name, value in report.given.items())
        return Told("Expected, and so it is", f": {visible(held, 400)}.")
    if report.kind == "query":
        return Told("Asked", f": the answer is {field_value(report.answer)}.")
    return Told("Changes nothing", ": it is so already, and the journal keeps no record of it.")


def _create(change: Change, operation: Operation) -> str:
    count = len(change.frame.view)
    about = change.frame.conversation.meta.get("about")
    said = f" {visible(about, 300)}" if isinstance(about, str) else ""
    if not count:
        return f" without messages: an empty conversation in batch 0.{said}"
    return f" with {plural(count, 'message')} in batch 0. All of them are sent.{said}"


def _append(change: Change, operation: Operation) -> str:
    added = change.diff.added
    return (
        f" adds {plural(len(added), 'message')} at the end, raw {_runs(added)}. "
        f"It opens no batch: they belong to batch {change.new}, and nothing else moves."
    )


def _opening(change: Change, operation: Operation) -> str:
    diff, parts = change.diff, []
    if len(diff.hidden):
        parts.append(f"{change.gone} {_are(diff.hidden)} no longer sent")
    if len(diff.added):
        parts.append(f"{plural(len(diff.added), 'new message')} {_are(diff.added)} sent")
    if len(diff.shown):
        parts.append(f"{plural(len(diff.shown), 'message')} {_are(diff.shown)} sent again")
    if len(diff.moved):
        parts.append(f"{plural(len(diff.moved), 'message')} changed places")
    what = ", ".join(parts) or "the same messages are sent"
    kept = ""
    if len(diff.hidden):
        kept = f" What went is still in the log, and batch {change.old} still shows it."
    return f" opens batch {change.new} after batch {change.old}: {what}.{kept}"


def _rollback(change: Change, operation: Operation) -> str:
    moved = f" moves the pointer from batch {change.old} back to batch {change.new}"
    return moved + _sent_again(change) + _left_behind(change)


def _checkout(change: Change, operation: Operation) -> str:
    where = f"batch {change.new} (#{change.frame.batch.id})"
    moved = f" moves the pointer from batch {change.old} to {where}"
    return moved + _sent_again(change) + _left_behind(change)


def _sent_again(change: Change) -> str:
    if not len(change.diff.shown):
        return ", and changes nothing else."
    return f", nothing else: {_count(change.diff.shown)} sent again, since none was ever deleted."


def _left_behind(change: Change) -> str:
    gone = change.diff.hidden
    if not len(gone):
        return ""
    cycle = ""
    if change.new < change.old:
        cycle = f": {change.new}-{change.old}-{change.new}"
    return f" Raw {_runs(gone)} stay in the log, on a branch that nobody follows{cycle}."


def _undo(change: Change, operation: Operation) -> str:
    turned = change.journey.turned.get(change.place, 0)
    name = _name_of(change, turned)
    told = f" takes back record {turned}, {name}"
    if change.diff:
        told += f": the pointer is in batch {change.new} again."
    else:
        told += ", which moved no message."
    return told + " Nothing is erased: the record stays, and REDO does it again."


def _redo(change: Change, operation: Operation) -> str:
    turned = change.journey.turned.get(change.place, 0)
    told = f" does record {turned}, {_name_of(change, turned)}, again"
    if not change.diff:
        return f"{told}. No message moved."
    return f"{told}: the pointer is in batch {change.new}, which was there all the time."


def _name_of(change: Change, place: int) -> str:
    record = change.frame.conversation.journal[place]
    return "a LIST" if record.listed else record.operations[0].title


def _marking(change: Change, operation: Operation) -> str:
    was, now = change.frame.was, change.frame.state
    found = [] if was is None else noted_between(was.head, now.head)
    for one in found:
        raws = one.after if one.kind == "mark" else one.before
        shown = shown_indices(raws[:20]) if isinstance(raws, list) else ""
        word = "puts" if one.kind == "mark" else "takes"
        onto = "on" if one.kind == "mark" else "off"
        return (
            f" {word} ★ {visible(one.name, 64)} {onto} raw {shown}. "
            "No message moves; marks stay through every rollback."
        )
    return " changes no mark."


def _describe(change: Change, operation: Operation) -> str:
    fields = {field.name: field.value for field in given_fields(operation)}
    return (
        f" names batch #{fields.get('batch', '?')} “{fields.get('text', '')}”. "
        "Only the name changes."
    )


def _describe_meta(change: Change, operation: Operation) -> str:
    assert isinstance(operation, DescribeMeta)
    keys = ", ".join(visible(key, 64) for key in operation.meta)
    return f" changes what describes the conversation: {keys}. No message changes."


def _configure(change: Change, operation: Operation) -> str:
    was, now = change.frame.was, change.frame.state
    found = [] if was is None else noted_between(was.head, now.head)
    told = ", ".join(
        f"{one.name} {field_value(one.before)} → {field_value(one.after)}" for one in found
    )
    return f" sets {visible(told, 200) or 'what was set already'}, from now on. No message moves."


def _usage(change: Change, operation: Operation) -> str:
    assert isinstance(operation, Usage)
    return (
        f": a provider counted {operation.prompt:,} tokens in and {operation.completion:,} out. "
        f"It stands beside the estimate of {tokens(change.frame.total)}, and no rollback lowers it."
    )


def _call(change: Change, operation: Operation) -> str:
    assert isinstance(operation, Call)
    frame, said = change.frame, call_words(operation)
    to = f" to {visible(operation.model, 80)}" if operation.model else ""
    provider = f" The provider says: {said}." if said else ""
    return (
        f": what is visible was sent{to}, {plural(len(frame.view), 'message')}, "
        f"{tokens(frame.total)} by {visible(frame.counter, 20)}.{provider} "
        "No message moves, and no UNDO takes it back."
    )


def _toggle(change: Change, operation: Operation) -> str:
    fields = {field.name: field.value for field in given_fields(operation)}
    return (
        f" leaves out revision {fields.get('skip', '')} and runs what came after it again, as a "
        f"branch that ends in batch {change.new}. The way it was before stays in the tree."
    )


def _list(change: Change, operations: Sequence[Operation]) -> Told:
    names = ", ".join(operation.title for operation in operations[:6])
    more = ", …" if len(operations) > 6 else ""  # noqa: PLR2004 - as many as are named
    came = len(change.diff.added) + len(change.diff.shown)
    where = (
        f"the pointer goes from batch {change.old} to batch {change.new}"
        if change.old != change.new
        else f"the pointer stays in batch {change.new}"
    )
    return Told(
        "LIST",
        f" of {len(operations)} as one change: {names}{more}. {change.gone} went, {came:,} came, "
        f"{where}. One UNDO takes all of it back.",
    )


def _runs(view: View) -> str:
    runs = [run_text(start, start + size - 1) for start, size in _first(view)]
    return ", ".join(runs) + (" …" if view.run_count > MOST_RUNS else "")


def _first(view: View) -> list[tuple[int, int]]:
    return [run for run, _ in zip(view.joined(), range(MOST_RUNS), strict=False)]


def _count(view: View) -> str:
    count = len(view)
    return f"{plural(count, 'message')} {'is' if count == 1 else 'are'}"


def _are(view: View) -> str:
    return "is" if len(view) == 1 else "are"


TELLERS: dict[type[Operation], Callable[[Change, Operation], str]] = {
    Create: _create,
    Append: _append,
    Rollback: _rollback,
    Checkout: _checkout,
    Undo: _undo,
    Redo: _redo,
    Mark: _marking,
    Unmark: _marking,
    Describe: _describe,
    DescribeMeta: _describe_meta,
    Configure: _configure,
    Usage: _usage,
    Call: _call,
    Toggle: _toggle,
}
"""Who tells what; every other operation opens a batch."""
