"""The index arrays below the player: what a record did to each, in five lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from ctxtui.calls.words import call_words
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.diff import Diff
from ctxtui.core.engine.journal import Create, Usage
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.operations import (
    Append,
    Checkout,
    Configure,
    Describe,
    DescribeMeta,
    Mark,
    Redo,
    Rollback,
    Toggle,
    Undo,
    Unmark,
)
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import EMPTY, View
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing.mark_map import IndexAxis, array_runs
from ctxtui.inspector.drawing.words import (
    field_value,
    given_fields,
    operation_title,
    record_about,
    record_title,
    record_words,
)
from ctxtui.inspector.models.batch_story import noted_between
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.inspector.models.look import Figures, Frame
from ctxtui.inspector.models.player import Playlist, PlaylistEntry, PointerHistory
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import (
    GUTTER,
    Line,
    Piece,
    beside,
    cropped,
    fit,
    fit_pieces,
    head,
    joined,
    line_width,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS
from ctxtui.text.numbers import run_text, shown_indices, time_of_day, tokens
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

LEAD = 8
NAME_CELLS = 16
BATCHES = 4
"""How many batches at the end of a path are named."""
WIDE_CELLS = 110
RIGHT_CELLS = 36


def array_lines(frame: Frame, arrays: IndexArrays, width: int) -> list[Line]:
    """Return the arrays side by side; where it is narrow, without the boundaries."""
    right = RIGHT_CELLS if width >= WIDE_CELLS else 0
    left = (width - right - GUTTER * (2 if right else 1)) // 2
    middle = width - left - right - GUTTER * (2 if right else 1)
    lines = beside(_original(arrays, frame.figures, left), _types(arrays, middle), left)
    if right:
        lines = beside(lines, _boundaries(frame, right), left + GUTTER + middle)
    return cropped(lines, width)


def _original(arrays: IndexArrays, figures: Figures, width: int) -> list[Line]:
    axis = IndexAxis(arrays.log, figures, max(1, width - LEAD))
    was = [] if arrays.was is None else axis.ribbon(arrays.was, arrays.was_size)
    return [
        head("originalIndices", [Piece(f"{len(arrays.view):,} visible", "faint")], width),
        [Piece("was".ljust(LEAD), "muted"), *was],
        [Piece("change".ljust(LEAD), "muted"), *axis.change(*arrays.change_masks)],
        [Piece("now".ljust(LEAD), "bright"), *axis.ribbon(arrays.view, arrays.size)],
        [Piece("raw".ljust(LEAD), "faint"), *axis.numbers()],
    ]


def _types(arrays: IndexArrays, width: int) -> list[Line]:
    lines = [head("typeIndices", [Piece("gone → now", "faint")], width)]
    for role in ROLES:
        gone, now = arrays.roles_before[role].flagged(), arrays.roles_now[role]
        name = Piece(f"{GLYPHS[role]} {WORDS[role]}".ljust(LEAD), role)
        line = [name]
        if gone.indices:
            line += [
                *array_runs(gone, (width - LEAD) // 3, ("struck", "struck")),
                Piece("→ ", "muted"),
            ]
        used = line_width(line)
        lines.append(fit_pieces([*line, *array_runs(now, width - used, ("text", "ok"))], width))
    return lines


def _boundaries(frame: Frame, width: int) -> list[Line]:
    was = frame.was
    before = _ends(was) if was is not None else None
    now = _ends(frame.state)
    lines = [head("batches", [], width)]
    for name, of in (("batchBoundaries", 1), ("boundaryToBatch", 0)):
        lines.append(_pair(name, before and before[of], now[of]))
    number = str(frame.batch.number)
    old = None if was is None else str(was.batch.number)
    return [*lines, _pair("currentBatch", old, number)]


def _ends(state: State) -> tuple[str, str]:
    path = state.path
    count = len(path)
    last = [path[number] for number in range(max(0, count - BATCHES), count)]
    more = "… " if count > BATCHES else ""
    numbers = more + " ".join(str(batch.number) for batch in last)
    return numbers, more + " ".join(str(batch.boundary) for batch in last)


def _pair(name: str, before: str | None, now: str) -> Line:
    line = [Piece(name.ljust(NAME_CELLS), "muted")]
    if before is not None and before != now:
        return [*line, Piece(before, "struck"), Piece(" → ", "muted"), Piece(now, "ok")]
    return [*line, Piece(now, "text")]


# The bar above the player: which record is shown, what it did, and how to get away.

SPEEDS = (0.5, 1.0, 2.0, 4.0)
NAMES = (".5×", "1×", "2×", "4×")


def player_bar(frame: Frame, entry: PlaylistEntry, is_playing: bool, width: int) -> Line:
    """Return the bar; without the highlighter where now is shown and nothing plays."""
    is_now = frame.is_newest and not is_playing and (entry.step is None or entry.is_record)
    loud, calm = ("bright", "muted") if is_now else ("notice", "note")
    wide = width >= WIDE_CELLS
    sign, word = ("▶", "PLAYING ") if is_playing else ("●", "")
    right = [
        Piece("space", "key" if is_now else "notice"),
        Piece(" pause  " if is_playing else " play  ", calm),
    ]
    if not is_now:
        right += [Piece("esc", "notice"), Piece(" return to now " if wide else " now ", calm)]
    left = [
        Piece(f" {sign} {word}RECORD {frame.place} OF {frame.last}", loud),
        Piece(", now  " if is_now else "  read-only  " if wide else "  ", calm),
        Piece(f" {beat_words(frame, entry)}", loud),
        Piece(f"  {moved_words(frame)}", calm),
    ]
    room = width - line_width(right)
    return [*fit_pieces(left, max(0, room)), *right]


def beat_words(frame: Frame, entry: PlaylistEntry) -> str:
    """Return the record in a few words, or the step that left none."""
    if entry.step is None or entry.is_record:
        return record_words(frame.record)
    step = entry.step
    if step.kind == "operation":
        given = step.given[0] if isinstance(step.given, list) and step.given else step.given
        name = given.get("operation", "operation") if isinstance(given, dict) else "operation"
        return printable(f"step {step.index} {name}", 80)
    return printable(f"step {step.index} {step.kind} {', '.join(map(str, step.given))}", 80)


def moved_words(frame: Frame) -> str:
    """Return how many messages came and went."""
    diff = frame.difference
    if diff is None or frame.is_still:
        return ""
    told = []
    for view, word in (
        (diff.hidden, "went"),
        (diff.added, "came"),
        (diff.shown, "came back"),
        (diff.moved, "changed places"),
    ):
        if len(view):
            told.append(f"{len(view):,} {word}")
    return ", ".join(told) or "no message moved"


def speed_line(speed: int) -> Line:
    """Return the speeds there are, for a border; the chosen one is highlighted."""
    line = [Piece("speed", "muted")]
    for at, name in enumerate(NAMES):
        line.append(Piece(f" {name} ", "chip" if at == speed else "muted"))
    return line


# Where the pointer was: the batch number after each record, as a curve over all of them.

LEAST_CELLS = 3
WIDEST_CELLS = 24
"""Cells for each record: fewer, and several share one; more, and the curve would be all plain."""
ON_PATH, ABANDONED, HERE = "○", "◌", "●"
BAR, CURSOR = "━", "┃"


class Column(NamedTuple):
    """One column of the curve: the record it represents, the number there, and the sign on it."""

    place: int
    number: int
    is_left: bool
    is_node: bool


class Curve:
    """The curve for a width: worked out once, then drawn for every record that is played."""

    def __init__(self, pointers: PointerHistory, room: int) -> None:
        numbers = pointers.numbers
        self.count = len(numbers)
        self.peak = max(numbers, default=0)
        self.label = len(str(self.peak)) + 2
        self.room = max(1, room - self.label - 1)
        self.step = min(WIDEST_CELLS, self.room // max(1, self.count))
        if self.step >= LEAST_CELLS:
            self.columns = list(self._spread(pointers))
        else:
            self.columns = list(self._bucketed(pointers))

    def _spread(self, pointers: PointerHistory) -> list[Column]:
        made = []
        for place, number in enumerate(pointers.numbers):
            left = pointers.is_left(place)
            for cell in range(self.step):
                made.append(Column(place, number, left, cell == self.step // 2))
        return made

    def _bucketed(self, pointers: PointerHistory) -> list[Column]:
        """Return a column for several records: of their numbers the one that is farthest away."""
        cells, numbers = min(self.room, self.count), pointers.numbers
        made, before = [], 0
        for cell in range(cells):
            lo, hi = self.count * cell // cells, self.count * (cell + 1) // cells
            low, high = min(numbers[lo:hi]), max(numbers[lo:hi])
            before = high if abs(high - before) >= abs(low - before) else low
            if cell == cells - 1:
                before = numbers[hi - 1]
            made.append(Column(hi - 1, before, pointers.is_left(hi - 1), False))
        return made

    def at(self, place: int) -> int:
        if not self.columns:
            return 0
        if self.step >= LEAST_CELLS:
            return place * self.step + self.step // 2
        cells = len(self.columns)
        return ((place + 1) * cells - 1) // self.count

    def lines(self, place: int, height: int) -> list[Line]:
        height = max(1, min(height, self.peak + 1))
        grid = [[Piece(" ")] * len(self.columns) for _ in range(height)]
        here, old = self.at(place), None
        for x, column in enumerate(self.columns):
            row = self._row(column.number, height)
            kind = "bright" if x <= here else "faint"
            self._draw(grid, x, (row, row if old is None else old), column, kind)
            old = row
        if self.columns:
            row = self._row(self.columns[here].number, height)
            grid[row][here] = Piece(HERE, "key")
        return [[*self._label(row, height), *joined(cells)] for row, cells in enumerate(grid)]

    def _draw(
        self,
        grid: list[list[Piece]],
        x: int,
        rows: tuple[int, int],
        column: Column,
        kind: str,
    ) -> None:
        row, old = rows
        flat, tall = ("╌", "┆") if column.is_left else ("─", "│")
        if row == old:
            sign = (ABANDONED if column.is_left else ON_PATH) if column.is_node else flat
            grid[row][x] = Piece(sign, kind)
            return
        up = row < old
        for between in range(min(row, old) + 1, max(row, old)):
            grid[between][x] = Piece(tall, kind)
        grid[old][x] = Piece("╯" if up else "╮", kind)
        grid[row][x] = Piece("╭" if up else "╰", kind)

    def _row(self, number: int, height: int) -> int:
        if height > self.peak:
            return height - 1 - number
        return height - 1 - (number * (height - 1) + self.peak // 2) // max(1, self.peak)

    def _label(self, row: int, height: int) -> Line:
        shown = {height - 1: 0, 0: self.peak}
        if height > self.peak:
            shown = {height - 1 - number: number for number in range(self.peak + 1)}
        text = f"{shown[row]}" if row in shown else ""
        return [Piece(f"{text:>{self.label - 1}} ", "faint")]

    def bar(self, place: int) -> Line:
        here, width = self.at(place), len(self.columns)
        return [
            Piece(" " * self.label),
            Piece(BAR * here, "key"),
            Piece(CURSOR, "key"),
            Piece(BAR * (width - here - 1), "track"),
        ]

    def names(self, titles: Sequence[str], title: str, place: int) -> Line:
        """Return the names of the records below them; where they don't fit, of the one shown."""
        longest = max(map(len, titles), default=0)
        if self.step > longest and len(titles) == self.count:
            line = [Piece(" " * self.label)]
            for at, name in enumerate(titles):
                kind = "chip" if at == place else "muted" if at < place else "faint"
                edge = (self.step - len(name)) // 2
                rest = self.step - len(name) - edge
                outer, inner = (edge - 1, 1) if at == place and edge and rest else (edge, 0)
                shown = f"{' ' * inner}{name}{' ' * inner}"
                line += [Piece(" " * outer), Piece(shown, kind), Piece(" " * (rest - inner))]
            return line
        chip = f" {title} "
        start = max(0, min(self.at(place) - len(chip) // 2, self.room - len(chip)))
        return [Piece(" " * (self.label + start)), Piece(chip, "chip")]


# The pane of the curve: the curve, how far it has been played, and the names of the records.

MOST_NAMES = 60
BAR_ROWS = 1
NAME_ROWS = 1
FEW_ROWS = 4
"""Rows below which there is only the curve."""


class CurvePicture:
    """Draws a pointers again and again; what does not depend on the record is worked out once."""

    def __init__(self, pointers: PointerHistory) -> None:
        self._pointers = pointers
        self._curves: dict[int, Curve] = {}

    def curve(self, width: int) -> Curve:
        if width not in self._curves:
            self._curves = {width: Curve(self._pointers, width)}
        return self._curves[width]

    def lines(self, place: int, width: int, height: int) -> list[Line]:
        curve = self.curve(width)
        if height < FEW_ROWS:
            return curve.lines(place, height)
        shown = curve.lines(place, height - BAR_ROWS - NAME_ROWS)
        return [*shown, curve.bar(place), curve.names(self._titles(), self._name(place), place)]

    def _titles(self) -> list[str]:
        count = len(self._pointers)
        return [self._name(place) for place in range(count)] if count <= MOST_NAMES else []

    def _name(self, place: int) -> str:
        record = self._pointers.conversation.journal[place]
        return "LIST" if record.listed else operation_title(record.operations[0])


# What a record did, in a sentence or two: what moved, and where it still is.

MOST_RUNS = 3
NOTHING = Diff(EMPTY, EMPTY, EMPTY, EMPTY)


class Narration(NamedTuple):
    """A sentence with the word it begins with, which is highlighted."""

    title: str
    words: str


class Change(NamedTuple):
    """What a record has changed: the frame it left, and what is known of the way there."""

    frame: Frame
    pointers: PointerHistory
    diff: Diff
    old: int
    new: int

    @property
    def gone(self) -> str:
        return plural(len(self.diff.hidden), "message")

    @property
    def place(self) -> int:
        return self.frame.place


def narration(
    frame: Frame, pointers: PointerHistory, entry: PlaylistEntry | None = None
) -> Narration:
    """Return what happened at a record, or at the step of a script."""
    if entry is not None and entry.step is not None and not (entry.is_record and entry.step.ok):
        return step_narration(entry)
    record = frame.record
    change = Change(
        frame,
        pointers,
        frame.difference or NOTHING,
        pointers.number_before(frame.place),
        pointers.numbers[frame.place],
    )
    if record.listed:
        return _list(change, record.operations)
    operation = record.operations[0]
    teller = NARRATORS.get(type(operation), _opening)
    return Narration(operation_title(operation), teller(change, operation))


def step_narration(entry: PlaylistEntry) -> Narration:
    """Return what became of a step that left no record."""
    report = entry.step
    assert report is not None
    if report.error is not None:
        return Narration(f"Step {report.index} failed", f": {printable(report.error, 400)}.")
    if report.refusal is not None:
        return Narration(
            "Refused, as expected", f": {printable(report.refusal, 300)}. Nothing was changed."
        )
    if report.kind == "expect":
        held = ", ".join(f"{name} {field_value(value)}" for name, value in report.given.items())
        return Narration("Expected, and so it is", f": {printable(held, 400)}.")
    if report.kind == "query":
        return Narration("Asked", f": the answer is {field_value(report.answer)}.")
    return Narration(
        "Changes nothing", ": it already has this value, and the journal has no record of it."
    )


def _create(change: Change, operation: Operation) -> str:
    count = len(change.frame.view)
    about = change.frame.conversation.meta.get("about")
    said = f" {printable(about, 300)}" if isinstance(about, str) else ""
    if not count:
        return f" without messages: an empty conversation in batch 0.{said}"
    return f" with {plural(count, 'message')} in batch 0. All of them are sent.{said}"


def _append(change: Change, operation: Operation) -> str:
    added = change.diff.added
    return (
        f" adds {plural(len(added), 'message')} at the end, raw {_run_words(added)}. "
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
    return f" Raw {_run_words(gone)} stay in the log, on an abandoned branch{cycle}."


def _undo(change: Change, operation: Operation) -> str:
    turned = change.pointers.turned.get(change.place, 0)
    name = _name_of(change, turned)
    told = f" takes back record {turned}, {name}"
    if change.diff:
        told += f": the pointer is in batch {change.new} again."
    else:
        told += ", which moved no message."
    return told + " Nothing is erased: the record stays, and REDO does it again."


def _redo(change: Change, operation: Operation) -> str:
    turned = change.pointers.turned.get(change.place, 0)
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
            f" {word} ★ {printable(one.name, 64)} {onto} raw {shown}. "
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
    keys = ", ".join(printable(key, 64) for key in operation.meta)
    return f" changes what describes the conversation: {keys}. No message changes."


def _configure(change: Change, operation: Operation) -> str:
    was, now = change.frame.was, change.frame.state
    found = [] if was is None else noted_between(was.head, now.head)
    told = ", ".join(
        f"{one.name} {field_value(one.before)} → {field_value(one.after)}" for one in found
    )
    return f" sets {printable(told, 200) or 'what was set already'}, from now on. No message moves."


def _usage(change: Change, operation: Operation) -> str:
    assert isinstance(operation, Usage)
    return (
        f": a provider counted {operation.prompt:,} tokens in and {operation.completion:,} out. "
        f"It is next to the estimate of {tokens(change.frame.total)}, and no rollback lowers it."
    )


def _call(change: Change, operation: Operation) -> str:
    assert isinstance(operation, Call)
    frame, said = change.frame, call_words(operation)
    to = f" to {printable(operation.model, 80)}" if operation.model else ""
    provider = f" The provider says: {said}." if said else ""
    return (
        f": what is visible was sent{to}, {plural(len(frame.view), 'message')}, "
        f"{tokens(frame.total)} by {printable(frame.counter, 20)}.{provider} "
        "No message moves, and no UNDO takes it back."
    )


def _toggle(change: Change, operation: Operation) -> str:
    fields = {field.name: field.value for field in given_fields(operation)}
    return (
        f" leaves out revision {fields.get('skip', '')} and runs what came after it again, as a "
        f"branch that ends in batch {change.new}. The way it was before stays in the tree."
    )


def _list(change: Change, operations: Sequence[Operation]) -> Narration:
    names = ", ".join(operation.title for operation in operations[:6])
    more = ", …" if len(operations) > 6 else ""  # noqa: PLR2004 - as many as are named
    came = len(change.diff.added) + len(change.diff.shown)
    where = (
        f"the pointer goes from batch {change.old} to batch {change.new}"
        if change.old != change.new
        else f"the pointer stays in batch {change.new}"
    )
    return Narration(
        "LIST",
        f" of {len(operations)} as one change: {names}{more}. {change.gone} went, {came:,} came, "
        f"{where}. One UNDO takes all of it back.",
    )


def _run_words(view: View) -> str:
    first = islice(view.joined(), MOST_RUNS)
    runs = [run_text(start, start + size - 1) for start, size in first]
    return ", ".join(runs) + (" …" if view.run_count > MOST_RUNS else "")


def _count(view: View) -> str:
    count = len(view)
    return f"{plural(count, 'message')} {'is' if count == 1 else 'are'}"


def _are(view: View) -> str:
    return "is" if len(view) == 1 else "are"


NARRATORS: dict[type[Operation], Callable[[Change, Operation], str]] = {
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
"""The sentence about each operation; every other one opens a batch."""


# The narration on the screen, and what is said of the journal or script as a whole.

EDGE = "▌ "


def told_line(told: Narration, rows: int, at: int, width: int) -> Line:
    """Return one of the rows of a narration; sentences that its rows can't hold are left out."""
    room = max(10, width - len(EDGE) - 1)
    lines = _fitting(told, rows, room)
    text = lines[at] if at < len(lines) else ""
    if at == rows - 1 and len(lines) > rows:
        text = fit(f"{text} {lines[at + 1]}", room)
    line = [Piece(EDGE, "key")]
    if at == 0 and text.startswith(told.title):
        return [*line, Piece(told.title, "bright"), Piece(text[len(told.title) :], "text")]
    return [*line, Piece(text, "text")]


def _fitting(told: Narration, rows: int, room: int) -> list[str]:
    words = f"{told.title}{told.words}"
    lines = wrap(words, room)
    while len(lines) > rows and ". " in words:
        words = words[: words.rindex(". ") + 1]
        lines = wrap(words, room)
    return lines


def journal_foot(playlist: Playlist) -> Line:
    """Return what the signs mean, or how the script went."""
    if not playlist.is_script:
        return [Piece("○ on the way to now  ◌ left behind", "muted")]
    steps, failed = plural(playlist.steps, "step"), playlist.failed
    if failed:
        return [Piece("script: ", "muted"), ERROR.piece(f"{failed} of {steps} failed")]
    return [Piece(f"script: {PASSED.text(f'{steps} as expected')}", "muted")]


# The journal: every accepted change in order, and the steps of the script it came from.

TITLE_CELLS = 9
TIME_CELLS = 9
TIMED_CELLS = 40


class JournalSource(NumberedSource):
    """A line for every entry of the player; its key is its place.

    What has been played is bright; what was left behind, or is to come, is not.
    """

    def __init__(self, playlist: Playlist, pointers: PointerHistory) -> None:
        self.playlist = playlist
        self.pointers = pointers
        self.place = 0
        self.digits = max(2, len(str(len(playlist.conversation.journal))))

    def __len__(self) -> int:
        return len(self.playlist)

    def header(self, width: int) -> Line | None:
        time = "time     " if width >= TIMED_CELLS else ""
        lead = f"{'no':>{self.digits}} {time}  operation"
        return [Piece(lead.ljust(max(0, width - 6)) + "batch ", "faint")]

    def line(self, at: int, width: int) -> Line:
        entry = self.playlist[at]
        if not entry.is_record:
            return self._step(entry, width)
        record = self.playlist.conversation.journal[entry.record]
        is_left = entry.record < len(self.pointers) and self.pointers.is_left(entry.record)
        shown = "faint" if is_left else "bright" if at <= self.place else "muted"
        sign = ABANDONED if is_left else ON_PATH
        lead = [Piece(f"{entry.record:>{self.digits}} ", shown)]
        if width >= TIMED_CELLS:
            lead.append(Piece(f"{time_of_day(record.time):<8.8} ", "faint"))
        lead.append(Piece(f"{sign} ", "key" if at == self.place else shown))
        title, about = record_title(record), self._about(entry)
        lead.append(Piece(f"{title:<{TITLE_CELLS}} ", shown))
        failed = entry.step is not None and not entry.step.ok
        verdict = [Piece(f" {ERROR.glyph}", ERROR.kind)] if failed else []
        tail = [*verdict, Piece(f" {self._batch(entry.record):>4} ", shown)]
        return _between(lead, Piece(about, "faint" if is_left else "muted"), tail, width)

    def _about(self, entry: PlaylistEntry) -> str:
        turned = self.pointers.turned.get(entry.record)
        journal = self.playlist.conversation.journal
        if turned is not None:
            return f"{record_title(journal[turned])}, record {turned}"
        return record_about(journal[entry.record])

    def _batch(self, record: int) -> str:
        """Return the batch a record led to, and the one it came from if it is another."""
        if record >= len(self.pointers):
            return "…"
        new, old = self.pointers.numbers[record], self.pointers.number_before(record)
        return str(new) if new == old else f"{old}→{new}"

    def _step(self, entry: PlaylistEntry, width: int) -> Line:
        step = entry.step
        assert step is not None
        sign = PASSED if step.ok else ERROR
        indent = Piece(" " * (self.digits + 1 + (TIME_CELLS if width >= TIMED_CELLS else 0)))
        words = _step_words(entry)
        lead = [indent, Piece(f"{sign.glyph} ", sign.kind)]
        return _between(lead, Piece(words, "text" if step.ok else "error"), [], width)


def _step_words(entry: PlaylistEntry) -> str:
    step = entry.step
    assert step is not None
    if step.error is not None:
        return f"{step.kind}: {printable(step.error, 200)}"
    if step.refusal is not None:
        return f"refused, as expected: {printable(step.refusal, 200)}"
    if step.kind == "expect":
        return f"expect {printable(', '.join(step.given), 100)}"
    if step.kind == "query":
        return f"query {printable(str(step.given.get('kind', '')), 40)}"
    return "changes nothing"


def _between(lead: Line, body: Piece, tail: Line, width: int) -> Line:
    used = sum(len(piece.text) for piece in (*lead, *tail))
    return [*lead, *fit_pieces([body], max(0, width - used)), *tail]
