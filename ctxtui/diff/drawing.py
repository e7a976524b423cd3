"""The head of a difference: both batches, and what of one a prompt cache has from the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from ctxtui.core.engine.views import View
from ctxtui.diff.models import SIGNS, MeasuredCache, Pair, Sides, Stretch, operation_of
from ctxtui.inspector.drawing.head import unlinted
from ctxtui.inspector.drawing.message import detail
from ctxtui.inspector.models.look import Look
from ctxtui.text.figures import Figure, change_piece, count_figure, figure_table
from ctxtui.text.icons import CACHED_BLOCK, ERROR, worst_of
from ctxtui.text.line_source import LineSource
from ctxtui.text.lines import (
    Joined,
    Line,
    Piece,
    beside,
    breadcrumb,
    fit,
    fit_pieces,
    line_width,
    paragraph,
)
from ctxtui.text.message import (
    GLYPHS,
    WORDS,
    content_text,
    expanded,
    message_row,
    text_lines,
)
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import RESENT_BLOCK, cache_ruler, placed
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import printable
from ctxtui.text.word_diff import Edit, edit_lines, edits

LOW = "▄"
"""What was measured is half as high as what is computed, so that one sees which is which."""
TABLE_CELLS = 36
LINES, BRIEF_LINES = 5, 3
"""Lines of the cache without what was measured."""


def title_line(sides: Sides, width: int, title: str = "") -> Line:
    """Return the way here, which two batches are compared, and the keys that choose others."""
    line = [*breadcrumb(title, "Diff", width), Piece("  from ", "muted")]
    line += [Piece(sides.name(sides.left), "bright"), *_abandoned(sides, sides.left)]
    line += [Piece("  to ", "muted"), Piece(sides.name(sides.right), "bright")]
    line += _abandoned(sides, sides.right)
    keys: Line = []
    for key, word in (("[ ]", "from"), ("{ }", "to"), ("~", "swap")):
        keys += [Piece(f"   {key}", "key"), Piece(f" {word}", "muted")]
    used, size = (line_width(one) for one in (line, keys))
    if used + size + 1 > width:
        return fit_pieces(line, width)
    return [*fit_pieces(line, width - size - 1), *keys, Piece(" ")]


def _abandoned(sides: Sides, look: Look) -> Line:
    return [Piece(" ◌ abandoned", "warn")] if sides.is_abandoned(look) else []


def cache_lines(sides: Sides, width: int) -> list[Line]:
    """Return the prompt cache at length: a ruler with its figures, and a table next to it.

    Where a provider said what it served, that is a second ruler, and a sentence below.
    """
    room = width - TABLE_CELLS - 5
    lines = [
        [Piece(" "), *line]
        for line in (
            [*_kept(sides), Piece(f"   {sides.right.counter[:40]}", "faint")],
            _figures(sides, room),
            ruler(sides, room),
            *_measured_ruler(sides, room),
            _under_tick(sides, room),
            _resent(sides, room),
            *_measured_words(sides),
        )
    ]
    return beside(lines, [[], *table(sides)], room + 1)


def brief_lines(sides: Sides, width: int) -> list[Line]:
    """Return the prompt cache in three lines, for small screens; one more for what was measured."""
    room = width - 2
    line = _kept(sides, tokens)
    if sides.sent_again:
        line += [Piece("  │  ", "track"), Piece(_again(sides, tokens), _kind(sides))]
    words = Piece(broken(sides), "muted")
    rest = _measured_words(sides)
    return [[Piece(" "), *one] for one in (line, ruler(sides, room), [words], *rest)]


def _kept(sides: Sides, number: Callable[[int], str] = "{:,}".format) -> Line:
    kept = sides.prefix
    if not len(sides.right.view):
        return [Piece("nothing to keep", "muted")]
    share = percent(sides.kept, sides.right.total)
    if not sides.sent_again:
        share = "100 %"
    elif share == "100 %":
        share = ">99 %"  # A message without tokens is sent again.
    return [
        Piece(f"{share} kept", "ok" if sides.kept else "error"),
        Piece(f"   {sides.about}{number(sides.kept)} tokens", "text"),
        Piece(f"  in {plural(kept.messages, 'message')}", "muted"),
    ]


def _kind(sides: Sides) -> str:
    return "error" if sides.is_broken else "bright"


def _again(sides: Sides, number: Callable[[int], str] = "{:,}".format) -> str:
    word = "sent again" if sides.is_broken else "new"
    count = plural(sides.sent_again, "message")
    return f"{sides.about}{number(sides.found.resent)} tokens in {count} {word}"


def measured_words(found: MeasuredCache) -> str:
    """Return in words what a provider served, and of which call."""
    total = "" if found.input is None else f" of {found.input:,}"
    share = f", {percent(found.cached, found.input)}" if found.input else ""
    return f"{found.cached:,}{total} tokens served in call {found.call:,}{share}"


def _measured_ruler(sides: Sides, width: int) -> list[Line]:
    """Return what was served as a share of what was read; tools are part of both."""
    found = sides.measured
    if found is None or not found.input or width < 3:  # noqa: PLR2004 - as above
        return []
    share = min(1.0, found.cached / found.input)
    cells = round(width * share)
    cells = width if share == 1 else max(1 if found.cached else 0, min(cells, width - 1))
    return [[Piece(LOW * cells, "ok"), Piece(RESENT_BLOCK * (width - cells), "muted")]]


def _measured_words(sides: Sides) -> list[Line]:
    """Return the sentence of what was served; it may have come after another call than the left."""
    found = sides.measured
    if found is None:
        return []
    words = [Piece("measured  ", "bright"), Piece(measured_words(found), "text")]
    words += [Piece(", tools included", "muted")] if found.has_tools else []
    if found.after is not None and found.after != sides.left.revision.id:
        words.append(Piece(f"; it followed call {found.call - 1:,}, not the left side", "muted"))
    return [words]


def tick_of(sides: Sides, width: int) -> int | None:
    """Return the cell at which the cache ends; None where it holds all that is sent."""
    if not sides.sent_again:
        return None
    total = sides.right.total
    at = round(width * sides.kept / total) if total else 0
    return max(1 if sides.kept else 0, min(at, width - 2))


def ruler(sides: Sides, width: int) -> Line:
    """Return the tokens of the right side in the order they are sent: kept, then sent again."""
    if not len(sides.right.view):
        return [Piece("─" * width, "track")]
    total = max(1, sides.right.total)
    # A message without tokens is sent again, too.
    kept = min(sides.kept, total - 1) if sides.sent_again else total
    return cache_ruler(kept, total, total, width, is_new=not sides.is_broken)


def _figures(sides: Sides, width: int) -> Line:
    tick = tick_of(sides, width)
    ends = [(0, Piece("0", "faint")), (width, Piece(f"{sides.right.total:,}", "faint"))]
    if tick is None or not tick:
        return placed(ends, width)
    return placed([(tick, Piece(f"{sides.kept:,}", "bright")), *ends], width)


def _under_tick(sides: Sides, width: int) -> Line:
    """Return where the cache breaks, said at the tick."""
    words = broken(sides)
    if tick_of(sides, width) is None:
        return [Piece(words, "muted")]
    indent, lead, tail = _beside_tick(sides, words, width)
    cached = "  cached" if indent > len("  cached ") else ""
    rest = [Piece(lead, "error"), Piece(words, "bright"), Piece(tail, "error")]
    return [Piece(cached.ljust(indent), "ok"), *rest]


def _resent(sides: Sides, width: int) -> Line:
    """Return what is sent again, below the sentence that says where the cache breaks."""
    if tick_of(sides, width) is None:
        return []
    above, words = broken(sides), _again(sides)
    indent, lead, tail = _beside_tick(sides, above, width)
    indent += len(above) - len(words) if tail else len(lead)
    return [Piece(" " * max(0, min(indent, width - len(words)))), Piece(words, _kind(sides))]


def _beside_tick(sides: Sides, words: str, width: int) -> tuple[int, str, str]:
    """Return where words begin, and the hook to the tick that is before or behind them."""
    tick = tick_of(sides, width) or 0
    if tick + len(words) + 2 <= width:
        return tick, "╰ ", ""
    if tick > len(words):
        return tick - len(words) - 1, "", " ╯"
    return max(0, width - len(words)), "", ""


def broken(sides: Sides) -> str:
    """Return in a sentence where the cache breaks, or why it doesn't."""
    left, right, kept = sides.left, sides.right, sides.prefix.messages
    if not len(right.view):
        return f"Nothing is sent in batch {right.batch.number}."
    if not sides.sent_again:
        if kept == len(left.view):
            return "Both send the same: a prompt cache can keep all of it."
        return "All that is sent was at the start before: a prompt cache can keep it."
    if not sides.is_broken:
        return f"All of batch {left.batch.number} is kept; what is new comes after it."
    was, now = left.view[kept], right.view[kept]
    return f"breaks before position {kept}: raw {was} was there, raw {now} is now"


