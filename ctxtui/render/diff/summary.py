"""A difference as plain text, to be taken along."""

from __future__ import annotations

from ctxtui.core.engine.views import View
from ctxtui.models.diff_sides import Pair, Sides
from ctxtui.render.diff.head import broken, measured_words
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

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
    return visible_lines(lines)


def visible_lines(lines: list[str]) -> str:
    """Return lines as one text in which nothing but their ends breaks a line."""
    return "".join(f"{visible(line)}\n" for line in lines)


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
