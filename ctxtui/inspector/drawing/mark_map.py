"""The raw log as an axis: what was sent, what changed and what is sent, cell under cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from operator import sub
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from ctxtui.core import Batch, Message
from ctxtui.core.engine.log import LogReader, role_table
from ctxtui.core.engine.meta_fields import leaves, value_text
from ctxtui.core.engine.operations import BatchStart
from ctxtui.core.engine.queries import Stats
from ctxtui.core.engine.revisions import Revision
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import View
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.models.index_arrays import Array, IndexArrays
from ctxtui.inspector.models.look import Look
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import (
    CAREFUL,
    GUTTER,
    Joined,
    Line,
    Lines,
    LongText,
    Piece,
    beside,
    cropped,
    fit_pieces,
    head,
    joined,
    line_width,
    paragraph,
    stacked_up,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS, plain_preview
from ctxtui.text.numbers import change, run_text, to_the_second
from ctxtui.text.plots import bucket_of, placed, round_step
from ctxtui.text.plurals import plural
from ctxtui.text.ribbon import HIDDEN, SENT, Ribbon, RibbonAxis, Weights
from ctxtui.text.symbols import printable

APART = 8
MANY = 24
"""More runs than this have no brackets: they would be a fence."""
NEITHER = "·"
SIGNS = {1: Piece("−", "error"), 2: Piece("+", "ok"), 3: Piece("±", "warn"), 4: Piece("~", "warn")}


class IndexAxis:
    """Cells for the raw indices from 0 on: several for each, one for each, or one for many."""

    def __init__(self, log: LogReader, weights: Weights, room: int) -> None:
        self.log = log
        self._weights = weights
        self.whole = len(log)
        self.cells = min(max(1, room), self.whole)
        self.width = max(1, room) if self.whole else 0

    def bounds(self, cell: int) -> tuple[int, int]:
        return self.whole * cell // self.cells, self.whole * (cell + 1) // self.cells

    def at(self, raw: int) -> int:
        return self._start(bucket_of(raw, self.whole, self.cells))

    def _start(self, cell: int) -> int:
        return self.width * cell // self.cells

    def _stop(self, raw: int) -> int:
        return self._start(bucket_of(raw, self.whole, self.cells) + 1)

    def numbers(self) -> Line:
        if not self.whole:
            return []
        step = round_step(self.width // APART, self.whole)
        last = self.whole - 1
        marks = [0, last, *range(step, last, step)]
        places = [((self.at(raw) + self._stop(raw) - 1) // 2, raw) for raw in marks]
        return placed([(place, Piece(str(raw), "faint")) for place, raw in places], self.width)

    def ribbon(self, view: View, size: int) -> Line:
        shown = Ribbon(self.log, self._weights, view, size=size)
        return self._line(shown.cells(RibbonAxis(self.whole, self.cells)))

    def change(self, *masks: bytearray) -> Line:
        """Return a sign wherever something left, came, did both, or changed places.

        The masks say, in this order, of each raw index whether it did.
        """
        made = []
        for cell in range(self.cells):
            lo, hi = self.bounds(cell)
            left, came, went = (mask.find(1, lo, hi) >= 0 for mask in masks)
            made.append(SIGNS.get(left + 2 * came or 4 * went, Piece(" ")))
        return self._line(made)

    def role(self, role: str, shown: bytearray, size: int) -> Line:
        mine = self.log.roles(0, size).translate(role_table((role,)))
        both = int.from_bytes(mine, "little") & int.from_bytes(shown[:size], "little")
        sent = both.to_bytes(size, "little")
        made = []
        for cell in range(self.cells):
            lo, hi = self.bounds(cell)
            if sent.find(1, lo, hi) >= 0:
                made.append(Piece(SENT, role))
            elif mine.find(1, lo, hi) >= 0:
                made.append(Piece(HIDDEN, "faint"))
            else:
                made.append(Piece(NEITHER, "track"))
        return self._line(made)

    def brackets(self, view: View) -> list[Line]:
        """Return brackets under the runs of a view and their names, where there are few."""
        if not 0 < view.run_count <= MANY:
            return []
        cells = [Piece(" ")] * self.width
        names = []
        for start, length in view.joined():
            first, last = self.at(start), self._stop(start + length - 1) - 1
            line = "╵" if first == last else f"└{'─' * (last - first - 1)}┘"
            cells[first : last + 1] = [Piece(mark, "muted") for mark in line]
            name = run_text(start, start + length - 1)
            names.append((length, (first + last) // 2, Piece(name, "bright")))
        names.sort(key=lambda name: -name[0])
        return [joined(cells), placed([(middle, piece) for _, middle, piece in names], self.width)]

    def _line(self, cells: Iterable[Piece]) -> Line:
        return joined(
            [
                Piece(text * (self._start(at + 1) - self._start(at)), kind)
                for at, (text, kind) in enumerate(cells)
            ]
        )


# Where the batches of a path begin, in columns, and why the newest one begins there.

NAME_CELLS = 17
GAP_CELLS = 3
NEW = "ok"
RULE = "A boundary is the smallest raw index visible when its batch began; it never descends."


def boundary_lines(arrays: IndexArrays, width: int) -> list[Line]:
    """Return the boundaries and numbers of the batches, the newest ones if there are many."""
    path = arrays.path
    count = len(path)
    cell = max(len(str(path[-1].boundary)), len(str(count)), len("new")) + GAP_CELLS
    room = width - NAME_CELLS
    fitting = max(1, room // cell)
    before = ""
    if fitting < count:
        before = f"… {count:,} "
        fitting = max(1, (room - len(before)) // cell)
        before = f"… {count - fitting:,} "
    shown = [path[number] for number in range(max(0, count - fitting), count)]
    fresh = arrays.was_batch is not None
    tops = [[Piece(" " * (NAME_CELLS + len(before) + cell * (len(shown) - 1)))]]
    tops[0].append(Piece(f"{'+ new':>{cell}}", NEW) if fresh else Piece(""))
    bounds = [Piece("batchBoundaries".ljust(NAME_CELLS), "muted"), Piece(before, "faint")]
    numbers = [
        Piece("boundaryToBatch".ljust(NAME_CELLS), "muted"),
        Piece(" " * len(before), "faint"),
    ]
    for at, batch in enumerate(shown):
        last = at + 1 == len(shown)
        kind = NEW if last and fresh else "bright" if last else "text"
        lead = "≤" if at else " "
        bounds += [
            Piece(f" {lead} ", "faint"),
            Piece(f"{batch.boundary:^{cell - GAP_CELLS}}", kind),
        ]
        numbers += [Piece(" " * GAP_CELLS), Piece(f"{batch.number:^{cell - GAP_CELLS}}", kind)]
    current = [Piece("currentBatch".ljust(NAME_CELLS), "muted"), Piece(" " * GAP_CELLS)]
    if arrays.was_batch is not None:
        current += [Piece(str(arrays.was_batch.number), "struck"), Piece(" → ", "muted")]
    current.append(Piece(str(path[-1].number), NEW if fresh else "bright"))
    about = "one column for each batch of the path"
    lines = [head("batchBoundaries", [Piece(about, "faint")], width), *(tops if fresh else [])]
    lines += [bounds, numbers, current, []]
    lines += paragraph(reason(arrays.state), width, "text")
    lines += paragraph(RULE, width, "faint")
    return cropped(lines, width)


def reason(state: State) -> str:
    """Return the sentence that says why the boundary of a state's batch is that number."""
    batch = state.batch
    said = f"Boundary {batch.boundary:,}:"
    if batch.operation is None:
        return f"{said} batch 0 begins where the log begins."
    opened = state.revisions[batch.opened]
    if isinstance(batch.operation, BatchStart) and batch.operation.boundary is not None:
        return f"{said} BATCH_START asked for it, and hid every raw index below."
    low = opened.view.low
    if low is None:
        return (
            f"{said} nothing was visible when batch {batch.number} began, "
            f"so it is the length the log had then."
        )
    if batch.boundary < low:
        return (
            f"{said} the operation was done again by a TOGGLE, "
            f"and the log had only {batch.boundary:,} messages when it was first done."
        )
    what = f"raw {low:,}, {'an' if (role := state.log[low].role) == 'assistant' else 'a'} {role}"
    return f"{said} {what} message, was the smallest index visible when batch {batch.number} began."