def table(sides: Sides) -> list[Line]:
    """Return messages, tokens, lint errors and marked messages, before and after."""
    left, right = sides.left, sides.right
    counts = {
        "messages": (len(left.view), len(right.view)),
        f"{sides.about}tokens": (left.total, right.total),
        ERROR.text("errors"): (left.errors, right.errors),
        "★ marked": sides.marked,
    }
    figures = [
        count_figure(name, *both, [Piece(change_piece(*both).text, "muted")])
        for name, both in counts.items()
    ]
    if not (left.is_linted and right.is_linted):
        note = [unlinted(right if left.is_linted else left)]
        figures[2] = Figure(ERROR.text("errors"), "", "", note)
    return figure_table(figures, TABLE_CELLS)


# Rows of a difference: one line with a half for each side and what joins them in the middle.

ROOMY_CELLS = 50
WORDY_CELLS = 42
CUT_SYMBOL = "┄"
STYLE_CLASSES = {"hidden": "error", "added": "ok", "shown": "ok", "moved": "warn"}


def halves(width: int) -> tuple[int, int, int]:
    """Return the cells of the left half, the middle and the right half; one cell stays free."""
    middle = 4 if width >= 2 * WORDY_CELLS else 2
    left = max(0, width - middle - 1) // 2
    return left, middle, max(0, width - middle - left - 1)


