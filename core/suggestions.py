"""Suggestions before a cut: where to start, and the nearest number that leaves no lint error.

Each is tried with ``what_if``, so that what is suggested holds. The number of tries is limited, the
more so the more there is to lint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any, NamedTuple

from .errors import Refused
from .what_if import DROPPED, KEPT, WhatIf, WhatIfOutcome

MOST_TRIES = 40
LEAST_TRIES = 8
MESSAGES_TO_LINT = 200_000
"""How many messages may be linted for one question, between the fewest and the most tries."""
TRIES_FOR_THE_OTHER = 6
"""How long the other direction is searched once one number is known."""
RESULTS_LEFT = 2
"""How many tool results stay where a cut among them is suggested."""

Fields = Mapping[str, Any]
FieldPath = tuple[str, ...]
Wanted = Callable[[], bool]


class CandidateValue(NamedTuple):
    """A number that leaves no lint error, and what it would do."""

    value: int
    outcome: WhatIfOutcome


@dataclass(frozen=True)
class ValueHint:
    """The nearest numbers for a field that leave no lint error, above and below what it holds."""

    path: FieldPath
    given: int
    above: CandidateValue | None
    below: CandidateValue | None

    @property
    def best(self) -> CandidateValue:
        """Return the nearer one; of two equally near ones the one that keeps more."""
        found = [near for near in (self.above, self.below) if near is not None]
        return min(found, key=lambda near: (abs(near.value - self.given), -near.outcome.messages))

    @property
    def other(self) -> CandidateValue | None:
        """Return the one in the other direction, if there is one too."""
        found = (near for near in (self.above, self.below) if near is not None)
        return next((near for near in found if near is not self.best), None)


@dataclass(frozen=True)
class Suggestion:
    """An operation to start from, and what it would do; it may well be a bad one."""

    operation: Fields
    outcome: WhatIfOutcome


def always() -> bool:
    """Return that an answer is still wanted."""
    return True


def nearest(
    what_if: WhatIf, asked: Fields, path: FieldPath, outcome: WhatIfOutcome, wanted: Wanted = always
) -> ValueHint | None:
    """Return the numbers next to the one at a path that leave no lint error, if any are near.

    ``outcome`` is what the operation would do as it is; ``wanted`` is asked before every try.
    """
    given = value_at(asked, path)
    if isinstance(given, bool) or not isinstance(given, int):
        return None
    upwards, downwards = _numbers(what_if, path, given, outcome)
    left = max(LEAST_TRIES, min(MOST_TRIES, MESSAGES_TO_LINT // max(1, len(what_if.view))))
    search = {True: upwards, False: downwards}
    found: dict[bool, CandidateValue] = {}
    while search and left > 0:
        for is_up in list(search):
            value = next(search[is_up], None)
            if value is None or not wanted():
                del search[is_up]
                continue
            left -= 1
            near = _clean(what_if, with_value(asked, path, value), value)
            if near is not None:
                found[is_up] = near
                del search[is_up]
                left = min(left, TRIES_FOR_THE_OTHER)
    return ValueHint(path, given, found.get(True), found.get(False)) if found else None


def suggestions(what_if: WhatIf, wanted: Wanted = always) -> Iterator[Suggestion]:
    """Yield cuts that suit a conversation, each once; those that would change nothing are left out.

    The newest half with the system messages, the same with what is marked, half of the tokens or
    the target of the settings, and only old tool results.
    """
    size, seen = len(what_if.view), set()
    for operation in _cuts(what_if, size, wanted):
        if not wanted():
            return
        try:
            outcome = what_if.outcome(operation)
        except Refused:
            continue
        if outcome.keeps_projection or outcome.fates in seen:
            continue
        seen.add(outcome.fates)
        yield Suggestion(operation, outcome)


def _cuts(what_if: WhatIf, size: int, wanted: Wanted) -> Iterator[Fields]:
    if not size:
        return
    half = _clean_half(what_if, size, wanted)
    yield half
    labels = [label for label, places in what_if.marks.items() if places]
    if labels:
        yield {**half, "keepMarks": labels}
    yield {"operation": "TRUNCATE", "maxTokens": _target(what_if), "keepSystem": True}
    yield {"operation": "TRUNCATE", "keepLast": RESULTS_LEFT, "role": "tool", "keepOthers": True}


def _clean_half(what_if: WhatIf, size: int, wanted: Wanted) -> Fields:
    """Return a cut to about half of the messages, one that leaves no error if one is near."""
    half = {"operation": "TRUNCATE", "keepLast": (size + 1) // 2, "keepSystem": True}
    outcome = what_if.outcome(half)
    if not outcome.error_count:
        return half
    hint = nearest(what_if, half, ("keepLast",), outcome, wanted)
    return half if hint is None else {**half, "keepLast": hint.best.value}


def _target(what_if: WhatIf) -> int:
    """Return the tokens the settings aim at, or about half of those there are, roundly."""
    settings, total = what_if.conversation.settings, what_if.before.tokens
    target = settings.compression_config.target_tokens
    if target is not None and target < total:
        return target
    half = max(1, total // 2)
    unit: int = 10 ** (len(str(half)) - 1)
    return int(max(1, round(half / unit) * unit))


def _clean(what_if: WhatIf, asked: Fields, value: int) -> CandidateValue | None:
    try:
        outcome = what_if.outcome(asked)
    except Refused:
        return None
    return None if outcome.error_count else CandidateValue(value, outcome)


def _numbers(
    what_if: WhatIf, path: FieldPath, given: int, outcome: WhatIfOutcome
) -> tuple[Iterator[int], Iterator[int]]:
    """Return the numbers to try, upwards and downwards, the nearest first."""
    if path[-1] == "maxTokens":
        return _budgets(what_if, given, outcome)
    most = len(what_if.conversation.log) if path[-1] == "boundary" else len(what_if.view)
    return iter(range(given + 1, most + 1)), iter(range(min(given, most + 1) - 1, -1, -1))


def _budgets(
    what_if: WhatIf, given: int, outcome: WhatIfOutcome
) -> tuple[Iterator[int], Iterator[int]]:
    """Return the sums of tokens at which one more message fits, and one less."""
    log, counter, view = what_if.conversation.log, outcome.counter, what_if.view
    fates, size = outcome.fates, len(what_if.view)
    gone = (place for place in range(size - 1, -1, -1) if fates[place] == DROPPED)
    stay = (place for place in range(size) if fates[place] == KEPT)

    def cost(place: int) -> int:
        return log.tokens(view[place], counter)

    more = islice(accumulate(map(cost, gone), initial=outcome.tokens), 1, None)
    less = accumulate((-cost(place) for place in stay), initial=outcome.tokens)
    return (
        (total for total in more if total > given),
        (total for total in less if 0 <= total < given),
    )


def value_at(data: Fields, path: FieldPath) -> Any:
    """Return the value at a path of nested objects, or None."""
    found: Any = data
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def with_value(data: Fields, path: FieldPath, value: Any) -> dict[str, Any]:
    """Return nested objects with another value at a path."""
    name, *rest = path
    if not rest:
        return {**data, name: value}
    inner = data.get(name)
    inside = inner if isinstance(inner, Mapping) else {}
    return {**data, name: with_value(inside, tuple(rest), value)}
