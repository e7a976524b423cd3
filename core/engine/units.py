"""Units: how much of something a sequence of messages has, and where one may cut it.

A result belongs to the newest message before it that calls its id, hidden or not. A copy counts as
the message it copies.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..errors import Refused
from .amounts import LIMIT, Exact
from .log import MADE, LogReader
from .messages import Message, TextPart, ThinkingPart, ToolResultPart, ToolUsePart
from .state import State

NO_CALLER = -1


class MessageDetails(NamedTuple):
    """What selections and units ask about a message; it never changes.

    ``root`` is the message that it is a copy of, else itself, and ``caller`` the root of
    the message whose call its result answers.
    """

    role: str
    root: int
    is_made: bool
    is_touched: bool
    calls: tuple[str, ...]
    results: tuple[str, ...]
    caller: int

    @property
    def is_result(self) -> bool:
        return bool(self.results) or self.role == "tool"

    @property
    def is_in_exchange(self) -> bool:
        return bool(self.calls) or self.is_result


def details_of(log: LogReader, raw: int) -> MessageDetails:
    """Return the details of a message, found once."""
    known = log.derived(raw)
    found = known.get(raw)
    if found is None:
        found = known[raw] = _details(log, raw)
    return found


def _details(log: LogReader, raw: int) -> MessageDetails:
    origin, links = log.origin(raw), log.links(raw)
    above = None if origin is None or origin == MADE else details_of(log, origin)
    root = raw if above is None else above.root
    return MessageDetails(
        log[raw].role,
        root,
        origin == MADE if above is None else above.is_made,
        above is not None,
        links.calls,
        links.results,
        _caller(log, root, links.results),
    )


def _caller(log: LogReader, root: int, results: Iterable[str]) -> int:
    for result in results:
        uses = log.uses.of(result)
        for at in range(bisect_left(uses, root) - 1, -1, -1):
            if result in log.links(uses[at]).calls:
                return details_of(log, uses[at]).root
    return NO_CALLER


def characters_text(message: Message) -> str:
    """Return what the characters of a message are counted in: its result, else its text."""
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    if not results:
        return message.text
    return "\n".join(result_text(part) for part in results)


def result_text(part: ToolResultPart) -> str:
    """Return the text of a result, without its images and data."""
    if isinstance(part.content, str):
        return part.content
    return "\n".join(one.text for one in part.content if isinstance(one, TextPart))


def line_count(text: str) -> int:
    """Return how many lines a text has; a line break at the end adds none."""
    return text.count("\n") + bool(text) - text.endswith("\n")


def _items(message: Message) -> int:
    if isinstance(message.content, str):
        return 1
    return max(1, sum(not isinstance(p, TextPart) or bool(p.text) for p in message.content))


class UnitColumn(NamedTuple):
    """How much each message adds behind others, and how much it has as the first."""

    behind: Sequence[int]
    first: Sequence[int]
    sums: Sequence[int]


class MessageSequence:
    """Some messages of a state in order, to be counted and cut in any unit."""

    def __init__(self, state: State, raws: Sequence[int]) -> None:
        self.state = state
        self.raws = raws
        self._columns: dict[str, UnitColumn] = {}

    def __len__(self) -> int:
        return len(self.raws)

    @cached_property
    def details(self) -> list[MessageDetails]:
        log = self.state.log
        return [details_of(log, raw) for raw in self.raws]

    def part(self, start: int, stop: int) -> MessageSequence:
        if start == 0 and stop >= len(self):
            return self
        return self.of(self.raws[start:stop])

    def of(self, raws: Iterable[int]) -> MessageSequence:
        return MessageSequence(self.state, list(raws))

    def without(self, gone: Iterable[int]) -> MessageSequence:
        names = set(gone)
        return self.of(raw for raw in self.raws if raw not in names) if names else self

    def look(self, name: str) -> Exact:
        """Return the number behind a name: of a unit as much as this sequence has."""
        if name == LIMIT:
            limit = self.state.head.settings.token_limit
            if limit is None:
                raise Refused("no token limit is set", LIMIT, None, "a tokenLimit in the settings")
            return limit
        return self.count(name)

    def count(self, unit: str) -> int:
        if unit == "messages":
            return len(self)
        return self.count_between(unit, 0, len(self))

    def count_between(self, unit: str, start: int, stop: int) -> int:
        """Return how much of a unit a range has, taken as a sequence."""
        if start >= stop:
            return 0
        if unit == "messages":
            return stop - start
        column = self._column(unit)
        return column.first[start] + column.sums[stop] - column.sums[start + 1]

    def _column(self, unit: str) -> UnitColumn:
        found = self._columns.get(unit)
        if found is None:
            behind, first = COLUMNS[unit](self)
            sums = [0, *accumulate(behind)]
            found = self._columns[unit] = UnitColumn(behind, first, sums)
        return found

    def borders(self, unit: str) -> Sequence[int]:
        """Return where the blocks of a unit start; the first starts at 0."""
        if unit not in BLOCKS:
            return range(len(self))
        column = self._column("groups" if unit == "exchanges" else unit)
        return [at for at, starts in enumerate(column.behind) if starts or at == 0]

    @cached_property
    def continues(self) -> list[bool]:
        """Return for each message whether it belongs to the exchange of the one before."""
        found, before = [], None
        for one in self.details:
            found.append(
                before is not None
                and one.caller != NO_CALLER
                and one.caller in (before.caller, before.root)
            )
            before = one
        return found


Columns = tuple[Sequence[int], Sequence[int]]


def _each(weigh: Callable[[MessageSequence], list[int]]) -> Callable[[MessageSequence], Columns]:
    def columns(sequence: MessageSequence) -> Columns:
        weights = weigh(sequence)
        return weights, weights

    return columns


def _tokens(sequence: MessageSequence) -> list[int]:
    log, counter = sequence.state.log, sequence.state.counter
    return [log.tokens(raw, counter) for raw in sequence.raws]


def _characters(sequence: MessageSequence) -> list[int]:
    return [len(characters_text(sequence.state.log[raw])) for raw in sequence.raws]


def _rows(sequence: MessageSequence) -> Columns:
    """Results of one calling message are one; the calling message is another."""
    details = sequence.details
    behind = [
        int(not (continues and at and details[at - 1].caller == details[at].caller))
        for at, continues in enumerate(sequence.continues)
    ]
    return behind, [1] * len(behind)


def _sides(sequence: MessageSequence) -> Columns:
    answers = [one.role == "assistant" for one in sequence.details]
    behind = [int(now or not at or answers[at - 1]) for at, now in enumerate(answers)]
    return behind, [1] * len(behind)


def _groups(sequence: MessageSequence) -> Columns:
    return [int(not one) for one in sequence.continues], [1] * len(sequence)


def _exchanges(sequence: MessageSequence) -> Columns:
    inside = [int(one.is_in_exchange) for one in sequence.details]
    starts = sequence.continues
    return [int(one and not starts[at]) for at, one in enumerate(inside)], inside


def _turns(sequence: MessageSequence) -> Columns:
    users = [one.role == "user" for one in sequence.details]
    behind = [int(now and not (at and users[at - 1])) for at, now in enumerate(users)]
    return behind, [int(one) for one in users]


def _item_counts(sequence: MessageSequence) -> list[int]:
    return [_items(sequence.state.log[raw]) for raw in sequence.raws]


def _events(sequence: MessageSequence) -> list[int]:
    return [max(1, len(one.calls) or len(one.results)) for one in sequence.details]


BLOCKS = ("rows", "sides", "groups", "exchanges", "turns")
"""Units whose blocks may have several messages."""
COLUMNS: Mapping[str, Callable[[MessageSequence], Columns]] = {
    "tokens": _each(_tokens),
    "characters": _each(_characters),
    "rows": _rows,
    "sides": _sides,
    "groups": _groups,
    "exchanges": _exchanges,
    "turns": _turns,
    "items": _each(_item_counts),
    "events": _each(_events),
}


# Edges: where a cut may lie. Each returns a place from the one that was counted, or None.


def _back(sequence: MessageSequence, at: int) -> int | None:
    details = sequence.details
    if at == len(details) or not details[at].is_result:
        return at
    callers, end = set(), at
    while end < len(details) and details[end].is_result:
        callers.add(details[end].caller)
        end += 1
    before = range(at - 1, -1, -1)
    return next((i for i in before if details[i].calls and details[i].root in callers), None)


def _forward(sequence: MessageSequence, at: int) -> int | None:
    details = sequence.details
    while at < len(details) and details[at].is_result:
        at += 1
    return None if at == len(details) else at


def _user(sequence: MessageSequence, at: int) -> int | None:
    roles = [one.role for one in sequence.details[at:]]
    return next((at + i for i, r in enumerate(roles) if r not in ("assistant", "tool")), None)


def _user_back(sequence: MessageSequence, at: int) -> int | None:
    details = sequence.details
    start = min(at, len(details) - 1)
    return next((i for i in range(start, -1, -1) if details[i].role == "user"), None)


def _call(sequence: MessageSequence, at: int) -> int | None:
    details = sequence.details
    return next((i for i in range(at, len(details)) if details[i].calls), None)


def _results(sequence: MessageSequence, at: int) -> int | None:
    details = sequence.details
    caller = details[at - 1]
    while caller.calls and at < len(details) and details[at].caller == caller.root:
        at += 1
    return at


EDGES: Mapping[str, Callable[[MessageSequence, int], int | None]] = {
    "split": lambda _, at: at,
    "back": _back,
    "forward": _forward,
    "user": _user,
    "userBack": _user_back,
    "call": _call,
    "results": _results,
    "last": lambda sequence, _: len(sequence) - 1,
    "end": lambda sequence, _: len(sequence),
}


def at_edge(sequence: MessageSequence, cut: int, edges: Sequence[str]) -> int:
    """Return where a cut lies: at the first edge that finds a place, or 0, where nothing is cut."""
    if cut == 0:
        return 0
    found = (EDGES[name](sequence, cut) for name in edges)
    return next((at for at in found if at is not None), 0)


class Measure(NamedTuple):
    """How an end or a start of a sequence is measured."""

    unit: str
    by: str
    reach: bool
    least: int


def tail_start(sequence: MessageSequence, measure: Measure, size: Exact) -> int:
    """Return where the end of a sequence that has a size begins."""
    length, borders = len(sequence), sequence.borders(measure.by)

    def tail(at: int) -> int:
        return sequence.count_between(measure.unit, at, length)

    if measure.reach:
        place = bisect_left(borders, 1, key=lambda at: int(tail(at) < size)) - 1
        start = length if size <= 0 else borders[place] if place > 0 else 0
    else:
        fits = max(size, 0)
        place = bisect_left(borders, 1, key=lambda at: int(tail(at) <= fits))
        start = borders[place] if place < len(borders) else length
    if measure.least > 0:
        kept = borders[-measure.least] if measure.least <= len(borders) else 0
        return min(start, kept)
    return start


def head_stop(sequence: MessageSequence, measure: Measure, size: Exact) -> int:
    """Return where the start of a sequence that has a size ends."""
    length = len(sequence)
    ends = [*sequence.borders(measure.by)[1:], length] if length else []

    def head(at: int) -> int:
        return sequence.count_between(measure.unit, 0, at)

    if measure.reach:
        place = bisect_left(ends, 1, key=lambda at: int(head(at) >= size))
        stop = 0 if size <= 0 else ends[place] if place < len(ends) else length
    else:
        fits = max(size, 0)
        place = bisect_left(ends, 1, key=lambda at: int(head(at) > fits)) - 1
        stop = ends[place] if place >= 0 else 0
    if measure.least > 0 and ends:
        return max(stop, ends[min(measure.least, len(ends)) - 1])
    return stop


def has_part(message: Message, kind: str) -> bool:
    """Return whether a message has a part of a kind."""
    return any(_is_kind(part, kind) for part in message.parts)


def _is_kind(part: object, kind: str) -> bool:
    match kind:
        case "thinking":
            return isinstance(part, ThinkingPart)
        case "calls":
            return isinstance(part, ToolUsePart)
        case "image":
            inner = part.content if isinstance(part, ToolResultPart) else ()
            return getattr(part, "type", "") == "image" or any(
                getattr(one, "type", "") == "image" for one in inner
            )
    data = getattr(part, "data", None)
    return isinstance(data, Mapping) and "compaction" in str(data.get("type", ""))