def row(sides: Sides, pair: Pair, note: str, width: int) -> Line:
    """Return one line; a half without a message holds a note."""
    left, middle, right = halves(width)
    digits = len(str(max(len(sides.left.view), len(sides.right.view)) - 1))
    digits = max(3, digits)
    return [
        *_half(sides, sides.left, pair, pair.left, (left, digits), note),
        *_middle(sides, pair, middle),
        *_half(sides, sides.right, pair, pair.right, (right, digits), note),
    ]


def _half(
    sides: Sides, look: Look, pair: Pair, position: int | None, room: tuple[int, int], note: str
) -> Line:
    width, digits = room
    if position is None:
        return [Piece(fit(f"  {note}", width), "muted")]
    raw = look.view[position]
    message = look.state.log[raw]
    role = message.role
    lead = [_sign(pair, look is sides.left)]
    lead.append(Piece("★", "mark") if raw in sides.right.marked else Piece(" "))
    lead.append(Piece(f"{position:>{digits}} ", "bright"))
    if width >= ROOMY_CELLS:
        size = max(3, len(str(len(look.state.log) - 1)))
        lead.append(Piece(f"{raw:>{size}} ", "muted"))
    word = f"{GLYPHS[role]} {WORDS[role]:<5}" if width >= WORDY_CELLS else f"{GLYPHS[role]} "
    lead.append(Piece(word, role))
    tail = worst_of(look.findings_at.get(position, []))
    tail.append(Piece(f"{tokens(look.tokens(raw)):>6}", "muted"))
    return fit_pieces(message_row(look.state.log, raw, lead, tail, width), width)


def _sign(pair: Pair, is_left: bool) -> Piece:
    if pair.kind == "replaced":
        return Piece("−", "error") if is_left else Piece("+", "ok")
    if pair.kind == "same":
        return Piece(" ")
    return Piece(SIGNS[pair.kind], STYLE_CLASSES[pair.kind])


