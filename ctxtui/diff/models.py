"""The two sides of a difference: what each of them is, and why they are not the same."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ctxtui.calls.models.call import CallPath
from ctxtui.calls.models.seen import SeenLook, seen_looks
from ctxtui.core import Batch, Conversation
from ctxtui.core.engine.diff import Comparison, Prefix
from ctxtui.core.engine.operations import Compress, Redact, Replace
from ctxtui.core.engine.queries import blame
from ctxtui.core.engine.revisions import ancestor
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.engine.views import View
from ctxtui.inspector.models.look import Look, is_on_path
from ctxtui.text.symbols import printable

# Stretches: two projections aligned, as few pieces that each hold many lines of one kind.

StretchKind = Literal["same", "hidden", "added", "shown", "moved", "replaced"]
MOST_LOOKED_AT = 400
FEW_MESSAGES = 8
"""How many messages are asked what took their place, and how many are examined one by one."""


class Stretch(NamedTuple):
    """Lines of one kind: where they begin on each side, None where that side has nothing."""

    kind: StretchKind
    size: int
    left: int | None
    right: int | None

    def part(self, lo: int, hi: int) -> Stretch:
        left = None if self.left is None else self.left + lo
        right = None if self.right is None else self.right + lo
        return Stretch(self.kind, hi - lo, left, right)


def stretches(found: Comparison, before: State, after: State) -> list[Stretch]:
    """Return both sides aligned; a message is next to the one that took its place.

    The states are those of the two sides. The work follows the runs of the two views.
    """
    diff = found.diff
    left = _segments(found.before.view, {"hidden": diff.hidden, "moved": diff.moved})
    right = _segments(
        found.after.view, {"added": diff.added, "shown": diff.shown, "moved": diff.moved}
    )
    made: list[Stretch] = []
    gone, come = _Side(left), _Side(right)
    asked = 0
    while gone.has_more or come.has_more:
        block = _Block(before, after, gone.changed(), come.changed())
        asked += block.size
        made += block.lines(is_asked=asked <= MOST_LOOKED_AT)
        size = min(gone.stayed, come.stayed)
        if size:
            made.append(Stretch("same", size, gone.take(size), come.take(size)))
    return made


class _Segment(NamedTuple):
    kind: StretchKind
    position: int
    size: int


def _segments(view: View, kinds: dict[StretchKind, View]) -> list[_Segment]:
    """Return a view cut where the kind of its messages changes."""
    spans = sorted(
        (start, start + size, kind) for kind, one in kinds.items() for start, size in one.runs()
    )
    made: list[_Segment] = []

    def add(kind: StretchKind, size: int) -> None:
        last = made[-1] if made else _Segment(kind, 0, 0)
        if made and last.kind == kind:
            made[-1] = last._replace(size=last.size + size)
        elif size:
            made.append(_Segment(kind, last.position + last.size, size))

    for start, length in view.runs():
        stop = start + length
        at = bisect_left(spans, (start,))
        at -= at > 0 and spans[at - 1][1] > start
        while at < len(spans) and spans[at][0] < stop:
            lo, hi = max(spans[at][0], start), min(spans[at][1], stop)
            add("same", lo - start)
            add(spans[at][2], hi - lo)
            start = hi
            at += 1
        add("same", stop - start)
    return made


class _Side:
    """One side on its way from the first message to the last."""

    def __init__(self, segments: list[_Segment]) -> None:
        self._rest = segments[::-1]

    @property
    def has_more(self) -> bool:
        return bool(self._rest)

    @property
    def stayed(self) -> int:
        """Return how many of the next messages stayed in order."""
        return self._rest[-1].size if self._rest and self._rest[-1].kind == "same" else 0

    def changed(self) -> list[_Segment]:
        """Return what comes before the next message that stayed."""
        found = []
        while self._rest and not self.stayed:
            found.append(self._rest.pop())
        return found

    def take(self, size: int) -> int:
        """Pass some messages that stayed, and return where they began."""
        kind, position, whole = self._rest.pop()
        if size < whole:
            self._rest.append(_Segment(kind, position + size, whole - size))
        return position


class _Block:
    """What is between two messages that stayed."""

    def __init__(
        self, before: State, after: State, gone: Sequence[_Segment], come: Sequence[_Segment]
    ) -> None:
        self._before, self._after = before, after
        self._gone, self._come = gone, come
        self._first = (gone[0].position if gone else 0), (come[0].position if come else 0)
        self._sizes = sum(one.size for one in gone), sum(one.size for one in come)

    @property
    def size(self) -> int:
        """Return how many messages would have to be asked what took their place."""
        return sum(self._sizes) if all(self._sizes) and sum(self._sizes) <= MOST_LOOKED_AT else 0

    def lines(self, *, is_asked: bool) -> Iterator[Stretch]:
        """Yield its lines: what has a partner next to it, the rest one side after the other."""
        at = (0, 0)
        pairs = self._pairs() if is_asked and self.size else []
        for i, j in [*pairs, self._sizes]:
            yield from self._between(at, (i, j))
            if (i, j) != self._sizes:
                yield Stretch("replaced", 1, self._first[0] + i, self._first[1] + j)
            at = i + 1, j + 1

    def _between(self, start: tuple[int, int], stop: tuple[int, int]) -> Iterator[Stretch]:
        size = stop[0] - start[0]
        left, right = self._first[0] + start[0], self._first[1] + start[1]
        if size and size == stop[1] - start[1] and self._is_alike(left, right, size):
            yield Stretch("replaced", size, left, right)
            return
        for kind, position, count in _within(self._gone, left, self._first[0] + stop[0]):
            yield Stretch(kind, count, position, None)
        for kind, position, count in _within(self._come, right, self._first[1] + stop[1]):
            yield Stretch(kind, count, None, position)

    def _is_alike(self, left: int, right: int, size: int) -> bool:
        """Return whether as many messages went as came, of the same roles in the same order."""
        gone = {kind for kind, _, _ in _within(self._gone, left, left + size)}
        come = {kind for kind, _, _ in _within(self._come, right, right + size)}
        if gone != {"hidden"} or "moved" in come:
            return False
        log, old, new = self._after.log, self._before.view, self._after.view
        if size <= FEW_MESSAGES:
            return all(log[old[left + i]].role == log[new[right + i]].role for i in range(size))
        gone_roles = old[left : left + size].column(log.roles)
        return gone_roles == new[right : right + size].column(log.roles)

    def _pairs(self) -> list[tuple[int, int]]:
        """Return which messages took whose place by an operation, as offsets in rising order."""
        sizes = self._sizes
        (left, right), (old, new) = self._first, (self._before.view, self._after.view)
        olds = {raw: i for i in range(sizes[0]) if (raw := old[left + i]) not in new}
        news = {raw: j for j in range(sizes[1]) if (raw := new[right + j]) not in old}
        found = [(i, _heir(self._after, raw, news)) for raw, i in olds.items()]
        heirs = {i: j for i, j in found if j is not None}
        for raw, j in news.items():
            if (i := _heir(self._before, raw, olds)) is not None:
                heirs.setdefault(i, j)
        rising: list[tuple[int, int]] = []
        for i, j in sorted(heirs.items()):
            if not rising or j > rising[-1][1]:
                rising.append((i, j))
        return rising


def _within(segments: Sequence[_Segment], start: int, stop: int) -> Iterator[_Segment]:
    """Yield segments as far as they lie between two positions."""
    for kind, position, size in segments:
        lo, hi = max(position, start), min(position + size, stop)
        if lo < hi:
            yield _Segment(kind, lo, hi - lo)


def _heir(state: State, raw: int, known: dict[int, int]) -> int | None:
    """Return the place of the message that took another one's place, maybe in several steps."""
    copied = _copied(state, raw)
    if copied in known:
        return known[copied]
    for _ in range(MOST_LOOKED_AT):
        found = blame(state, raw)
        if found is None or found.revision is None or found.revision.parent is None:
            return None
        if not isinstance(found.operation, Replace | Redact | Compress):
            return None
        before, after = state.revisions[found.revision.parent].view, found.revision.view
        position = before.position(raw)
        if position is None or len(before) != len(after):
            return None
        raw = after[position]
        if not any(start <= raw < start + size for start, size in found.revision.fresh):
            return None
        if raw in known:
            return known[raw]
    return None


