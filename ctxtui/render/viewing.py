"""The viewing bar: that an earlier state is looked at, what made it so, and how to get away."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ctxtui.models.look import Look
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.viewed import viewed, viewed_operation

ROLL_BACK, RETURN, FOLLOW = "R", "esc", "f"
CHOICES = {ROLL_BACK: "roll_back", RETURN: "back", FOLLOW: "follow"}


def viewing(look: Look, width: int, *, news: int = 0) -> Line:
    """Return the bar; where there is little room its sentences lose words, never parts of them.

    What has come meanwhile is told before the keys.
    """
    return longest(((left, [*_news(news, right), *right]) for left, right in _ways(look)), width)


def _news(count: int, keys: Line) -> Line:
    """Return how much has come, and the key that follows it where others are told."""
    if not count:
        return []
    told = [Piece(f" {count:,} new ", "notice")]
    return [*told, Piece(" f", "notice"), Piece(" follow ", "note")] if keys else told


def _ways(look: Look) -> Iterator[tuple[Line, Line]]:
    """Yield ways to say it, each a little shorter than the one before."""
    where, what, hid = f" ● VIEWING {viewed(look).upper()}", viewed_operation(look), _hid(look)
    now = look.conversation.batch.number
    words = what.split(" ")
    full, short = _keys("roll back to it", f"return to {now}"), _keys("roll back", "return")
    yield _left(where, "read-only", what, hid), full
    yield _left(where, "read-only", what, hid), short
    yield _left(where, "read-only", what), short
    yield _left(where, what), short
    for count in range(len(words) - 1, 0, -1):
        yield _left(where, "read-only", f"{' '.join(words[:count])} …", hid), full
    for count in range(min(4, len(words) - 1), 0, -1):
        yield _left(where, "read-only", f"{' '.join(words[:count])} …"), short
    yield _left(where, "read-only", words[0]), short
    yield _left(where, words[0]), short
    yield _left(where), short
    yield _left(where), _keys("", "")
    yield _left(f" ● {viewed(look).upper()}"), _keys("", "")
    yield _left(f" ● {viewed(look).upper()}"), []


def _hid(look: Look) -> str:
    change = look.change
    if change is None:
        return ""
    came = len(change.added) + len(change.shown)
    word = "brought" if len(change.shown) else "added"
    return f"hid {len(change.hidden):,}, {word} {came:,}"


def _left(where: str, *told: str) -> Line:
    """Return what is looked at; every other part is loud."""
    line = [Piece(where, "notice")]
    for at, text in enumerate(part for part in told if part):
        line.append(Piece(f"  {text}", "notice" if at == 1 else "note"))
    return line


def _keys(back: str, out: str) -> Line:
    return [
        Piece(" R", "notice"),
        Piece(f" {back}  " if back else " ", "note"),
        Piece(RETURN, "notice"),
        Piece(f" {out} " if out else " ", "note"),
    ]


def viewing_choice(look: Look, width: int, x: int, *, news: int = 0) -> str:
    """Return what stands in the bar at a cell: rolling back, returning, following, or nothing."""
    seen, chosen = 0, ""
    for text, kind in viewing(look, width, news=news):
        if kind == "notice":
            # What is to press and what it does are two pieces: both are one choice.
            chosen = CHOICES.get(text.strip(), chosen)
        seen += cell_len(text)
        if x < seen:
            return chosen
    return ""
