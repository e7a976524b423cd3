"""Policies over a run: the plot with its strips on one axis of calls, and one call of a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ctxtui.core import Finding
from ctxtui.core.engine.queries import Blame
from ctxtui.core.policies import CallFigures, PolicyFigures
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.lines import (
    Line,
    Piece,
    cropped,
    filled_row,
    head,
    joined,
    line_width,
    paragraph,
    spread,
    wrap,
)
from ctxtui.text.message import GLYPHS, plain_preview
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import FULL, HIGH, WIDE, Dots, bucket_of, placed, round_step
from ctxtui.text.plurals import percent, plural
from ctxtui.text.ribbon import Ribbon, RibbonAxis
from ctxtui.text.symbols import printable
from ctxtui.what_if.drawing.words import LABEL_CHARACTERS, SENTENCE_CHARACTERS, STAR
from ctxtui.what_if.models.comparison import Lacked, PolicyCall, StrategyComparison

# The axis of calls, which plot and strips share: one column of dots for a call, more or fewer.


class CallAxis:
    """Shares out a width among calls: a call has some columns of dots, or a column some calls."""

    def __init__(self, calls: int, cells: int) -> None:
        self.calls = calls
        self.cells = max(1, cells)
        self.columns = self.cells * WIDE

    def first_column(self, call: int) -> int:
        if self.calls > self.columns:
            return (call * self.columns - 1) // self.calls
        return (call - 1) * self.columns // self.calls

    def calls_of(self, column: int) -> range:
        if self.calls > self.columns:
            first, stop = (self.calls * at // self.columns for at in (column, column + 1))
            return range(first + 1, stop + 1)
        call = ((column + 1) * self.calls - 1) // self.columns + 1
        return range(call, call + 1)

    def cell(self, call: int) -> int:
        return min(self.cells - 1, self.first_column(call) // WIDE)

    def calls_of_cell(self, cell: int) -> range:
        first, last = self.calls_of(WIDE * cell), self.calls_of(WIDE * cell + WIDE - 1)
        return range(first.start, last.stop)

    def found(
        self, calls: Sequence[CallFigures], is_so: Callable[[CallFigures], bool]
    ) -> list[bool]:
        """Return for each column of dots whether something is true of any of its calls."""
        return [
            any(is_so(calls[call - 1]) for call in self.calls_of(column))
            for column in range(self.columns)
        ]

    def ticks(self) -> list[int]:
        """Return the calls whose numbers are below the axis: the first, the last, round ones."""
        step = round_step(max(1, self.cells // 8), self.calls)
        return [1, self.calls, *range(step, self.calls, step)]

    def rule(self) -> str:
        marks = {self.cell(call) for call in self.ticks()}
        return "".join("┬" if cell in marks else "─" for cell in range(self.cells))

    def numbers(self, cursor: int) -> Line:
        """Return the numbers below the axis; the one of the cursor goes before the others."""
        here = (self.cell(cursor), Piece(f" {cursor:,} ", "chip"))
        others = [(self.cell(call), Piece(f"{call:,}", "faint")) for call in self.ticks()]
        return placed([here, *others], self.cells)


# What is drawn of a policy: its letter, its figures, and its colour.

CHOSEN, RIVAL, OTHER = "bright", "muted", "dim"
"""The inks of the policy that is chosen, of the one it is compared with, and of the rest."""


class DrawnRun(NamedTuple):
    """A policy whose figures are known, in the ink it is drawn with."""

    letter: str
    figures: PolicyFigures
    kind: str

    @property
    def letter_kind(self) -> str:
        """Return the ink of its letter, which must be read even where its line is faint."""
        return "faint" if self.kind == OTHER else self.kind


def in_front_first(runs: Sequence[DrawnRun]) -> list[DrawnRun]:
    """Return the runs in the order in which they are drawn: what is bright comes first."""
    order = (CHOSEN, RIVAL, OTHER)
    return sorted(runs, key=lambda run: order.index(run.kind))


def drawn_runs(comparison: StrategyComparison) -> list[DrawnRun]:
    """Return the policies whose figures are known, each in its colour."""
    current, rival = comparison.current, comparison.rival
    inks = {one.id: kind for one, kind in ((rival, RIVAL), (current, CHOSEN)) if one is not None}
    return [
        DrawnRun(comparison.letter(one), one.figures, inks.get(one.id, OTHER))
        for one in comparison.strategies
        if one.figures is not None
    ]


def legend(runs: Sequence[DrawnRun]) -> Line:
    """Return which policy has which ink."""
    line: Line = []
    for kind in (CHOSEN, RIVAL, OTHER):
        letters = " ".join(run.letter for run in runs if run.kind == kind)
        if letters:
            ink, sample = ("faint", "track") if kind == OTHER else (kind, kind)
            line += [Piece(f"{FULL} ", sample), Piece(f"{letters}  ", ink)]
    return line


# Tokens per call as lines of dots, with the limit and the letters of the policies.

FAR = 2
"""Rows between two numbers of the scale, and how often the peak a limit may be to be drawn."""
START = 3
"""What is on the line of the limit, and in which cell; the cursor moves it."""


class LinesPlot:
    """The lines of all policies for a size: worked out once, then drawn with any cursor."""

    def __init__(
        self, runs: Sequence[DrawnRun], axis: CallAxis, rows: int, limit: int | None
    ) -> None:
        self.axis, self.rows, self.limit = axis, max(1, rows), limit
        peak = max([run.figures.peak for run in runs], default=0)
        self._has_limit = limit is not None and 0 < limit <= max(1, FAR * peak)
        self.top = max(peak, limit or 0 if self._has_limit else 0, 1)
        self._dots = Dots(axis.cells, self.rows)
        for run in in_front_first(runs):
            self._draw(run.figures, run.kind)
        self._letters = self._placed(runs)
        self._numbers = self._scale()

    def _y(self, value: int) -> int:
        whole = self.rows * HIGH - 1
        return whole - min(whole, round(whole * value / self.top))

    def _draw(self, figures: PolicyFigures, kind: str) -> None:
        """Draw steps joined by what lies between them; a column of many calls is all of them."""
        calls, before = figures.per_call, None
        for column in range(self.axis.columns):
            values = [calls[call - 1].tokens for call in self.axis.calls_of(column)]
            ends = [self._y(max(values)), self._y(min(values))]
            if before is not None:
                ends.append(before + (ends[0] > before) - (ends[1] < before))
            self._dots.down(column, min(ends), max(ends), kind)
            before = self._y(values[-1])

    def _placed(self, runs: Sequence[DrawnRun]) -> dict[int, Piece]:
        """Return the letters behind the ends of the lines, each in a row of its own if it can."""
        found: dict[int, Piece] = {}
        for run in in_front_first(runs):
            if not run.figures.per_call:
                continue
            ideal = self._y(run.figures.per_call[-1].tokens) // HIGH
            free = [row for row in range(self.rows) if row not in found]
            if free:
                row = min(free, key=lambda row: (abs(row - ideal), row))
                found[row] = Piece(run.letter, run.letter_kind)
        return found

    def _scale(self) -> dict[int, Piece]:
        """Return the numbers before the plot by row; the limit's own goes before a round one."""
        step = round_step(max(1, self.rows // 3), self.top)
        found = {
            self._y(value) // HIGH: Piece(tokens(value), "faint")
            for value in range(step, self.top + 1, step)
        }
        if self._has_limit and self.limit is not None:
            row = self._y(self.limit) // HIGH
            found = {at: piece for at, piece in found.items() if abs(at - row) > 1}
            found[row] = Piece(tokens(self.limit), "warn")
        elif self.limit is not None:
            found[0] = Piece(tokens(self.limit), "faint")
        return found

    def lines(self, cursor: int, lead: int) -> list[Line]:
        """Return the rows with a cursor on a call; the numbers take so many cells before them."""
        here = self.axis.cell(cursor)
        return [self._line(row, here, lead) for row in range(self.rows)]

    def _line(self, row: int, here: int, lead: int) -> Line:
        number = self._numbers.get(row, Piece(""))
        is_limit = self._has_limit and number.kind == "warn"
        blank = Piece("┈", "warn") if is_limit else Piece(" ")
        cells = [self._dots.cell(column, row) or blank for column in range(self.axis.cells)]
        text = " limit " if is_limit else ""
        if number.text and row == 0 and self.limit is not None and not self._has_limit:
            text = " the limit is far above "
        start = here + 2 if START <= here + 1 <= START + len(text) + 1 else START
        cells[start : start + len(text)] = [Piece(char, number.kind) for char in text]
        del cells[self.axis.cells :]
        cells[here] = Piece("│", "key")
        letter = self._letters.get(row, Piece(" "))
        before = Piece(f"{number.text:>{lead - 1}} ", number.kind)
        return [before, *joined(cells), Piece(" "), letter]


# Strips below the plot: which calls are broken, which lack a mark, what a cache can serve.

HALVES = {(True, True): "█", (True, False): "▌", (False, True): "▐", (False, False): "·"}
"""Two columns of a cell: whether a call in the left one, and in the right one, is marked."""
KEPT, CUT, AGAIN = "▆", "▄", "▁"
"""All that the call before has sent is at the start; some of it; nothing."""
STYLE_CLASSES = {KEPT: "ok", CUT: "warn", AGAIN: "error"}


def is_broken(call: CallFigures) -> bool:
    """Return whether a provider would refuse a call."""
    return call.errors > 0


def lacks(call: CallFigures) -> bool:
    """Return whether a call lacks a message that must stay."""
    return call.marks_missing > 0


def broken_cells(run: DrawnRun, axis: CallAxis) -> Line:
    """Return red blocks where calls are broken, half a cell exact."""
    found = axis.found(run.figures.per_call, is_broken)
    pairs = zip(found[::2], found[1::2], strict=True)
    return [Piece(HALVES[pair], ERROR.kind if any(pair) else "dim") for pair in pairs]


def lacking_cells(run: DrawnRun, axis: CallAxis) -> Line:
    """Return stars where calls lack a message that must stay."""
    found = axis.found(run.figures.per_call, lacks)
    return [
        Piece(STAR, ERROR.kind) if left or right else Piece("·", "dim")
        for left, right in zip(found[::2], found[1::2], strict=True)
    ]


def cache_cells(run: DrawnRun, axis: CallAxis) -> Line:
    """Return what a prompt cache can serve: of several calls in a cell the worst is shown."""
    calls = run.figures.per_call
    cells = []
    for cell in range(axis.cells):
        states = {cache_state(calls, call) for call in axis.calls_of_cell(cell)}
        worst = next(state for state in (AGAIN, CUT, KEPT) if state in states)
        cells.append(Piece(worst, STYLE_CLASSES[worst]))
    return cells


def cache_state(calls: Sequence[CallFigures], call: int) -> str:
    """Return what is kept of the call before; the first one has none to lose."""
    if call == 1 or calls[call - 1].prefix_tokens >= calls[call - 2].tokens:
        return KEPT
    return CUT if calls[call - 1].prefix_tokens else AGAIN


def strip(run: DrawnRun, cells: Line, axis: CallAxis, cursor: int, lead: int) -> Line:
    """Return a strip behind the letter of its policy, with the cursor on it."""
    here = axis.cell(cursor)
    shown = [*cells[:here], Piece("┃", "key"), *cells[here + 1 :]]
    return [Piece(f"{run.letter:>{lead - 2}}  ", run.letter_kind), *joined(shown)]


def failing_head(
    sign: str,
    title: str,
    about: str,
    runs: Sequence[DrawnRun],
    count: Callable[[DrawnRun], int],
    width: int,
) -> Line:
    """Return the line above strips of calls that fail, with who has none of them."""
    clean = [run.letter for run in runs if not count(run)]
    right = [Piece(f"{' '.join(clean)}  ", "text"), Piece("none", "ok")] if clean else []
    left = [Piece(f"{sign} {title}", ERROR.kind), Piece(f"  {about}", "muted")]
    if sum(len(piece.text) for piece in [*left, *right]) + 2 > width:
        left = left[:1]
    return spread(left, right, width)


# One call of one policy: what is sent, what is broken, what is lacking, what a cache keeps.

EXCERPT_ROWS = 3
"""Rows of a message that is lacking."""


def panel_lines(facts: PolicyCall, runs: Sequence[DrawnRun], chosen: str, width: int) -> list[Line]:
    """Return everything about a call, in the order in which one asks."""
    blocks = [_sent(facts, width), _broken(facts, width), _lacking(facts, width)]
    blocks += [_cache(facts, width), _others(facts.call, runs, chosen, width), _keys(facts)]
    lines: list[Line] = []
    for block in blocks:
        if block:
            lines += [[], *block] if lines else block
    return cropped(lines, width)


def brief_line(facts: PolicyCall | None, letter: str, width: int) -> Line:
    """Return a call in one line, for screens that have no room for more."""
    if facts is None:
        return []
    figures = facts.figures
    left = [
        Piece(f" {letter} ", "chip"),
        Piece(f" call {facts.call:,}  ", "bright"),
        Piece(f"{figures.messages:,} of {plural(facts.log_size, 'message')}, ", "muted"),
        Piece(f"{figures.tokens:,} tokens", "text"),
    ]
    if facts.errors:
        left += [Piece("  "), ERROR.piece(facts.errors[0].rule)]
    left += [Piece(f"  ★ {one.label[:LABEL_CHARACTERS]}", "error") for one in facts.lacked]
    if not figures.fails:
        left += [Piece("  "), PASSED.piece()]
    kept = f"{percent(figures.prefix_tokens, figures.tokens)} kept "
    return spread(left, [Piece(kept, "muted")], width)


# What is sent


def _sent(facts: PolicyCall, width: int) -> list[Line]:
    figures = facts.figures
    left = [
        Piece(f"{figures.messages:,}", "bright"),
        Piece(f" {plural(figures.messages, 'message').split()[-1]} of {facts.log_size:,}", "muted"),
    ]
    right = [Piece(f"{figures.tokens:,}", "bright"), Piece(" tokens", "muted")]
    axis = RibbonAxis(facts.log_size, width)
    drawn = Ribbon(facts.state.log, facts.weights, facts.view, size=facts.log_size)
    return [spread(left, right, width), drawn.line(axis), _below(facts, width)]


def _below(facts: PolicyCall, width: int) -> Line:
    """Return stars below the messages that must stay, and which stretch is sent."""
    cells, size = min(width, max(1, facts.log_size)), max(1, facts.log_size)
    wide = width // cells
    marks = {bucket_of(raw, size, cells) * wide: "mark" for raw in facts.must_sent}
    marks |= {bucket_of(one.raw, size, cells) * wide: "error" for one in facts.lacked}
    line: Line = []
    for at in sorted(marks):
        line += [Piece(" " * (at - line_width(line))), Piece("★", marks[at])]
    first, last = (facts.view[0], facts.view[-1]) if len(facts.view) else (None, None)
    text = "" if first is None else f"raw {first:,}–{last:,}"
    used = line_width(line)
    right = [Piece(text, "faint")] if used + len(text) < width else []
    return spread(line, right, width)


# What is wrong


def _broken(facts: PolicyCall, width: int) -> list[Line]:
    if not facts.errors:
        return []
    finding = facts.errors[0]
    title = [ERROR.piece("broken"), Piece(f"  {finding.rule}{_place(finding)}", "text")]
    lines = [title, *paragraph(printable(finding.message, SENTENCE_CHARACTERS), width, "text")]
    half = facts.cause
    if half is not None:
        text = f"Its {half.word}, raw {half.raw:,}, is not sent"
        lines += paragraph(f"{text}{_blamed(half.blame)}.", width, "muted")
    more = len(facts.errors) - 1
    if more:
        lines.append([Piece(f"and {plural(more, 'more error', 'more errors')}", "muted")])
    return [filled_row(line, "finding", width) for line in lines]


def _place(finding: Finding) -> str:
    if finding.raw_index is None or finding.position is None:
        return ""
    return f" at position {finding.position:,}, raw {finding.raw_index:,}"


def _blamed(blame: Blame | None) -> str:
    """Return which operation hid something, as the end of a sentence."""
    if blame is None or blame.operation is None:
        return ""
    return f": {printable(blame.operation.sentence(), SENTENCE_CHARACTERS)} cut it off"


def _lacking(facts: PolicyCall, width: int) -> list[Line]:
    if not facts.lacked:
        return []
    one = facts.lacked[0]
    role = one.message.role
    label = printable(one.label, LABEL_CHARACTERS)
    title = [Piece("★ lacks", "error"), Piece(f"  {label}, raw {one.raw:,}", "text")]
    lines = [spread(title, [Piece(f"{GLYPHS[role]} {role}", role)], width)]
    quoted = wrap(f"“{plain_preview(one.message).strip()}”", width)
    if len(quoted) > EXCERPT_ROWS:
        quoted = [*quoted[: EXCERPT_ROWS - 1], f"{quoted[EXCERPT_ROWS - 1][: width - 1]}…"]
    lines += [[Piece(row)] for row in quoted]
    lines += paragraph(_last(one, facts.call), width, "muted")
    more = len(facts.lacked) - 1
    if more:
        lines.append([Piece(f"and {plural(more, 'more message', 'more messages')}", "muted")])
    return lines


def _last(one: Lacked, call: int) -> str:
    if one.last_sent is None:
        return "It was never sent."
    return f"Last sent in call {one.last_sent:,}, {plural(call - one.last_sent, 'call')} ago."


# The cache


def _cache(facts: PolicyCall, width: int) -> list[Line]:
    figures = facts.figures
    state = cache_state(facts.run.figures.per_call, facts.call)
    title = [
        Piece("cache", "ok" if state == KEPT else "error"),
        Piece(f"  {figures.prefix_tokens:,} of {figures.tokens:,} tokens kept", "text"),
    ]
    return [title, *paragraph(_why(facts), width, "muted")]


def _why(facts: PolicyCall) -> str:
    if facts.call == 1:
        return "The first call: nothing is cached yet."
    broke = facts.broke
    if broke.kind == "whole":
        return f"All of call {facts.call - 1:,} is its start; the rest is new."
    was = f"Position {broke.position:,} was raw {broke.was:,} in call {facts.call - 1:,}"
    now = "" if broke.now is None else f" and is raw {broke.now:,} here"
    return f"{was}{now}{_blamed(facts.broke_by)}."


# All policies


def _others(call: int, runs: Sequence[DrawnRun], chosen: str, width: int) -> list[Line]:
    if len(runs) < 2:  # noqa: PLR2004 - one alone has nothing to compare
        return []
    lines = [
        head(f"all {len(runs)} at call {call:,}", [], width),
        [Piece(f"  {'sent':>6}{'tokens':>9}{'kept':>7}", "faint")],
    ]
    for run in runs:
        line = _other(run, run.figures.per_call[call - 1], width)
        lines.append(filled_row(line, "cursor", width) if run.letter == chosen else line)
    return lines


def _other(run: DrawnRun, call: CallFigures, width: int) -> Line:
    share = percent(call.prefix_tokens, call.tokens)
    is_kept = cache_state(run.figures.per_call, call.call) == KEPT
    left = [
        Piece(f"{run.letter} ", run.letter_kind),
        Piece(f"{call.messages:>6,}", "text"),
        Piece(f"{call.tokens:>9,}", "bright"),
        Piece(f"{share:>7}", "ok" if is_kept else "error"),
    ]
    right = [
        Piece(f" {ERROR.text(str(call.errors))}" if call.errors else "", ERROR.kind),
        Piece(f"  ★ {call.marks_missing}" if call.marks_missing else "", "error"),
        PASSED.piece() if not call.fails else Piece(""),
    ]
    return spread(left, [piece for piece in right if piece.text], width)


def _keys(facts: PolicyCall) -> list[Line]:
    """Return the keys that lead from a call to more of it."""
    lines = [[Piece("enter", "key"), Piece(" open it as a session", "muted")]]
    if facts.figures.fails:
        lines.append([Piece("L    ", "key"), Piece(" lint and blame there", "muted")])
    return lines


# The pane of the plot: lines above strips on one axis, as much of them as there is room for.

LEAD_CELLS = 7
LEAST_ROWS = 6
ROOMY_ROWS = 10
"""Rows of the plot below which strips are merged, and from which on there is space between them."""

Cells = Callable[[DrawnRun, CallAxis], Line]


class StripSection(NamedTuple):
    """Strips of one kind: the line above them, and the policies that have something to show."""

    head: Line
    cells: Cells
    runs: Sequence[DrawnRun]

    @property
    def rows(self) -> int:
        return 1 + len(self.runs) if self.runs or self.head else 0


class RunPicture:
    """All of it for a size: what doesn't depend on the cursor is worked out once."""

    def __init__(
        self,
        runs: Sequence[DrawnRun],
        calls: int,
        size: tuple[int, int],
        *,
        limit: int | None = None,
        must: str = "",
    ) -> None:
        self.width, self.height = size
        self._must = must
        self.axis = CallAxis(calls, self.width - LEAD_CELLS - 2)
        sections = self._sections(runs)
        self._gap = 1
        rows = self._left(sections)
        if rows < ROOMY_ROWS:
            self._gap = 0
            rows = self._left(sections)
        if rows < LEAST_ROWS:
            sections = self._merged(runs)
            rows = self._left(sections)
        self._plot = LinesPlot(runs, self.axis, max(1, rows), limit)
        self._strips = [
            (section.head, [(run, section.cells(run, self.axis)) for run in section.runs])
            for section in sections
        ]

    def _left(self, sections: Sequence[StripSection]) -> int:
        """Return the rows that strips leave to the plot and its axis."""
        below = sum(section.rows - (not section.head) + self._gap for section in sections)
        return self.height - below - 2

    def _sections(self, runs: Sequence[DrawnRun]) -> list[StripSection]:
        broken = [run for run in runs if run.figures.broken]
        lacking = [run for run in runs if run.figures.without_marked]
        text = self._must or "what must stay"
        found = [
            StripSection(
                failing_head(
                    ERROR.glyph,
                    "broken",
                    "a provider would refuse the request",
                    runs,
                    lambda run: run.figures.broken,
                    self.width,
                ),
                broken_cells,
                broken,
            ),
            StripSection(
                failing_head(
                    STAR,
                    f"without {text}",
                    "it is in the log and not sent",
                    runs,
                    lambda run: run.figures.without_marked,
                    self.width,
                ),
                lacking_cells,
                lacking,
            ),
            StripSection(cache_head(self.width), cache_cells, runs),
        ]
        return found if self._must else [found[0], found[2]]

    def _merged(self, runs: Sequence[DrawnRun]) -> list[StripSection]:
        """Return a strip of each kind for the chosen policy alone."""
        chosen = [run for run in runs if run.kind == CHOSEN]
        return [
            StripSection([], broken_cells, [run for run in chosen if run.figures.broken]),
            StripSection([], lacking_cells, [run for run in chosen if run.figures.without_marked]),
            StripSection([], cache_cells, chosen),
        ]

    def lines(self, cursor: int) -> list[Line]:
        lead = LEAD_CELLS
        lines = self._plot.lines(cursor, lead)
        lines.append([Piece(" " * lead), Piece(self.axis.rule(), "track")])
        lines.append([Piece(f"{'call':<{lead}}", "faint"), *self.axis.numbers(cursor)])
        for title, strips in self._strips:
            lines += [[]] * self._gap
            lines += [title] if title else []
            lines += [strip(run, cells, self.axis, cursor, lead) for run, cells in strips]
        return lines[: self.height]

    def call_at(self, x: int) -> int | None:
        cell = x - LEAD_CELLS
        return self.axis.calls_of_cell(cell).start if 0 <= cell < self.axis.cells else None


def cache_head(width: int) -> Line:
    """Return the line above the strips of the cache: what each sign means."""
    left = [
        Piece(KEPT, STYLE_CLASSES[KEPT]),
        Piece(" prefix kept  ", "muted"),
        Piece(CUT, STYLE_CLASSES[CUT]),
        Piece(" cut  ", "muted"),
        Piece(AGAIN, STYLE_CLASSES[AGAIN]),
        Piece(" sent again", "muted"),
    ]
    right = [Piece("what a prompt cache can serve, call by call", "faint")]
    size = sum(len(piece.text) for piece in [*left, *right])
    return spread(left, right if size + 2 <= width else [], width)