def _copied(state: State, raw: int) -> int:
    """Return which message a copy says it was made of, or −1."""
    metadata = state.log[raw].metadata
    copied = None if metadata is None else metadata.get("copiedFrom")
    return copied if type(copied) is int else -1


# What a provider served of a projection from its cache, where a call of it was recorded.


class MeasuredCache(NamedTuple):
    """What was served when a projection was sent: by which call, and after which revision.

    ``input`` is all that the provider read, tools included; ``after`` is what the call before had
    sent, of which a cache could know.
    """

    call: int
    cached: int
    input: int | None
    after: int | None
    has_tools: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {"call": self.call, "cached": self.cached, "input": self.input}


def measured_cache(conversation: Conversation, revision: int) -> MeasuredCache | None:
    """Return what the newest measured call of a revision was served; None where none was."""
    path = CallPath(conversation, revision)
    for number in range(len(path), 0, -1):
        one = path.calls[number - 1]
        if one.revision == revision and one.usage is not None and one.usage.cached is not None:
            before = path.calls[number - 2].revision if number > 1 else None
            has_tools = one.tools is not None
            usage = one.usage
            return MeasuredCache(number, usage.cached or 0, usage.input, before, has_tools)
    return None


SIGNS: dict[StretchKind, str] = {
    **{"same": "=", "hidden": "−", "added": "+", "shown": "+", "moved": "~", "replaced": "→"},
}
CAUSE_CHARACTERS = 120
RUNS_AT_ONCE = 5_000
"""Characters of a cause, and runs of two views that are aligned without anybody noticing."""