def _middle(sides: Sides, pair: Pair, width: int) -> Line:
    """Return what joins the halves, and whether a cache would have the right one."""
    is_kept = pair.right is not None and pair.right < sides.prefix.messages
    join = Piece(" ")
    if pair.kind == "same":
        join = Piece("═", "ok") if is_kept else Piece("─", "faint")
    elif pair.kind == "replaced":
        join = Piece("→", "muted")
    lead = [Piece(" "), join, Piece(" ")] if width > 2 else [Piece(" ")]  # noqa: PLR2004
    return [*lead, gutter(sides, pair.right)]


def gutter(sides: Sides, position: int | None) -> Piece:
    """Return whether a cache would have a message: double line for kept, dots for sent again."""
    if position is None:
        return Piece(" ")
    if position < sides.prefix.messages:
        return Piece(CACHED_BLOCK, "ok")
    return Piece(RESENT_BLOCK, "error" if sides.is_broken else "muted")


def cut_row(sides: Sides, width: int) -> Line:
    """Return the line where a prompt cache breaks."""
    left, middle, right = halves(width)
    kept = sides.prefix
    same = f"same up to here: {plural(kept.messages, 'message')}, {kept.tokens:,} tokens"
    if len(same) + len(CUT_SYMBOL * 4) > left:
        same = f"{plural(kept.messages, 'message')} the same"
    if not kept.messages:
        same = "not the same from the start"
    then, kind = ("cache breaks here", "error") if sides.is_broken else ("new from here", "ok")
    return [
        *_ruled(Piece(same, "ok" if kept.messages else "muted"), left, kind),
        Piece(CUT_SYMBOL * middle, kind),
        *_ruled(Piece(then, kind), right, kind),
    ]


def _ruled(words: Piece, width: int, kind: str) -> Line:
    lead = CUT_SYMBOL * 2 + " "
    room = max(0, width - len(lead) - len(words.text) - 1)
    line = [Piece(lead, kind), words, Piece(" " + CUT_SYMBOL * room, kind)]
    return fit_pieces(line, width) if not room else line


def fold_row(sides: Sides, first: Pair, size: int, is_open: bool, width: int) -> Line:
    """Return the line that represents many that are the same."""
    left, middle, right = halves(width)
    words = (
        f"{CUT_SYMBOL} {size:,} the same, enter folds them" if is_open else f"… {size:,} the same"
    )
    return [
        Piece(fit(f"     {words}", left + middle - 1), "muted"),
        gutter(sides, first.right),
        Piece(" " * right),
    ]


def side_heads(sides: Sides, width: int) -> Line:
    """Return what each half is: its batch, its messages, its tokens."""
    left, middle, right = halves(width)
    return [
        *_side_head(sides, sides.left, left),
        Piece(" " * middle),
        *_side_head(sides, sides.right, right),
    ]


def _side_head(sides: Sides, look: Look, width: int) -> Line:
    tail = f"  {plural(len(look.view), 'message')}  {sides.about}{tokens(look.total)} "
    title = sides.name(look)
    description = look.batch.description.removeprefix(operation_of(look.batch)).strip()
    words = [Piece(f" {title}", "bright")]
    if sides.is_abandoned(look):
        words.append(Piece("  ◌ abandoned", "warn"))
    words.append(Piece(f"  {description[:width]}", "muted"))
    room = max(0, width - len(tail))
    return fit_pieces([*fit_pieces(words, room), Piece(tail, "muted")], width)


# The message under the cursor of a difference: what became of it, and what it says.

WHEN_FOLDED = "These messages are the same on both sides. enter shows them, or folds them again."


def pair_lines(sides: Sides, pair: Pair, width: int) -> Sequence[Line]:
    """Return a message with what became of it; of a replaced one how its text changed."""
    if pair.kind == "replaced":
        return _replaced(sides, pair, width)
    raw = sides.raw(pair)
    look = sides.right
    if pair.right is None:
        # The side that has it not knows what hid it, unless it never had it.
        found = look.blame(raw)
        look = sides.left if found is not None and found.batch is None else look
    return Joined([[_fate(sides, pair)], detail(look, raw, width)])


