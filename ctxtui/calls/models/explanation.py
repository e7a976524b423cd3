"""What speaks for the operations that explain a call: facts of what was sent before and now."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ctxtui.calls.models.call import Explained, RecordedCall, note, warning_words
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.views import View
from ctxtui.core.requests.bodies import MARKER
from ctxtui.core.values.numbers import count_in

FactKind = Literal["gone", "stayed", "moved", "came", "inside", "alone", "same", "written"]


class Fact(NamedTuple):
    """Something that is so in the two projections: which messages, by raw index, and how many."""

    kind: FactKind
    raws: View
    size: int


class Evidence(NamedTuple):
    """The operations of a call with what was recorded of each, and the facts that are so.

    ``noticed`` is what else the recorder saw; ``lacking`` what a proof of the first operation that
    is only likely would need: the name of that operation.
    """

    steps: tuple[tuple[Operation | None, Explained | None], ...]
    facts: tuple[Fact, ...]
    noticed: tuple[str, ...]
    lacking: str | None

    @property
    def certainty(self) -> str | None:
        """Return how sure all of it is; None where nobody had to guess."""
        found = [told.certainty for _, told in self.steps if told is not None]
        return next((one for one in found if one != "proven"), found[0] if found else None)


def evidence_of(one: RecordedCall) -> Evidence:
    """Return what explains a call, and what speaks for it."""
    told = one.explained
    likely = (step.operation for step in told if step.certainty != "proven")
    noticed = note(one.call, "noticed")
    texts = noticed if isinstance(noticed, list | tuple) else ()
    adapted = warning_words(note(one.call, "warnings"))
    return Evidence(
        tuple(_steps(one.operations, told)),
        tuple(_facts(one)),
        (*(text for text in texts if isinstance(text, str)), *adapted),
        next(likely, None),
    )


def _steps(
    done: Sequence[Operation], told: Sequence[Explained]
) -> Iterator[tuple[Operation | None, Explained | None]]:
    """Yield operations with what was recorded of them; others were done by somebody else."""
    left = deque(told)
    for operation in done:
        is_told = bool(left) and left[0].operation == operation.title
        yield operation, left.popleft() if is_told else None
    yield from ((None, one) for one in left)


def _facts(one: RecordedCall) -> Iterator[Fact]:
    diff, was = one.difference, one.revision_before
    if diff is None or was is None:
        return
    came = {*diff.added, *diff.shown}
    stayed = len(was.view) - len(diff.hidden)
    if not diff:
        yield Fact("same", one.view, len(one.view))
    if len(diff.hidden):
        yield Fact("gone", diff.hidden, len(diff.hidden))
    if stayed and diff:
        moved = diff.moved
        yield Fact("moved", moved, len(moved)) if len(moved) else Fact("stayed", one.view, stayed)
    tail = _new_tail(one.view, came)
    inside = [raw for raw in one.view[: len(one.view) - tail] if raw in came] if came else []
    if inside:
        yield Fact("inside", View.of(inside), len(inside))
    elif len(diff.hidden) and was.view[-1] not in diff.hidden:
        yield Fact("alone", diff.hidden, len(diff.hidden))
    if tail:
        yield Fact("came", one.view[len(one.view) - tail :], tail)
    written = _rewritten(one)
    if written:
        yield Fact("written", View.of(written), len(written))


def _new_tail(view: View, came: set[int]) -> int:
    size = 0
    while size < len(view) and view[len(view) - 1 - size] in came:
        size += 1
    return size


def _rewritten(one: RecordedCall) -> list[int]:
    """Return the messages that were sent before and are written differently here."""
    rows, was = note(one.call, "rows"), one.revision_before
    if not isinstance(rows, Mapping) or was is None:
        return []
    places = [count_in(key) for key, patch in rows.items() if not _only_marks(patch)]
    found = (one.view[place] for place in places if place is not None and place < len(one.view))
    return sorted({raw for raw in found if raw in was.view})


def _only_marks(patch: object) -> bool:
    """Tell whether a patch only moves markers of the prompt cache."""
    edits = patch if isinstance(patch, list | tuple) else ()
    ways = [edit.get("at") for edit in edits if isinstance(edit, Mapping)]
    return all(isinstance(way, list | tuple) and way[-1:] in ([MARKER], (MARKER,)) for way in ways)