class Pair(NamedTuple):
    """One line of the difference: positions on both sides, None where a side has nothing."""

    kind: StretchKind
    left: int | None
    right: int | None


class Sides:
    """Two revisions of a conversation side by side; made again when one of them changes."""

    def __init__(self, conversation: Conversation, left: int, right: int) -> None:
        self.conversation = conversation
        self.left = Look(conversation, left)
        self.right = Look(conversation, right)
        self.found = conversation.compare(left, right)
        self._causes: dict[tuple[StretchKind, int], str] = {}

    @property
    def is_quick(self) -> bool:
        """Return whether aligning takes no time to speak of; it follows the runs of both views."""
        return self.left.view.run_count + self.right.view.run_count <= RUNS_AT_ONCE

    @cached_property
    def stretches(self) -> list[Stretch]:
        return stretches(self.found, self.left.state, self.right.state)

    @property
    def prefix(self) -> Prefix:
        return self.found.prefix

    @property
    def kept(self) -> int:
        """Return the tokens of the common start, up to the first word that differs."""
        return self.prefix.tokens + self.found.inside

    @cached_property
    def measured(self) -> MeasuredCache | None:
        """Return what a provider really served of the right side, where that was recorded."""
        return measured_cache(self.conversation, self.right.revision.id)

    @cached_property
    def marked(self) -> tuple[int, int]:
        raws = self.right.marked
        left, right = (sum(raw in look.view for raw in raws) for look in (self.left, self.right))
        return left, right

    @property
    def sent_again(self) -> int:
        """Return how many messages are behind what a prompt cache keeps."""
        return len(self.right.view) - self.prefix.messages

    @property
    def is_broken(self) -> bool:
        """Return whether something in the cache was lost, not only something new added."""
        return self.sent_again > 0 and self.prefix.messages < len(self.left.view)

    @property
    def about(self) -> str:
        return "" if is_exact(self.right.counter) else "~"

    def raw(self, pair: Pair) -> int:
        """Return the raw index of a line's message: of the right one where there are two."""
        if pair.right is not None:
            return self.right.view[pair.right]
        assert pair.left is not None
        return self.left.view[pair.left]

    # Words

    def name(self, look: Look) -> str:
        """Return a side in a few words; its revision where both are in one batch."""
        batch = look.batch
        name = f"batch {batch.number} {operation_of(batch)}"
        if self.left.batch.id == self.right.batch.id:
            return f"{name} revision {look.revision.id}"
        return name

    def short_name(self, look: Look) -> str:
        return f"batch {look.batch.number}"

    def is_abandoned(self, look: Look) -> bool:
        return not is_on_path(self.conversation, look.batch)

    def cause(self, pair: Pair) -> str:
        """Return why a line has only one side, looked up once."""
        key = (pair.kind, self.raw(pair))
        if pair.kind == "moved":
            side, way = (self.right, "to") if pair.right is None else (self.left, "from")
            return f"moved {way} position {side.view.position(key[1])}"
        if key not in self._causes:
            self._causes[key] = printable(self._cause(*key), CAUSE_CHARACTERS)
        return self._causes[key]

    def _cause(self, kind: StretchKind, raw: int) -> str:
        if kind == "hidden":
            return self._hidden(self.right, self.left, raw)
        if kind == "shown":
            return f"was {self._hidden(self.left, self.right, raw)}"
        return _added(self.right.state, raw) if kind == "added" else ""

    def _hidden(self, look: Look, other: Look, raw: int) -> str:
        """Return why a message of the other side is not seen on this one."""
        found = look.blame(raw)
        if found is not None and found.batch is not None:
            title = operation_of(found.batch)
            description = found.batch.description.removeprefix(title).strip()
            return f"hidden by batch {found.batch.number} {title} {description}".rstrip()
        revisions, mine, theirs = look.state.revisions, look.revision, other.revision
        is_earlier = ancestor(revisions, theirs, mine.depth).id == mine.id
        return f"{'not there yet' if is_earlier else 'never there'} in batch {look.batch.number}"