def _fate(sides: Sides, pair: Pair) -> Line:
    if pair.kind == "same":
        is_kept = pair.right is not None and pair.right < sides.prefix.messages
        words = "the same, in the cache" if is_kept else "the same, but sent again"
        return [Piece("= ", "ok" if is_kept else "error"), Piece(words, "muted")]
    place = f"position {pair.left}, " if pair.right is None else f"position {pair.right}, "
    sign = Piece(f"{SIGNS[pair.kind]} {pair.kind}", STYLE_CLASSES[pair.kind])
    return [sign, Piece(f"  {place}{sides.cause(pair)}", "muted")]


def cut_lines(sides: Sides, width: int) -> list[Line]:
    """Return what there is to say about the line where the cache breaks."""
    lines = paragraph(broken(sides), width, "bright")
    words = (
        "A provider's prompt cache holds the start that two requests have in common. "
        "Everything behind the first difference is read, and paid for, again."
    )
    return [*lines, *paragraph(words, width, "muted")]


def fold_lines(width: int) -> list[Line]:
    """Return what there is to say about messages that are folded away."""
    return paragraph(WHEN_FOLDED, width, "muted")


def _replaced(sides: Sides, pair: Pair, width: int) -> Sequence[Line]:
    assert pair.left is not None
    assert pair.right is not None
    left, right = sides.left.view[pair.left], sides.right.view[pair.right]
    log = sides.right.state.log
    old, new = content_text(log[left]), content_text(log[right])
    changes = edits(old, new) if old != new else []
    head = _places(sides, (left, right), (pair.left, pair.right))
    if not changes:
        same = Piece("The text is the same; a model sees no difference there.", "muted")
        return Joined([[head], [[same]], [[]], text_lines(new, width)])
    return [head, [Piece(_count(changes), "muted")], [], *edit_lines(changes, width)]


def _places(sides: Sides, raws: tuple[int, int], positions: tuple[int, int]) -> Line:
    """Return who spoke, where, and in how many tokens, before and after."""
    left, right = raws
    log = sides.right.state.log
    role, was = log[right].role, log[left].role
    line = [Piece(f"{GLYPHS[was]} {was}", was)]
    if role != was:
        line += [Piece(" → ", "muted"), Piece(f"{GLYPHS[role]} {role}", role)]
    before, after = sides.left.tokens(left), sides.right.tokens(right)
    where = f"  raw {left} → {right}"
    at, to = positions
    where += f"  position {to}" if at == to else f"  position {at} → {to}"
    return [*line, Piece(where, "text"), Piece(f"  {before:,} → {after:,} tokens", "muted")]


def _count(changes: Sequence[Edit]) -> str:
    gone, come = (
        sum(len(text.split()) for kind, text in changes if kind == wanted)
        for wanted in ("out", "in")
    )
    return f"− {plural(gone, 'word')}  + {plural(come, 'word')}"


# A difference as plain text, to be taken along.

BLAMED = 2_000
"""Hidden messages up to which each is asked what hid it."""


def summary(sides: Sides) -> str:
    """Return both batches, the figures, the cache, and what differs as runs of raw indices."""
    left, right, kept = sides.left, sides.right, sides.prefix
    diff = sides.found.diff
    names = f"{sides.name(left)} → {sides.name(right)}"
    lines = [
        f"{names} (revision {left.revision.id} → {right.revision.id})",
        f"messages {_change(len(left.view), len(right.view))}",
        f"tokens {_change(left.total, right.total)}, counted by {right.counter}",
        f"kept by a prompt cache: {plural(kept.messages, 'message')}, {kept.tokens:,} tokens, "
        f"{percent(kept.tokens, right.total)}",
        f"sent again or new: {plural(sides.sent_again, 'message')}, {sides.found.resent:,} tokens",
        broken(sides),
        *([] if sides.measured is None else [f"measured: {measured_words(sides.measured)}"]),
    ]
    kinds = {"hidden": diff.hidden, "added": diff.added, "shown": diff.shown, "moved": diff.moved}
    lines += [f"{kind} {len(one):,}: raw {one}" for kind, one in kinds.items() if len(one)]
    lines += _causes(sides, diff.hidden) if diff else ["no difference"]
    return "".join(f"{printable(line)}\n" for line in lines)


