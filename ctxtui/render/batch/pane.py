"""The batch pane: operation and fields, before → after, what moved, and the difference to now."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ctxtui.core.engine.operations import BatchOperation
from ctxtui.core.values.models import ROLES
from ctxtui.models.story import MovedRun, Noted, Story
from ctxtui.render.batch.calls import call_lines
from ctxtui.render.batch.fields import (
    Field,
    field_value,
    given_fields,
    operation_title,
    other_fields,
)
from ctxtui.render.batch.figures import LABEL_CELLS, figure_lines
from ctxtui.render.batch.ribbon import moved_ribbon
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.flowing import flow
from ctxtui.render.text.indices import run_text, shown_indices
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.times import time_of_day
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_RUNS = 6
MOST_STEPS = 12
MOST_MARKED = 4
SIGNS = {
    "hidden": Piece("−", "error"),
    "added": Piece("+", "ok"),
    "appended": Piece("+", "ok"),
    "shown": Piece("+", "ok"),
    "moved": Piece("~", "warn"),
}
"""What stands before a message that moved, by the way it did."""


class BatchText(NamedTuple):
    """The lines of the pane: what is always told, what moved as runs, and the difference to now.

    ``calls`` has the number of the call that a line of the head tells of.
    """

    head: list[Line]
    runs: list[Line]
    foot: list[Line]
    calls: Mapping[int, int] = MappingProxyType({})


def batch_text(story: Story, width: int, *, is_whole: bool = False) -> BatchText:
    """Return what is told of a batch or record; the whole of it names the other fields too."""
    head = _operations(story, width, is_whole=is_whole)
    head += _afterwards(story)
    head += _noted(story, width)
    told = call_lines(story.calls, width, is_whole=is_whole)
    calls = {len(head) + at: number for at, (number, _) in enumerate(told) if number is not None}
    head += [line for _, line in told]
    if story.before is not None or story.frame is None:
        head += [[], *figure_lines(story, width)]
    moved: list[Line] = []
    if story.moved_count:
        moved = [[], _ribbon(story, width)]
    return BatchText([*head, *moved], _runs(story, width), _against(story, width), calls)


def pane_title(story: Story) -> str:
    """Return what stands in the border."""
    if story.frame is not None:
        return f"Record {story.frame.place}"
    return f"Batch {story.batch.number}"


def pane_about(story: Story) -> str:
    """Return id, parent and time, for the other end of the border."""
    batch = story.batch
    parent = story.look.state.batches[batch.parent].number if batch.parent is not None else None
    told = [f"#{batch.id}"]
    if story.frame is not None:
        told = [f"leads to batch {batch.number}"]
    elif parent is not None:
        told.append(f"parent {parent}")
    return "  ".join([*told, time_of_day(story.time)])


# What was done


def _operations(story: Story, width: int, *, is_whole: bool) -> list[Line]:
    operations = story.operations
    if not operations:
        started = plural(len(story.look.state.revisions[0].view), "message")
        return flow([[Piece("START", "bright")], [Piece(started, "text")]], width)
    lines: list[Line] = []
    if len(operations) > 1:
        lines.append(
            [Piece(f"LIST of {len(operations)}", "bright"), Piece("  one change", "muted")]
        )
    for operation in operations[:MOST_STEPS]:
        words = [[Piece(operation_title(operation), "bright")]]
        words += [_word(field) for field in given_fields(operation)]
        lines += flow(words, width)
        others = other_fields(operation) if is_whole else []
        if others:
            lines += flow([[Piece(f"{name} –", "faint")] for name in others], width)
    if len(operations) > MOST_STEPS:
        lines.append([Piece(f"… {len(operations) - MOST_STEPS} more", "faint")])
    return [*lines, *_description(story, width)]


def _word(field: Field) -> Line:
    name = [Piece(f"{field.name} ", "muted")] if field.name else []
    return [*name, Piece(field.value, "text")]


def _description(story: Story, width: int) -> list[Line]:
    """Return what the batch is called, where somebody has named it."""
    if story.frame is not None:
        given = [one.description for one in story.operations if isinstance(one, BatchOperation)]
        said = ", ".join(one for one in given if one)
    else:
        operation = story.batch.operation
        usual = operation.sentence() if operation is not None else "START"
        said = "" if story.batch.description == usual else story.batch.description
    return (
        [[Piece(row, "muted")] for row in wrap(visible(said, 300), max(10, width))] if said else []
    )


def _afterwards(story: Story) -> list[Line]:
    later = story.appended
    if not len(later) or story.before is None:
        return []
    runs = ", ".join(run_text(start, start + size - 1) for start, size in list(later.joined())[:4])
    told = f"then APPEND {plural(len(later), 'message')}, {runs}"
    return [[Piece(told, "muted")]]


def _noted(story: Story, width: int) -> list[Line]:
    lines: list[Line] = []
    for one in story.noted:
        lines += flow(_noted_words(one), width)
    return lines


def _noted_words(one: Noted) -> list[Line]:
    name = visible(one.name, 80)
    if one.kind in ("mark", "unmark"):
        raws = one.after if one.kind == "mark" else one.before
        sign, word = ("★", "now on") if one.kind == "mark" else ("−", "no longer on")
        shown = shown_indices(raws) if isinstance(raws, list) else ""
        return [
            [Piece(f"{sign} {name}", "mark")],
            [Piece(f"{word} raw {visible(shown, 200)}", "text")],
        ]
    if one.kind == "name":
        new = "its usual name" if one.after is None else f"“{field_value(one.after)}”"
        return [[Piece(f"batch {name} ", "muted"), Piece(f"is now called {new}", "text")]]
    change = f"{field_value(one.before)} → {field_value(one.after)}"
    return [[Piece(f"{name} ", "muted"), Piece(change, "bright")]]


# What moved


def _ribbon(story: Story, width: int) -> Line:
    look = story.look
    last = f" raw 0–{look.log_size - 1:,}"
    room = width - LABEL_CELLS - 1 - len(last)
    cells = moved_ribbon(look.state.log, look.log_size, look.view, story.diff, room)
    return [Piece(f"{'what moved':<{LABEL_CELLS}} ", "muted"), *cells, Piece(last, "faint")]


def _runs(story: Story, width: int) -> list[Line]:
    runs, rest = story.runs(MOST_RUNS)
    lines = [_run(story, run, width) for run in runs]
    if rest:
        lines.append([Piece(f"  … {plural(rest, 'message')} more; enter lists them all", "faint")])
    return lines


def _run(story: Story, run: MovedRun, width: int) -> Line:
    sign = SIGNS[run.kind]
    lead = [sign, Piece(f" {run_text(run.first, run.last):<{LABEL_CELLS - 1}}", "text")]
    down = run.kind == "hidden"
    amount = "" if run.kind == "moved" else f"{'−' if down else '+'}{tokens(run.tokens)}"
    tail = Piece(f" {amount:>7}", "error" if down else "ok")
    room = max(0, width - LABEL_CELLS - 1 - len(tail.text))
    if run.size == 1:
        message = story.look.state.log[run.first]
        who = Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role)
        body = [who, *preview(message, tool_names(story.look.state.log, run.first))]
    else:
        body = _counts(run)
    return [*lead, *fit_pieces(body, room), tail]


def _counts(run: MovedRun) -> Line:
    word = {"appended": "appended", "shown": "shown again", "moved": "changed places"}
    told = word.get(run.kind, "messages")
    line = [Piece(f"{run.size:,} {told} ", "text")]
    for role, count in zip(ROLES, run.roles, strict=True):
        if count:
            line.append(Piece(f" {GLYPHS[role]}{count:,}", role))
    return line


def _against(story: Story, width: int) -> list[Line]:
    against = story.against_now
    if against is None:
        return [[], [Piece("This is now.", "muted")]]
    words = [[Piece(f"Against now, batch {against.number}", "muted")]]
    if not (against.only_here or against.only_now):
        words.append([Piece("the same is sent", "text")])
    else:
        words.append([Piece(f"{against.only_here:,}", "bright"), Piece(" only here", "text")])
        told = f" only in {against.number}"
        words.append([Piece(f"{against.only_now:,}", "bright"), Piece(told, "text")])
    if against.marked_here:
        more = "" if len(against.marked_here) <= MOST_MARKED else " …"
        shown = shown_indices(against.marked_here[:MOST_MARKED]) + more
        words.append([Piece(f"★ {shown} ", "mark"), Piece("only here", "text")])
    return [[], *flow(words, width)]
