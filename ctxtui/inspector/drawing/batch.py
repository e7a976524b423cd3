"""The calls of a batch as text: what the first one was explained by, and those that followed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from ctxtui.calls.models.call import Explained, RecordedCall
from ctxtui.calls.words import call_words
from ctxtui.core.engine.operations import BatchOperation
from ctxtui.core.engine.views import View
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing.words import (
    Field,
    field_value,
    given_fields,
    operation_title,
    other_fields,
)
from ctxtui.inspector.models.batch_story import BatchStory, MovedRun, Noted
from ctxtui.text.figures import (
    LABEL_CELLS,
    Figure,
    cache_figure,
    change_piece,
    count_figure,
    figure_table,
)
from ctxtui.text.icons import errors_piece
from ctxtui.text.line_source import LineSource
from ctxtui.text.lines import Line, Piece, fit_pieces, in_rows, paragraph, wrap
from ctxtui.text.message import GLYPHS, expanded, message_row, who
from ctxtui.text.numbers import run_text, shown_indices, time_of_day, tokens
from ctxtui.text.plurals import plural
from ctxtui.text.ribbon import Ribbon, RibbonAxis
from ctxtui.text.symbols import printable

MOST_CHARACTERS = 300
MOST_CALLS = 100
"""Calls of one batch that are listed; the call screen goes through all of them."""
NARROWEST = 10
INK = {"proven": "ok", "likely": "warn"}
"""The ink of how sure an explanation is."""

CallLine = tuple[int | None, Line]
"""A line, and the number of the call that it opens."""


def call_lines(
    stories: Sequence[RecordedCall], width: int, *, is_whole: bool = False
) -> list[CallLine]:
    """Return the first call of a batch with its explanation, and the others: listed, or counted."""
    if not stories:
        return []
    first, *others = stories
    lines: list[CallLine] = [(first.number, _call(first))]
    said: list[Line] = []
    for one in first.explained:
        said += _explanation(one, width)
    if first.cause is not None:
        told = f"cache: {printable(first.cause, MOST_CHARACTERS)}"
        said += paragraph(told, width, "error")
    lines += [(first.number, line) for line in said]
    if is_whole:
        lines += [(one.number, _call(one)) for one in others[:MOST_CALLS]]
        others = others[MOST_CALLS:]
    if others:
        newest = call_words(others[-1].call)
        more = f", the newest {newest}" if newest else ""
        lines.append((None, [Piece(f"then {plural(len(others), 'call')} more{more}", "muted")]))
    return lines


def _call(story: RecordedCall) -> Line:
    model = printable(story.call.model or "", 40)
    said = "  ".join(word for word in (model, call_words(story.call)) if word)
    broke = Piece("  cache broke", "error") if story.cause is not None else Piece("")
    return [Piece(f"call {story.number:,}", "bright"), Piece(f"  {said}", "muted"), broke]


def _explanation(one: Explained, width: int) -> list[Line]:
    sure = printable(one.certainty, 20)
    lead = f"{printable(one.operation, 20)} "
    rows = wrap(f"{lead}{sure}  {one.reason[:MOST_CHARACTERS]}", max(NARROWEST, width))
    first = rows[0].removeprefix(f"{lead}{sure}")
    if first == rows[0]:
        return [[Piece(row, "text")] for row in rows]
    return [
        [Piece(lead, "bright"), Piece(sure, INK.get(one.certainty, "muted")), Piece(first, "text")],
        *([Piece(row, "text")] for row in rows[1:]),
    ]


# What a batch or record did in figures.


def figure_lines(story: BatchStory, width: int) -> list[Line]:
    """Return messages, tokens, lint and cache: before, after, a bar, and a word on it."""
    is_first = story.before is None
    (messages, after), (sums, total) = story.messages, story.tokens
    later = len(story.appended)
    word = f"{after - later:,} after it, {later:,} appended" if later else ""
    counter = Piece(story.look.counter, "muted")
    change = [] if is_first else [change_piece(sums, total), Piece("  ")]
    made = [
        count_figure("messages", None if is_first else messages, after, [Piece(word, "muted")]),
        count_figure("tokens", None if is_first else sums, total, [*change, counter]),
        _lint(story),
    ]
    if not is_first:
        prefix = story.prefix
        made.append(cache_figure(prefix.tokens, prefix.messages, story.messages, total))
    return figure_table(made, width)


def _lint(story: BatchStory) -> Figure:
    before, after = story.errors
    shown = [errors_piece(one).text for one in (before, after)]
    kind = "muted" if after is None else "error" if after else "ok"
    if story.before is None:
        note = Piece("" if after else "clean", "muted")
        return Figure("lint", "", shown[1], [note], kind=kind)
    return Figure("lint", shown[0], shown[1], [_lint_word(before, after)], kind=kind)


def _lint_word(before: int | None, after: int | None) -> Piece:
    if before is None or after is None:
        return Piece("being counted", "faint")
    if after == before:
        return Piece("no error came or went" if not after else "the same errors as before", "muted")
    change = f"{plural(abs(after - before), 'error')} {'came' if after > before else 'went'}"
    return Piece(change, "error" if after > before else "ok")


# The batch pane: operation and fields, before → after, what moved, and the difference to now.

MOST_RUNS = 6
WIDEST = 4
"""Cells of a message in the ribbon at most."""
MOST_STEPS = 12
MOST_MARKED = 4
SIGNS = {
    "hidden": Piece("−", "error"),
    "added": Piece("+", "ok"),
    "appended": Piece("+", "ok"),
    "shown": Piece("+", "ok"),
    "moved": Piece("~", "warn"),
}
"""What is before a message that moved, by the way it did."""


class BatchText(NamedTuple):
    """The lines of the pane: what is always shown, what moved as runs, and the difference to now.

    ``calls`` has the number of the call that a line of the head shows.
    """

    head: list[Line]
    runs: list[Line]
    foot: list[Line]
    calls: Mapping[int, int] = MappingProxyType({})


def batch_text(story: BatchStory, width: int, *, is_whole: bool = False) -> BatchText:
    """Return what is shown of a batch or record; the whole of it names the other fields too."""
    head = _operations(story, width, is_whole=is_whole)
    head += _afterwards(story)
    head += [line for one in story.noted for line in in_rows(_noted_words(one), width)]
    told = call_lines(story.calls, width, is_whole=is_whole)
    calls = {len(head) + at: number for at, (number, _) in enumerate(told) if number is not None}
    head += [line for _, line in told]
    if story.before is not None or story.frame is None:
        head += [[], *figure_lines(story, width)]
    moved: list[Line] = []
    if story.moved_count:
        moved = [[], _ribbon(story, width)]
    return BatchText([*head, *moved], _runs(story, width), _against(story, width), calls)


def pane_title(story: BatchStory) -> str:
    """Return what is in the border."""
    if story.frame is not None:
        return f"Record {story.frame.place}"
    return f"Batch {story.batch.number}"


def pane_about(story: BatchStory) -> str:
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


def _operations(story: BatchStory, width: int, *, is_whole: bool) -> list[Line]:
    operations = story.operations
    if not operations:
        started = plural(len(story.look.state.revisions[0].view), "message")
        return in_rows([[Piece("START", "bright")], [Piece(started, "text")]], width)
    lines: list[Line] = []
    if len(operations) > 1:
        lines.append(
            [Piece(f"LIST of {len(operations)}", "bright"), Piece("  one change", "muted")]
        )
    for operation in operations[:MOST_STEPS]:
        words = [[Piece(operation_title(operation), "bright")]]
        words += [_word(field) for field in given_fields(operation)]
        lines += in_rows(words, width)
        others = other_fields(operation) if is_whole else []
        if others:
            lines += in_rows([[Piece(f"{name} –", "faint")] for name in others], width)
    if len(operations) > MOST_STEPS:
        lines.append([Piece(f"… {len(operations) - MOST_STEPS} more", "faint")])
    return [*lines, *_description(story, width)]


def _word(field: Field) -> Line:
    name = [Piece(f"{field.name} ", "muted")] if field.name else []
    return [*name, Piece(field.value, "text")]


def _description(story: BatchStory, width: int) -> list[Line]:
    """Return what the batch is called, where it was named."""
    if story.frame is not None:
        given = [one.description for one in story.operations if isinstance(one, BatchOperation)]
        said = ", ".join(one for one in given if one)
    else:
        operation = story.batch.operation
        usual = operation.sentence() if operation is not None else "START"
        said = "" if story.batch.description == usual else story.batch.description
    return paragraph(said[:300], width, "muted") if said else []


def _afterwards(story: BatchStory) -> list[Line]:
    later = story.appended
    if not len(later) or story.before is None:
        return []
    runs = ", ".join(run_text(start, start + size - 1) for start, size in list(later.joined())[:4])
    told = f"then APPEND {plural(len(later), 'message')}, {runs}"
    return [[Piece(told, "muted")]]


def _noted_words(one: Noted) -> list[Line]:
    name = printable(one.name, 80)
    if one.kind in ("mark", "unmark"):
        raws = one.after if one.kind == "mark" else one.before
        sign, word = ("★", "now on") if one.kind == "mark" else ("−", "no longer on")
        shown = shown_indices(raws) if isinstance(raws, list) else ""
        return [
            [Piece(f"{sign} {name}", "mark")],
            [Piece(f"{word} raw {shown[:200]}", "text")],
        ]
    if one.kind == "name":
        new = "its usual name" if one.after is None else f"“{field_value(one.after)}”"
        return [[Piece(f"batch {name} ", "muted"), Piece(f"is now called {new}", "text")]]
    change = f"{field_value(one.before)} → {field_value(one.after)}"
    return [[Piece(f"{name} ", "muted"), Piece(change, "bright")]]


# What moved


def _ribbon(story: BatchStory, width: int) -> Line:
    look = story.look
    last = f" raw 0–{look.log_size - 1:,}"
    room = width - LABEL_CELLS - 1 - len(last)
    diff = story.diff
    came = View.of_runs(
        sorted(run for one in (diff.added, diff.shown, diff.moved) for run in one.runs())
    )
    ribbon = Ribbon(
        look.state.log, look.figures, look.view, size=look.log_size, went=diff.hidden, came=came
    )
    cells = ribbon.line(RibbonAxis(look.log_size, min(room, WIDEST * look.log_size)))
    return [Piece(f"{'what moved':<{LABEL_CELLS}} ", "muted"), *cells, Piece(last, "faint")]


def _runs(story: BatchStory, width: int) -> list[Line]:
    runs, rest = story.runs(MOST_RUNS)
    lines = [_run(story, run, width) for run in runs]
    if rest:
        lines.append([Piece(f"  … {plural(rest, 'message')} more; enter lists them all", "faint")])
    return lines


def _run(story: BatchStory, run: MovedRun, width: int) -> Line:
    sign = SIGNS[run.kind]
    lead = [sign, Piece(f" {run_text(run.first, run.last):<{LABEL_CELLS - 1}}", "text")]
    down = run.kind == "hidden"
    amount = "" if run.kind == "moved" else f"{'−' if down else '+'}{tokens(run.tokens)}"
    tail = Piece(f" {amount:>7}", "error" if down else "ok")
    if run.size == 1:
        log = story.look.state.log
        return message_row(log, run.first, [*lead, who(log[run.first].role)], [tail], width)
    room = max(0, width - LABEL_CELLS - 1 - len(tail.text))
    return [*lead, *fit_pieces(_counts(run), room), tail]


def _counts(run: MovedRun) -> Line:
    word = {"appended": "appended", "shown": "shown again", "moved": "changed places"}
    told = word.get(run.kind, "messages")
    line = [Piece(f"{run.size:,} {told} ", "text")]
    for role, count in zip(ROLES, run.roles, strict=True):
        if count:
            line.append(Piece(f" {GLYPHS[role]}{count:,}", role))
    return line


def _against(story: BatchStory, width: int) -> list[Line]:
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
    return [[], *in_rows(words, width)]


# The batch pane as a list: what is shown of a batch, and every message that moved.

TINTS = {"hidden": "hidden", "added": "added", "appended": "added", "shown": "added"}


class StorySource(LineSource):
    """Lines of text with keys below zero; a message that moved has its raw index as the key.

    What moved is shown as runs, or, where the pane has the focus, message by message.
    """

    def __init__(self, story: BatchStory, width: int, height: int, *, is_open: bool) -> None:
        self.look = story.look
        text = batch_text(story, width, is_whole=is_open)
        self._moves = story.moves if is_open else []
        head = [*text.head] if is_open else [*text.head, *text.runs]
        foot = [*text.foot]
        for lines in (head, head, foot):
            # Empty lines go first where it is tight, the one above what moved before the others.
            if len(head) + len(foot) > height and [] in lines:
                del lines[len(lines) - 1 - lines[::-1].index([])]
        self._head, self._foot = head, foot
        self._calls = text.calls
        self._starts = [0, *accumulate(len(view) for _, view in self._moves)]

    @property
    def first_moved(self) -> int:
        return len(self._head) if self._starts[-1] else 0

    def __len__(self) -> int:
        return len(self._head) + self._starts[-1] + len(self._foot)

    def _moved(self, at: int) -> tuple[str, int] | None:
        """Return how the message of a line moved, and which it is; None for a line of text."""
        within = at - len(self._head)
        if not 0 <= within < self._starts[-1]:
            return None
        part = bisect_right(self._starts, within) - 1
        kind, view = self._moves[part]
        return kind, view[within - self._starts[part]]

    def call(self, at: int) -> int | None:
        return self._calls.get(at)

    def key(self, at: int) -> int:
        moved = self._moved(at)
        return -1 - at if moved is None else moved[1]

    def find(self, key: int) -> int | None:
        if key < 0:
            at = -1 - key
            return at if at < len(self) and self._moved(at) is None else None
        for (_, view), start in zip(self._moves, self._starts, strict=False):
            position = view.position(key)
            if position is not None:
                return len(self._head) + start + position
        return None

    def tint(self, at: int) -> str:
        moved = self._moved(at)
        return "" if moved is None else TINTS.get(moved[0], "")

    def expanded(self, at: int, width: int) -> list[Line]:
        moved = self._moved(at)
        return [] if moved is None else expanded(self.look.state.log[moved[1]], width)

    def line(self, at: int, width: int) -> Line:
        moved = self._moved(at)
        if moved is not None:
            return self._row(*moved, width)
        if at < len(self._head):
            return self._head[at]
        return self._foot[at - len(self._head) - self._starts[-1]]

    def _row(self, kind: str, raw: int, width: int) -> Line:
        log = self.look.state.log
        down = kind == "hidden"
        lead = [
            SIGNS[kind],
            Piece(f"{raw:>5}  ", "muted"),
            who(log[raw].role),
        ]
        amount = "" if kind == "moved" else f"{'−' if down else '+'}{tokens(self.look.tokens(raw))}"
        tail = Piece(f" {amount:>7} ", "error" if down else "ok")
        return message_row(log, raw, lead, [tail], width, kind="struck" if down else "")