def _change(before: int, after: int) -> str:
    by = after - before
    return f"{before:,} → {after:,} ({'+' if by > 0 else '−' if by else '±'}{abs(by):,})"


def _causes(sides: Sides, hidden: View) -> list[str]:
    """Return the operations that hid something, each with what it hid."""
    if len(hidden) > BLAMED:
        return []
    found: dict[str, list[int]] = {}
    for raw in hidden:
        cause = sides.cause(Pair("hidden", sides.left.view.position(raw), None))
        found.setdefault(cause, []).append(raw)
    return [f"  {cause}: raw {View.of(raws)}" for cause, raws in found.items()]


# The difference of two batches as a list: aligned rows, folded where nothing differs.

CUT_KEY = -1
NEAR_ROWS = 3
FEW_ROWS = 4
"""Same rows that stay beside a difference, and how many more there must be to fold them."""

TINTS = {"hidden": "hidden", "added": "added", "shown": "added"}


class DiffSection(NamedTuple):
    """Lines of the list that are made in one way."""

    kind: Literal["rows", "fold", "cut"]
    size: int
    of: Stretch


class DiffSource(LineSource):
    """A line for every aligned pair; the cut and the folds are lines of their own.

    A row's key is twice its raw index, one more where its message is on the right. ``opened``
    holds the keys of folds that are open; it is shared by all sources of a screen.
    """

    def __init__(self, sides: Sides, opened: set[int]) -> None:
        self.sides = sides
        self._opened = opened
        self._sections = list(self._laid_out())
        self._starts = [0, *accumulate(section.size for section in self._sections)]
        rows = [(at, one.of) for at, one in enumerate(self._sections) if one.kind == "rows"]
        self._left = [(of.left, at) for at, of in rows if of.left is not None]
        self._right = [(of.right, at) for at, of in rows if of.right is not None]
        self._changes = [self._starts[at] for at, of in rows if of.kind != "same"]
        others = (self._starts[at] for at, one in enumerate(self._sections) if one.kind != "rows")
        self._others = {self.key(start): start for start in others}

    # Laying out

    def _laid_out(self) -> Iterator[DiffSection]:
        stretches = self.sides.stretches
        cut = self.sides.prefix.messages if self.sides.sent_again else -1
        nothing = Stretch("same", 0, None, None)
        if cut == 0:
            yield DiffSection("cut", 1, nothing)
        for at, whole in enumerate(stretches):
            first, last = at == 0, at == len(stretches) - 1
            end = None if whole.right is None else cut - whole.right
            if end is not None and 0 < end <= whole.size:
                yield from self._rows(whole.part(0, end), first, last and end == whole.size)
                yield DiffSection("cut", 1, nothing)
                if end < whole.size:
                    yield from self._rows(whole.part(end, whole.size), False, last)
            else:
                yield from self._rows(whole, first, last)

    def _rows(self, whole: Stretch, is_first: bool, is_last: bool) -> Iterator[DiffSection]:
        """Yield a stretch, folded in its middle if that is long and the same."""
        lo, hi = 0 if is_first else NEAR_ROWS, whole.size - (0 if is_last else NEAR_ROWS)
        if whole.kind != "same" or hi - lo < FEW_ROWS or (is_first and is_last):
            yield DiffSection("rows", whole.size, whole)
            return
        inner = whole.part(lo, hi)
        if lo:
            yield DiffSection("rows", lo, whole.part(0, lo))
        yield DiffSection("fold", 1, inner)
        if self._fold_key(inner) in self._opened:
            yield DiffSection("rows", inner.size, inner)
        if hi < whole.size:
            yield DiffSection("rows", whole.size - hi, whole.part(hi, whole.size))

    def _fold_key(self, inner: Stretch) -> int:
        assert inner.right is not None
        return -2 - self.sides.right.view[inner.right]

    # Finding

    def __len__(self) -> int:
        return self._starts[-1]

    def _at(self, at: int) -> tuple[DiffSection, int]:
        place = bisect_right(self._starts, at) - 1
        return self._sections[place], at - self._starts[place]

    def pair(self, at: int) -> Pair | None:
        """Return the row of a line; None for the cut and for folds."""
        if not 0 <= at < len(self):
            return None
        section, within = self._at(at)
        return _pair(section.of, within) if section.kind == "rows" else None

    def key(self, at: int) -> int:
        section, within = self._at(at)
        if section.kind == "cut":
            return CUT_KEY
        if section.kind == "fold":
            return self._fold_key(section.of)
        pair = _pair(section.of, within)
        return 2 * self.sides.raw(pair) + (pair.right is not None)

    def find(self, key: int) -> int | None:
        """Return the line with a key, or None where it is not here or folded away."""
        if key < 0:
            return self._others.get(key)
        raw, is_right = divmod(key, 2)
        at = self._on_the_right(raw) if is_right else self._on_the_left(raw)
        return at if at is not None and self.key(at) == key else None

    def find_raw(self, raw: int) -> int | None:
        """Return the line that shows a message, on the right rather than on the left."""
        right = self._on_the_right(raw)
        return self._on_the_left(raw) if right is None else right

    def _on_the_left(self, raw: int) -> int | None:
        return self._line_of(self.sides.left.view.position(raw), self._left)

    def _on_the_right(self, raw: int) -> int | None:
        return self._line_of(self.sides.right.view.position(raw), self._right)

    def _line_of(self, position: int | None, places: list[tuple[int, int]]) -> int | None:
        if position is None:
            return None
        at = bisect_right(places, position, key=lambda place: place[0]) - 1
        if at < 0:
            return None
        start, place = places[at]
        within = position - start
        return self._starts[place] + within if within < self._sections[place].size else None

    def is_fold(self, at: int) -> bool:
        return 0 <= at < len(self) and self._at(at)[0].kind == "fold"

    def difference(self, at: int, by: int) -> int | None:
        """Return the first line of the next difference, or of the one before."""
        place = bisect_right(self._changes, at) if by > 0 else bisect_left(self._changes, at) - 1
        return self._changes[place] if 0 <= place < len(self._changes) else None

    # Drawing

    def header(self, width: int) -> Line | None:
        return side_heads(self.sides, width)

    def tint(self, at: int) -> str:
        section, _ = self._at(at)
        return TINTS.get(section.of.kind, "") if section.kind == "rows" else ""

    def line(self, at: int, width: int) -> Line:
        section, within = self._at(at)
        if section.kind == "cut":
            return cut_row(self.sides, width)
        pair = _pair(section.of, within)
        if section.kind == "fold":
            is_open = self._fold_key(section.of) in self._opened
            return fold_row(self.sides, pair, section.of.size, is_open, width)
        return row(self.sides, pair, self._note(at, section, within), width)

    def expanded(self, at: int, width: int) -> list[Line]:
        pair = self.pair(at)
        if pair is None:
            return []
        return expanded(self.sides.right.state.log[self.sides.raw(pair)], width)

    def _note(self, at: int, section: DiffSection, within: int) -> str:
        """Return why one half is empty: once for each run, and again where the screen begins."""
        stretch = section.of
        if stretch.kind in ("same", "replaced"):
            return ""
        cause = self.sides.cause(_pair(stretch, within))
        if within == 0 or at == self.top:
            return cause
        if self.sides.cause(_pair(stretch, within - 1)) != cause:
            return cause
        if within == 1:
            is_gone = stretch.right is None
            many = plural(stretch.size, "message")
            return f"{many} no longer sent" if is_gone else f"{many} not sent before"
        return ""


def _pair(stretch: Stretch, within: int) -> Pair:
    one = stretch.part(within, within + 1)
    return Pair(one.kind, one.left, one.right)