# The index arrays as JSON, long ones shortened: what the source documents would have in memory.

INDENT = 4


def json_lines(arrays: IndexArrays, width: int, most: int) -> list[str]:
    """Return the mark map as lines of JSON; an array says how many items it leaves out."""
    path = arrays.path
    shown = [path[number] for number in range(min(most, len(path)))]
    roles = [f'"{role}": {_array(arrays.roles_now[role].indices, most)}' for role in ROLES]
    boundaries = _array([batch.boundary for batch in shown], most, len(path))
    numbers = _array([batch.number for batch in shown], most, len(path))
    written = [
        f'{{"originalIndices": {_array(arrays.now.indices, most)},',
        ' "typeIndices": {',
        *(f"  {role}," for role in roles[:-1]),
        f"  {roles[-1]}}},",
        f' "batchBoundaries": {boundaries},',
        f' "boundaryToBatch": {numbers},',
        f' "currentBatch": {path[-1].number}}}',
    ]
    lines = []
    for text in written:
        first, *rest = wrap(text, width)
        indent = " " * min(INDENT, width - 1)
        below = wrap(" ".join(rest), width - len(indent)) if rest else []
        lines += [first, *(indent + row for row in below)]
    return lines


def _array(items: Sequence[int], most: int, size: int | None = None) -> str:
    size = len(items) if size is None else size
    said = [str(item) for item in items[:most]]
    if size > most:
        said.append(f"… {size - most:,} more")
    return f"[{', '.join(said)}]"


