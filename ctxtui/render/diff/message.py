"""The message under the cursor of a difference: what became of it, and what it says."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.models.diff_sides import SIGNS, Pair, Sides
from ctxtui.render.diff.head import broken
from ctxtui.render.diff.rows import INKS
from ctxtui.render.diff.words import MOST_CHARACTERS, MOST_WORDS, Edit, edit_lines, edits
from ctxtui.render.message.content import content_text
from ctxtui.render.message.detail import detail
from ctxtui.render.message.parts import text_lines
from ctxtui.render.message.preview import GLYPHS
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.long_text import Joined
from ctxtui.render.text.wrap import wrap
from ctxtui.words import plural

WHEN_FOLDED = "These messages are the same on both sides. enter shows them, or folds them again."
TOO_LONG = (
    f"Too long to compare word by word (above {MOST_WORDS:,} words or {MOST_CHARACTERS:,} "
    "characters), or too different: both are shown whole."
)


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
        told = "the same, in the cache" if is_kept else "the same, but sent again"
        return [Piece("= ", "ok" if is_kept else "error"), Piece(told, "muted")]
    place = f"position {pair.left}, " if pair.right is None else f"position {pair.right}, "
    sign = Piece(f"{SIGNS[pair.kind]} {pair.kind}", INKS[pair.kind])
    return [sign, Piece(f"  {place}{sides.cause(pair)}", "muted")]


def cut_lines(sides: Sides, width: int) -> list[Line]:
    """Return what there is to say about the line where the cache breaks."""
    lines = [[Piece(line, "bright")] for line in wrap(broken(sides), max(10, width))]
    told = (
        "A provider's prompt cache holds the start that two requests have in common. "
        "Everything behind the first difference is read, and paid for, again."
    )
    return [*lines, *([Piece(line, "muted")] for line in wrap(told, max(10, width)))]


def fold_lines(width: int) -> list[Line]:
    """Return what there is to say about messages that are folded away."""
    return [[Piece(line, "muted")] for line in wrap(WHEN_FOLDED, max(10, width))]


def _replaced(sides: Sides, pair: Pair, width: int) -> Sequence[Line]:
    assert pair.left is not None
    assert pair.right is not None
    left, right = sides.left.view[pair.left], sides.right.view[pair.right]
    log = sides.right.state.log
    old, new = content_text(log[left]), content_text(log[right])
    changes = edits(old, new) if old != new else []
    head = _places(sides, (left, right), (pair.left, pair.right))
    if changes is None:
        said = [[Piece(line, "warn")] for line in wrap(TOO_LONG, max(10, width))]
        was, now = [Piece(f"− raw {left}", "error")], [Piece(f"+ raw {right}", "ok")]
        return Joined([[head], said, [was], text_lines(old, width), [now], text_lines(new, width)])
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
    """Return how many words went and came."""
    gone, come = (
        sum(len(text.split()) for kind, text in changes if kind == wanted)
        for wanted in ("out", "in")
    )
    return f"− {plural(gone, 'word')}  + {plural(come, 'word')}"
