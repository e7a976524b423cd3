"""The calls of a batch as text: what the first one was explained by, and those that followed."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.models.call_story import CallStory, Explained
from ctxtui.render.calls import call_words
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_CHARACTERS = 300
MOST_CALLS = 100
"""Calls of one batch that are listed; the call screen goes through all of them."""
NARROWEST = 10
INK = {"proven": "ok", "likely": "warn"}
"""The ink of how sure an explanation is."""

CallLine = tuple[int | None, Line]
"""A line, and the number of the call that it opens."""


def call_lines(
    stories: Sequence[CallStory], width: int, *, is_whole: bool = False
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
        told = f"cache: {visible(first.cause, MOST_CHARACTERS)}"
        said += [[Piece(row, "error")] for row in wrap(told, max(NARROWEST, width))]
    lines += [(first.number, line) for line in said]
    if is_whole:
        lines += [(one.number, _call(one)) for one in others[:MOST_CALLS]]
        others = others[MOST_CALLS:]
    if others:
        newest = call_words(others[-1].call)
        more = f", the newest {newest}" if newest else ""
        lines.append((None, [Piece(f"then {plural(len(others), 'call')} more{more}", "muted")]))
    return lines


def _call(story: CallStory) -> Line:
    """Return a call in one line: its number, its model and what its provider counted."""
    model = visible(story.call.model or "", 40)
    said = "  ".join(word for word in (model, call_words(story.call)) if word)
    broke = Piece("  cache broke", "error") if story.cause is not None else Piece("")
    return [Piece(f"call {story.number:,}", "bright"), Piece(f"  {said}", "muted"), broke]


def _explanation(one: Explained, width: int) -> list[Line]:
    sure = visible(one.certainty, 20)
    lead = f"{visible(one.operation, 20)} "
    rows = wrap(f"{lead}{sure}  {visible(one.reason, MOST_CHARACTERS)}", max(NARROWEST, width))
    first = rows[0].removeprefix(f"{lead}{sure}")
    if first == rows[0]:
        return [[Piece(row, "text")] for row in rows]
    return [
        [Piece(lead, "bright"), Piece(sure, INK.get(one.certainty, "muted")), Piece(first, "text")],
        *([Piece(row, "text")] for row in rows[1:]),
    ]