class SeenSides(Sides):
    """Two recorded calls side by side as their model saw them."""

    def __init__(self, sent: Sides, looks: Sequence[SeenLook], numbers: Sequence[int]) -> None:
        left, right = looks
        super().__init__(left.conversation, left.revision.id, right.revision.id)
        self.left, self.right = left, right
        self._sent = sent
        self._names = {id(look): number for look, number in zip(looks, numbers, strict=True)}

    @cached_property
    def measured(self) -> MeasuredCache | None:
        found, sent = self._sent.measured, self._sent.left.revision.id
        if found is None or found.after != sent:
            return found
        return found._replace(after=self.left.revision.id)

    def name(self, look: Look) -> str:
        return f"call {self._names[id(look)]:,} as seen"

    def short_name(self, look: Look) -> str:
        return f"call {self._names[id(look)]:,}"

    def is_abandoned(self, look: Look) -> bool:
        return False

    def _hidden(self, look: Look, other: Look, raw: int) -> str:
        sent = self._sent.right if look is self.right else self._sent.left
        was_sent = raw < sent.log_size and raw in sent.view
        return "hidden by the provider" if was_sent else super()._hidden(look, other, raw)

    def _cause(self, kind: StretchKind, raw: int) -> str:
        is_new = raw >= len(self._sent.conversation.log)
        return "changed by the provider" if is_new else super()._cause(kind, raw)


def seen_sides(sides: Sides) -> SeenSides | None:
    """Return both sides as their model saw them; None where one of them is no recorded call."""
    calls = CallPath(sides.conversation, sides.right.revision.id)
    newest = {one.call.revision: one for one in calls}
    found = [newest.get(look.revision.id) for look in (sides.left, sides.right)]
    calls_found = [one for one in found if one is not None]
    if len(calls_found) < len(found):
        return None
    looks = seen_looks(sides.conversation, [one.call for one in calls_found])
    return SeenSides(sides, looks, [one.number for one in calls_found])


def operation_of(batch: Batch) -> str:
    """Return the name of the operation that opened a batch."""
    return "START" if batch.operation is None else batch.operation.title


def _added(state: State, raw: int) -> str:
    """Return what made a visible message visible: the first revision of its path that shows it."""

    def shows(depth: int) -> bool:
        return raw in ancestor(state.revisions, state.current, depth).view

    depth = bisect_left(range(state.current.depth + 1), True, key=shows)
    revision = ancestor(state.revisions, state.current, depth)
    if revision.operation is None:
        return "there from the start"
    number = state.batches[revision.batch].number
    return f"added by {revision.operation.title} in batch {number}"
