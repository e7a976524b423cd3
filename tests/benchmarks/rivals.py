"""Two simpler engines that keep every revision too, to measure the real one against.

Both take the same ready operations and check nothing: no validation, no journal, no notices, no
boundaries, no token totals. Whatever they lose by, they lose by their data structure alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Generic, NamedTuple, TypeVar

from ctxtui.core import (
    Append,
    BatchStart,
    Clear,
    Compress,
    Delete,
    Filter,
    Insert,
    Mark,
    Message,
    Replace,
    Rollback,
    Truncate,
    Undo,
)
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.tokens import DEFAULT

V = TypeVar("V")
Marks = dict[str, frozenset[int]]
Plain = dict[str, Any]


class Kept(NamedTuple, Generic[V]):
    """A revision: what was visible, the batch number, and the place of the revision before."""

    view: V
    number: int
    parent: int


class Rival(ABC, Generic[V]):
    """The history all rivals share; what is visible is up to each of them."""

    def __init__(self, view: V) -> None:
        self.revisions = [Kept(view, 0, -1)]
        self.current = 0
        self.marks: Marks = {}
        self._before: list[tuple[int, Marks]] = []

    @property
    def view(self) -> V:
        """Return what is visible."""
        return self.revisions[self.current].view

    @abstractmethod
    def changed(self, op: Operation) -> V:
        """Return what would be visible after an operation, as a new copy."""

    @abstractmethod
    def visible(self) -> list[Plain]:
        """Return the visible messages, to compare with those of the real engine."""

    def preview(self, op: Operation) -> V:
        """Work an operation out without keeping it."""
        return self.changed(op)

    def execute(self, op: Operation) -> None:
        """Apply an operation and keep the state before it."""
        if isinstance(op, Undo):
            self.current, self.marks = self._before.pop()
            return
        self._before.append((self.current, self.marks))
        match op:
            case Rollback():
                while self.revisions[self.current].number > op.target_batch_index:
                    self.current = self.revisions[self.current].parent
            case Mark():
                old = self.marks.get(op.label, frozenset())
                self.marks = {**self.marks, op.label: old.union(op.indices or ())}
            case _:
                number = self.revisions[self.current].number + op.opens_batch
                self.revisions.append(Kept(self.changed(op), number, self.current))
                self.current = len(self.revisions) - 1


class IndexArrays(Rival["array[int]"]):
    """One log, and for each revision an array of the visible raw indices."""

    def __init__(self, messages: Sequence[Message]) -> None:
        super().__init__(array("I", range(len(messages))))
        self.log = list(messages)
        self.tokens = array("I", [DEFAULT.count(message) for message in messages])

    def visible(self) -> list[Plain]:
        """Return the visible messages as plain data."""
        return [self.log[raw].to_dict() for raw in self.view]

    def preview(self, op: Operation) -> array[int]:
        """Work an operation out and let the log forget what it added."""
        size = len(self.log)
        view = self.changed(op)
        del self.log[size:], self.tokens[size:]
        return view

    def changed(self, op: Operation) -> array[int]:
        """Return the array of visible indices after an operation."""
        view = self.view
        match op:
            case Append():
                return view + self._add(op.messages)
            case Insert():
                new = view[:]
                new[op.position : op.position] = self._add(op.messages)
                return new
            case Replace(index=int(index), message=Message() as message):
                new = view[:]
                new[index] = self._add((message,))[0]
                return new
            case Delete(indices=(raw,)):
                new = view[:]
                new.remove(raw)
                return new
            case Compress(indices=tuple(indices)):
                gone = set(indices)
                at = view.index(indices[0])
                new = array("I", [raw for raw in view if raw not in gone])
                new[at:at] = self._add(op.summary or ())
                return new
            case BatchStart():
                return view[:]
            case _:
                return self._hidden(op)

    def _hidden(self, op: Operation) -> array[int]:
        view, log = self.view, self.log
        match op:
            case Truncate(keep_last=int(count)):
                return view[max(len(view) - count, 0) :]
            case Truncate(remove_first=int(count)):
                return view[count:]
            case Truncate(max_tokens=int(budget)):
                at = len(view)
                while at and self.tokens[view[at - 1]] <= budget:
                    at -= 1
                    budget -= self.tokens[view[at]]
                return view[at:]
            case Clear():
                return array("I", [raw for raw in view if log[raw].role == "system"])
            case Filter(roles=tuple(roles)):
                return array("I", [raw for raw in view if log[raw].role in roles])
            case _:
                raise NotImplementedError(op.title)

    def _add(self, messages: Sequence[Message]) -> array[int]:
        start = len(self.log)
        self.log.extend(messages)
        self.tokens.extend([DEFAULT.count(message) for message in messages])
        return array("I", range(start, len(self.log)))


class Copies(NamedTuple):
    """The visible messages as plain dicts, and the raw index each once got."""

    raws: list[int]
    messages: list[Plain]


class Snapshots(Rival[Copies]):
    """No log at all: each revision is a deep copy of the visible messages."""

    def __init__(self, messages: Sequence[Message]) -> None:
        plain = [message.to_dict() for message in messages]
        super().__init__(Copies(list(range(len(plain))), plain))
        self._made = len(plain)

    def visible(self) -> list[Plain]:
        """Return the visible messages."""
        return self.view.messages

    def changed(self, op: Operation) -> Copies:
        """Return a deep copy of what is visible after an operation."""
        raws = self.view.raws
        match op:
            case Append():
                return self._spliced(op.messages, len(raws), len(raws))
            case Insert():
                return self._spliced(op.messages, op.position, op.position)
            case Replace(index=int(index), message=Message() as message):
                return self._spliced((message,), index, index + 1)
            case Delete(indices=(raw,)):
                at = raws.index(raw)
                return self._spliced((), at, at + 1)
            case Compress(indices=tuple(indices)):
                # The benchmark compresses stretches: the named ones stand side by side.
                at = raws.index(indices[0])
                return self._spliced(op.summary or (), at, at + len(indices))
            case BatchStart():
                return self._kept(range(len(raws)))
            case _:
                return self._hidden(op)

    def _hidden(self, op: Operation) -> Copies:
        raws, messages = self.view
        match op:
            case Truncate(keep_last=int(count)):
                return self._kept(range(max(len(raws) - count, 0), len(raws)))
            case Truncate(remove_first=int(count)):
                return self._kept(range(count, len(raws)))
            case Truncate(max_tokens=int(budget)):
                at = len(raws)
                while at and (cost := _tokens(messages[at - 1])) <= budget:
                    at -= 1
                    budget -= cost
                return self._kept(range(at, len(raws)))
            case Clear():
                return self._kept([i for i, m in enumerate(messages) if m["role"] == "system"])
            case Filter(roles=tuple(roles)):
                return self._kept([i for i, m in enumerate(messages) if m["role"] in roles])
            case _:
                raise NotImplementedError(op.title)

    def _kept(self, positions: Sequence[int]) -> Copies:
        raws, messages = self.view
        return Copies([raws[i] for i in positions], deepcopy([messages[i] for i in positions]))

    def _spliced(self, news: Sequence[Message], lo: int, hi: int) -> Copies:
        raws, messages = self.view[0][:], deepcopy(self.view[1])
        raws[lo:hi] = range(self._made, self._made + len(news))
        messages[lo:hi] = [message.to_dict() for message in news]
        self._made += len(news)
        return Copies(raws, messages)


def _tokens(message: Plain) -> int:
    return -(-len(message["content"].encode()) // 4)