# Runs: long index arrays in a few words, such as ``0–4  7  91–97 by 2``.


class RunStretch(NamedTuple):
    """Indices that follow each other at an even distance."""

    first: int
    last: int
    step: int
    size: int

    def __str__(self) -> str:
        by = "" if self.step == 1 else f" by {self.step}"
        return run_text(self.first, self.last) + by


Flagged = tuple[RunStretch, bool]
"""A stretch, and whether all of it carries the flag that was asked for."""


class RunListing(NamedTuple):
    """The stretches at the start and at the end of an array, and how many indices lie between."""

    start: list[Flagged]
    between: int
    end: list[Flagged]


def listing(indices: list[int], flags: bytes, most: int) -> RunListing:
    """Return an array as stretches, at most so many; a flag never changes within one.

    Only what is shown is examined one by one, from both ends.
    """
    found = list(islice(_flagged(indices, flags, 1), most + 1))
    if len(found) <= most:
        return RunListing(found, 0, [])
    start = found[: (most + 1) // 2]
    end = list(islice(_flagged(indices[::-1], flags[::-1], -1), most // 2))[::-1]
    between = len(indices) - sum(stretch.size for stretch, _ in (*start, *end))
    if between <= 0:
        # Read from the end there are fewer stretches: then these are all there is to say.
        return RunListing(found[:-1], len(indices) - sum(one.size for one, _ in found[:-1]), [])
    return RunListing(start, between, end)


def _flagged(indices: list[int], flags: bytes, way: int) -> Iterator[Flagged]:
    at = 0
    while at < len(indices):
        flag = flags[at]
        stop = flags.find(1 - flag, at)
        stop = len(indices) if stop < 0 else stop
        for stretch in stretches(indices[at:stop], way):
            yield stretch, bool(flag)
        at = stop


def stretches(indices: list[int], way: int = 1) -> Iterator[RunStretch]:
    """Yield an array as stretches; ``way`` is −1 where it is read from its end."""
    at, size = 0, len(indices)
    while at < size:
        first, step, stop = indices[at], way, at + 1
        if stop < size and (found := indices[stop] - first) * way > 0:
            # Two indices make a run only if they are neighbours, else it takes three.
            near = found == way
            if near or (stop + 1 < size and indices[stop + 1] - indices[stop] == found):
                step, stop = found, _reach(indices, at, found)
        ends = sorted((first, indices[stop - 1]))
        yield RunStretch(ends[0], ends[1], abs(step), stop - at)
        at = stop


def _reach(indices: list[int], at: int, step: int) -> int:
    """Return where an even stretch ends."""
    steps = map(sub, islice(indices, at + 1, None), islice(indices, at, None))
    return at + 1 + sum(1 for _ in takewhile(step.__eq__, steps))


# The mark map: the index arrays as runs, and what the shown batch did to them.

LEAD = 10
RUN_CELLS, LEAST_RUN_CELLS = 5, 3
ARRAY_ROWS = 4
ROLE_ROWS = 2
"""How wide a short run is in writing, and how many rows of them an array may take."""
WIDE_CELLS = 120
STRIPS_CELLS = 100
CAME = "ok"
LEFT = "struck"

_KEPT: WeakKeyDictionary[Look, IndexArrays] = WeakKeyDictionary()


def mark_map_lines(look: Look, width: int) -> list[Line]:
    """Return the arrays of the source documents, compared with the batch before the shown one."""
    arrays = _KEPT.get(look)
    if arrays is None:
        arrays = _KEPT[look] = IndexArrays(look)
    axis = IndexAxis(arrays.log, look.figures, max(1, width - LEAD))
    original = _original(arrays, axis, width)
    types = _types(arrays, axis, width)
    if width < WIDE_CELLS:
        bounds = boundary_lines(arrays, width)
        return cropped(stacked_up(original, types, bounds, _json(arrays, width)), width)
    right = width * 2 // 5
    left = width - right - GUTTER
    below = beside(boundary_lines(arrays, left), _json(arrays, right), left)
    return stacked_up(original, types, below)


def _original(arrays: IndexArrays, axis: IndexAxis, width: int) -> list[Line]:
    was, (old_runs, runs) = arrays.was, arrays.run_counts
    about = f"visible {_counted(len(arrays.view), runs)}"
    if was is not None:
        about += f", was {_counted(len(was), old_runs)}"
    lines = [
        head("originalIndices", [Piece(about, "faint")], width),
        *_batch_lines(arrays, width),
        _led("", axis.numbers()),
    ]
    if was is not None and arrays.was_batch is not None:
        lines.append(_led(f"was {arrays.was_batch.number}", axis.ribbon(was, arrays.was_size)))
        lines.append(_led("change", axis.change(*arrays.change_masks)))
    now = axis.ribbon(arrays.view, arrays.size)
    lines.append(_led(f"now {arrays.batch.number}", now, "bright"))
    lines += [_led("", line) for line in axis.brackets(arrays.view)]
    if was is not None:
        lines += _rows(_led("was", []), arrays.before, ("muted", LEFT), width, ARRAY_ROWS)
    lines += _rows(_led("now", [], "bright"), arrays.now, ("text", CAME), width, ARRAY_ROWS)
    return cropped(lines, width)


def _counted(count: int, runs: int) -> str:
    return f"{count:,} in {plural(runs, 'run')}" if runs else "nothing"


def _batch_lines(arrays: IndexArrays, width: int) -> list[Line]:
    batch, diff, was = arrays.batch, arrays.diff, arrays.was_batch
    name = "START" if batch.operation is None else batch.operation.title
    said = printable(batch.description.removeprefix(name).strip(), 60)
    line = [Piece(f"batch {batch.number} ", "muted"), Piece(name, "bright")]
    line.append(Piece(f" {said}" if said else "", "text"))
    if was is None:
        return [[*line, Piece("   the first batch: nothing before it to compare with", "faint")]]
    changes = [Piece(f"compared with batch {was.number}:", "muted")]
    if not diff:
        changes.append(Piece(" nothing left, came or moved", "muted"))
    for view, sign, word, kind in (
        (diff.hidden, "−", "left", "error"),
        (arrays.come, "+", "came", "ok"),
        (diff.moved, "~", "moved", "warn"),
    ):
        if len(view):
            changes.append(Piece(f"  {sign}{len(view):,} {word}", kind))
    together = [*line, Piece("   "), *changes]
    size = line_width(together)
    return [together] if size <= width else [line, changes]


def _types(arrays: IndexArrays, axis: IndexAxis, width: int) -> list[Line]:
    about = [Piece("the same for each role, in visible order", "faint")]
    lines = [head("typeIndices", about, width)]
    for role in ROLES:
        now, before = arrays.roles_now[role], arrays.roles_before[role]
        name = Piece(f"{GLYPHS[role]} {WORDS[role]}".ljust(LEAD), role)
        if width >= STRIPS_CELLS:
            lines.append([name, *axis.role(role, arrays.shown_mask, arrays.size)])
            name = Piece(" " * LEAD)
        counts = _counts(now, before if arrays.was is not None else None)
        lines += _rows([name, *counts], now, ("text", CAME), width, ROLE_ROWS)
        if (gone := before.flagged()).indices:
            lead = [Piece(" " * LEAD), Piece("− left  ", "error")]
            lines += _rows(lead, gone, ("text", LEFT), width, ROLE_ROWS)
    return cropped(lines, width)


def _counts(now: Array, before: Array | None) -> Line:
    line = [Piece(f"{len(now.indices):,}  ", "bright")]
    if before is None:
        return line
    left, came = before.flags.count(1), now.flags.count(1)
    return [
        *line,
        Piece(f"was {len(before.indices):,}  ", "muted"),
        Piece(f"{change(left, '−')} ", "error" if left else "faint"),
        Piece(f"{change(came, '+')}  ", "ok" if came else "faint"),
    ]


def _json(arrays: IndexArrays, width: int) -> list[Line]:
    most = max(6, 2 * width // (len(str(arrays.whole)) + 2))
    lines = [head("As JSON", [Piece("live", "faint")], width)]
    return [*lines, *([Piece(text, "muted")] for text in json_lines(arrays, width, most))]


def _led(name: str, line: Line, kind: str = "muted") -> Line:
    return [Piece(name.ljust(LEAD), kind), *line]


def _rows(lead: Line, array: Array, kinds: tuple[str, str], width: int, most: int) -> list[Line]:
    """Return an array as runs, in so many rows at the most, behind what leads it.

    The second of the kinds is for what differs from the other state's array.
    """
    wanted = most * width // RUN_CELLS
    lines = _flowed(lead, _bracketed(run_words(array, wanted, kinds)), width)
    while len(lines) > most and wanted > 1:
        # Some runs take more room than others: fewer of them, once more.
        wanted = max(1, min(wanted * 7 // 8, wanted * most // len(lines)))
        lines = _flowed(lead, _bracketed(run_words(array, wanted, kinds)), width)
    return lines


def run_words(array: Array, most: int, kinds: tuple[str, str]) -> Line:
    """Return an array as runs, at most so many; what is flagged is of the second kind."""
    found = listing(*array, most)
    start = [Piece(str(one), kinds[flag]) for one, flag in found.start]
    end = [Piece(str(one), kinds[flag]) for one, flag in found.end]
    more = [Piece(f"… {found.between:,} more …", "faint")] if found.between else []
    return [*start, *more, *end]


def array_runs(array: Array, cells: int, kinds: tuple[str, str]) -> Line:
    """Return an array as runs, as many as fit; flagged ones are of the second kind."""
    if not array.indices:
        return [Piece("– ", "faint")]
    line: Line = []
    for most in range(max(1, cells // LEAST_RUN_CELLS), 0, -1):
        line = [Piece(f"{text} ", kind) for text, kind in run_words(array, most, kinds)]
        if line_width(line) <= cells:
            break
    return line


def _bracketed(line: Line) -> Line:
    return [Piece("[", "faint"), *line, Piece("]", "faint")]


def _flowed(lead: Line, words: Line, width: int) -> list[Line]:
    lines = [[*lead]]
    used, gap = line_width(lead), ""
    for word in words:
        gap = gap[1:] if word.text == "]" else gap
        if used + len(gap + word.text) > width and len(lines[-1]) > 1:
            lines.append([Piece(" " * (LEAD + 2))])
            used, gap = LEAD + 2, ""
        lines[-1] += [Piece(gap), word]
        used += len(gap + word.text)
        gap = " " if word.text == "[" else "  "
    return lines


# Batch snapshots in lines: what a state holds, and one of them as JSON.

INDEX_CELLS = 7
TIME_CELLS = 21
COUNT_CELLS = 10
MOST_CHARACTERS = 400
"""How much of a text is read for a line; no line is as long."""
AROUND = 3
"""Lines of a snapshot that are no messages: its fields, the start of the list, and the end."""


def head_lines(totals: Stats, width: int) -> list[Line]:
    """Return the totals as ``state()`` and ``stats()`` name them, and the names of the columns."""
    state = (
        ("totalMessageCount", totals.total_messages),
        ("currentBatchIndex", totals.current_batch_index),
        ("batchSnapshots", totals.total_batches),
    )
    figures = (
        ("totalMessages", totals.total_messages),
        ("currentBatchMessages", totals.current_batch_messages),
        ("totalBatches", totals.total_batches),
    )
    names = f"{'batch':>{INDEX_CELLS}}  {'timestamp':<{TIME_CELLS}}{'messages':>{COUNT_CELLS}}  "
    return [
        fit_pieces(_totals("state()", state), width),
        fit_pieces(_totals("stats()", figures), width),
        [Piece(f"{names}description", "faint")],
    ]


def _totals(name: str, figures: tuple[tuple[str, int], ...]) -> Line:
    line = [Piece(f" {name}", "muted")]
    for word, count in figures:
        line += [Piece(f"  {word} ", "muted"), Piece(f"{count:,}", "bright")]
    return line


def snapshot_line(batch: Batch, count: int, is_current: bool) -> Line:
    """Return a snapshot: batchIndex, timestamp, messageCount, description."""
    kind = "bright" if is_current else "text"
    sign = "◉" if is_current else "○"
    return [
        Piece(f" {sign} ", "key" if is_current else "muted"),
        Piece(f"{batch.number:>{INDEX_CELLS - 3},}  ", kind),
        Piece(f"{to_the_second(batch.time):<{TIME_CELLS}}", "muted"),
        Piece(f"{count:>{COUNT_CELLS},}  ", kind),
        Piece(batch.description[:MOST_CHARACTERS], kind),
    ]


class SnapshotLines(Lines):
    """A snapshot as JSON with a line for each message; each is written when it is shown."""

    def __init__(self, log: LogReader, batch: Batch, view: View, width: int) -> None:
        self._log = log
        self._batch = batch
        self._view = view
        self._width = width

    def __len__(self) -> int:
        return AROUND + len(self._view)

    def line(self, at: int) -> Line:
        batch, count = self._batch, len(self._view)
        if at == 0:
            text = f'  {{"batchIndex": {batch.number}, "timestamp": {batch.time}, '
            text += f'"messageCount": {count}, "description": {_text(batch.description)},'
            return self._fitted([Piece(text, "muted")])
        if at == 1:
            return [Piece('   "messages": [', "muted")]
        place = at - AROUND + 1
        if place == count:
            return [Piece("   ]}", "muted")]
        raw = self._view[place]
        comma = "," if place < count - 1 else ""
        return self._fitted(_message(self._log[raw], comma))

    def _fitted(self, line: Line) -> Line:
        return fit_pieces(line, max(1, self._width - 1))


def _message(message: Message, comma: str) -> Line:
    """Return a message as JSON; parts are named, with the start of what they say behind them."""
    lead = [
        Piece('     {"role": ', "faint"),
        Piece(f'"{message.role}"', message.role),
        Piece(', "content": ', "faint"),
    ]
    if isinstance(message.content, str):
        return [*lead, Piece(_text(message.content)), Piece(f"}}{comma}", "faint")]
    kinds = ", ".join(f'"{part.type}"' for part in message.parts[:AROUND])
    more = ", …" if len(message.parts) > AROUND else ""
    said = printable(plain_preview(message), MOST_CHARACTERS)
    return [*lead, Piece(f"[{kinds}{more}]}}{comma}  ", "faint"), Piece(said, "muted")]


def _text(text: str) -> str:
    """Return the start of a text as JSON writes it, safe to show."""
    cut = text[:MOST_CHARACTERS]
    written = json.dumps(cut, ensure_ascii=False)
    return printable(written if len(cut) == len(text) else f'{written[:-1]}…"')


# The state as one of the source documents has it: a line for each batch snapshot of the path.


class SnapshotSource(NumberedSource):
    """Lines for the batches of a path by number; opened, a snapshot has a line for each message.

    Nothing is copied, as the document would have it: each line is made when it is in sight.
    """

    def __init__(self, look: Look) -> None:
        self.look = look
        self.path = look.state.path
        self._stats = Stats.of(look.state)

    def __len__(self) -> int:
        return len(self.path)

    def headers(self, width: int) -> list[Line]:
        return head_lines(self._stats, width)

    def line(self, at: int, width: int) -> Line:
        batch, revision = self._at(at)
        is_current = at == self._stats.current_batch_index
        return snapshot_line(batch, len(revision.view), is_current)

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        batch, revision = self._at(at)
        return SnapshotLines(self.look.state.log, batch, revision.view, width)

    def _at(self, at: int) -> tuple[Batch, Revision]:
        """Return a batch and its newest revision on the path; the shown one as it is shown."""
        state = self.look.state
        is_shown = at == self.look.batch.number
        revision = self.look.revision if is_shown else state.on_path(at)
        return state.named(self.path[at]), revision


# The other fields of a conversation at length: each with its name, and a line for each value.

LONGEST_NAME = 200
NOTHING = "This conversation has no other fields."


def field_lines(fields: Mapping[str, Any], width: int) -> Sequence[Line]:
    """Return the fields below each other; long values are cut into lines when they are in sight."""
    if not fields:
        return [[Piece(NOTHING, "muted")]]
    parts: list[Sequence[Line]] = []
    for name, value in fields.items():
        gap: list[Line] = [[]] if parts else []
        about = [Piece(_field_about(value), "faint")]
        parts += [
            [*gap, *cropped([head(printable(name, LONGEST_NAME), about, width)], width)],
            _value(value_text(value), width),
        ]
    return Joined(parts)


def _field_about(value: Any) -> str:
    is_text = isinstance(value, str)
    if isinstance(value, Mapping | tuple | list):
        return plural(sum(1 for _ in leaves(value)), "value")
    return plural(len(value), "character") if is_text and len(value) > CAREFUL else ""


def _value(text: str, width: int) -> Sequence[Line]:
    if not text:
        return [[Piece("(empty)", "faint")]]
    if len(text) > CAREFUL:
        return LongText(text, width)
    return [[Piece(row)] for line in text.split("\n") for row in wrap(line, width)]
