"""Words that depend on a number, for screens and commands alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxtui.text.symbols import printable

if TYPE_CHECKING:
    from ctxtui.core.requests.exchange import RemovedSecrets

MOST_NAMED = 8
"""Fields, and places of removed secrets, that are named."""
LONGEST_NAME, LONGEST_PLACE = 40, 80
"""Characters of each."""


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: 1 error, 1,200 errors; ``many`` where an s is not enough."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {many or one + 's'}"


def removed_words(removed: RemovedSecrets) -> str:
    """Return how many secrets were removed from a call, and from where."""
    named = [printable(one, LONGEST_PLACE) for one in removed.paths[:MOST_NAMED]]
    more = removed.total - len(named)
    others = f" and {more:,} more" if more > 0 else ""
    return f"{plural(removed.total, 'value')} removed: {', '.join(named)}{others}"


def percent(part: float, whole: float) -> str:
    """Return a share without decimals, which is 0 or 100 only if it is none or all."""
    if not whole:
        return "–"
    share = round(100 * part / whole)
    if share == 0 and part:
        return "<1 %"
    if share == 100 and part != whole:  # noqa: PLR2004
        return ">99 %" if part < whole else ">100 %"
    return f"{share} %"


def fields_words(names: Sequence[str]) -> str:
    """Return how many other fields there are and what they are called: 2 other fields: a, b."""
    shown = [printable(name, LONGEST_NAME) for name in names[:MOST_NAMED]]
    more = len(names) - MOST_NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{plural(len(names), 'other field')}: {', '.join(shown)}{rest}"
