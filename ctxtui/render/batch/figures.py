"""What a batch or record did in figures: four lines, each before → after."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.models.story import Story
from ctxtui.render.text.bars import FULL, bar
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.words import plural

LABEL_CELLS = 10
VALUE_CELLS = 5
LONGEST_BAR = 24
SHORTEST_BAR = 6
NOTE_CELLS = 26
"""How wide names, values and bars are, and what is left for a word on each."""


class Figure(NamedTuple):
    """One line: its name, both values, a share of a whole as a bar, and a word on it."""

    name: str
    before: str
    after: str
    kind: str
    share: tuple[int, int] | None
    bars: tuple[str, str]
    told: Line


def figure_lines(story: Story, width: int) -> list[Line]:
    """Return messages, tokens, lint and cache: before, after, a bar, and a word on it."""
    made = [_messages(story), _tokens(story), _lint(story)]
    if story.before is not None:
        made.append(_cache(story))
    left = max(VALUE_CELLS, *(len(one.before) for one in made)) if story.before is not None else 0
    right = max(VALUE_CELLS, *(len(one.after) for one in made))
    room = width - LABEL_CELLS - left - right - 5 - NOTE_CELLS
    room = min(LONGEST_BAR, room) if room >= SHORTEST_BAR and story.before is not None else 0
    lines: list[Line] = []
    for one in made:
        lead = _lead(one, left, right, room)
        told = sum(len(piece.text) for piece in one.told)
        if sum(len(piece.text) for piece in lead) + told <= width:
            lines.append([*lead, *one.told])
        else:
            lines += [lead, [Piece(" " * LABEL_CELLS), *one.told]]
    return lines


def _lead(one: Figure, left: int, right: int, room: int) -> Line:
    line = [Piece(f"{one.name:<{LABEL_CELLS}}", "muted")]
    if left:
        arrow = " " if one.name == "cache" else "→"
        line.append(Piece(f"{one.before:>{left}} {arrow} ", "muted"))
    line.append(Piece(f"{one.after:>{right}}  ", one.kind))
    if room and one.share is None:
        line.append(Piece(" " * (room + 2)))
    elif room and one.share is not None:
        full = bar(*one.share, room)
        rest = FULL * (room - len(full))
        line += [Piece(full, one.bars[0]), Piece(rest, one.bars[1]), Piece("  ")]
    return line


def _messages(story: Story) -> Figure:
    before, after = story.messages
    later = len(story.appended)
    told = f"{after - later:,} after it, {later:,} appended" if later else ""
    share = (after, max(before, after, 1))
    shown = [Piece(told, "muted")]
    return Figure("messages", tokens(before), tokens(after), "bright", share, BARS, shown)


def _tokens(story: Story) -> Figure:
    before, after = story.tokens
    change = after - before
    told = [Piece(story.look.counter, "muted")]
    if story.before is not None:
        shown = f"{'−' if change < 0 else '+'}{tokens(abs(change))}" if change else "·"
        kind = "error" if change < 0 else "ok" if change else "faint"
        told = [Piece(f"{shown}  ", kind), *told]
    share = (after, max(before, after, 1))
    return Figure("tokens", tokens(before), tokens(after), "bright", share, BARS, told)


BARS = ("bright", "track")


def _lint(story: Story) -> Figure:
    before, after = story.errors
    shown = [
        "…" if one is None else f"{ERROR.glyph}{one}" if one else PASSED.glyph
        for one in (before, after)
    ]
    kind = "muted" if after is None else "error" if after else "ok"
    told = _lint_word(before, after)
    if story.before is None:
        told = Piece("" if after else "clean", "muted")
    return Figure("lint", shown[0], shown[1], kind, None, BARS, [told])


def _lint_word(before: int | None, after: int | None) -> Piece:
    if before is None or after is None:
        return Piece("being counted", "faint")
    if after == before:
        return Piece("no error came or went" if not after else "the same errors as before", "muted")
    change = f"{plural(abs(after - before), 'error')} {'came' if after > before else 'went'}"
    return Piece(change, "error" if after > before else "ok")


def _cache(story: Story) -> Figure:
    prefix, total = story.prefix, story.tokens[1]
    again = tokens(total - prefix.tokens)
    if prefix.messages >= story.messages[0]:
        told = [Piece(f"holds, {again} new" if again != "0" else "holds", "muted")]
    elif prefix.messages >= story.messages[1]:
        told = [Piece("holds, nothing again", "muted")]
    else:
        broken = Piece(f"breaks at {prefix.messages:,}", "bright")
        told = [broken, Piece(f", {again} again", "muted")]
    share = (prefix.tokens, max(total, 1))
    kinds = ("ok", "error" if total else "track")
    return Figure("cache", "kept", tokens(prefix.tokens), "bright", share, kinds, told)
