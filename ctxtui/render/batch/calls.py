"""The calls of a batch as text: what the first one was explained by, and how many followed."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.models.call_story import CallStory, Explained
from ctxtui.render.calls import call_words
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_CHARACTERS = 300
NARROWEST = 10
INK = {"proven": "ok", "likely": "warn"}
"""The ink of how sure an explanation is."""


def call_lines(stories: Sequence[CallStory], width: int) -> list[Line]:
    """Return the first call of a batch with its explanation, and how many came after it."""
    if not stories:
        return []
    first, *others = stories
    model = visible(first.call.model or "", 40)
    said = "  ".join(word for word in (model, call_words(first.call)) if word)
    lines: list[Line] = [[Piece(f"call {first.number:,}", "bright"), Piece(f"  {said}", "muted")]]
    for one in first.explained:
        lines += _explanation(one, width)
    if first.cause is not None:
        told = f"cache: {visible(first.cause, MOST_CHARACTERS)}"
        lines += [[Piece(row, "error")] for row in wrap(told, max(NARROWEST, width))]
    if others:
        newest = call_words(others[-1].call)
        rest = (
            f"then {plural(len(others), 'call')} more{f', the newest {newest}' if newest else ''}"
        )
        lines.append([Piece(rest, "muted")])
    return lines


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
