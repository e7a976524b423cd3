"""ThreadMemory: everything a thread ever held, and how it was written last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation
from ..engine.diff import common_start
from ..engine.messages import Message
from ..engine.operation import Operation
from ..engine.operations import Checkout, Compress, Rollback
from ..engine.settings import Settings
from ..values.numbers import count_in
from ..values.patches import Patch, patch_between
from .bodies import SentMessage, loose_key, other_names

MADE = "call_made_"
Rows = Callable[[str, Message], list[Any]]
"""Returns the rows of a message, by its place, where it is unknown how it was written."""


class EarlierState(NamedTuple):
    """An earlier state: its revision, and what was visible then."""

    revision: int
    raws: list[int]


class ThreadMemory:
    """The conversation of a thread, and the keys by which its messages are recognised."""

    def __init__(self, settings: Settings | Mapping[str, Any] | None, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self.conversation: Conversation | None = None
        self.raws: list[int] = []
        """What is visible, in order."""
        self.names: dict[str, str] = {}
        """Ids of calls in requests, where the log has another."""
        self.unthought: list[int] = []
        """Messages whose thinking the last request no longer had."""
        self.summaries: set[int] = set()
        """Messages that are summaries of others."""
        self._keys: list[bytes] = []
        self._chain: list[int] = []
        self._sent: list[SentMessage] = []
        self._tokens: list[int] = []
        self._written: list[SentMessage | None] = []
        self._places: dict[bytes, list[int]] = {}
        self._states: dict[int, int] = {}
        self._made = 0

    @property
    def visible(self) -> list[SentMessage]:
        """Return what is visible, each as it was sent last."""
        return self.seen(self.raws)

    def seen(self, raws: Iterable[int]) -> list[SentMessage]:
        """Return messages as they were sent last."""
        return [self._sent[raw] for raw in raws]

    def message(self, raw: int) -> Message:
        """Return a message of the log."""
        assert self.conversation is not None
        return self.conversation.log[raw]

    def holds(self, key: bytes) -> bool:
        """Return whether the thread ever had a message of a key."""
        return key in self._places

    def hidden(self, key: bytes, visible: Set[int]) -> list[int]:
        """Return the messages of a key that are not visible, oldest first."""
        return [raw for raw in self._places.get(key, ()) if raw not in visible]

    def make_id(self) -> str:
        """Return an id for a call that came without one."""
        self._made += 1
        return f"{MADE}{self._made}"

    def start(self, messages: Sequence[Message], sent: Sequence[SentMessage], meta: Any) -> None:
        """Begin the conversation with its first request."""
        self.conversation = Conversation(messages, self._settings, meta=meta, clock=self._clock)
        self._adopt_all(sent)

    def resume(self, conversation: Conversation) -> None:
        """Continue a conversation that was recorded before; its requests are recalled next."""
        log = conversation.log
        self.conversation = conversation
        self._made = max((_made_number(id) for message in log for id in message.calls), default=0)
        self.summaries = {
            raw
            for revision in conversation.revisions
            if isinstance(revision.operation, Compress)
            for start, size in revision.fresh
            for raw in range(start, start + size)
        }

    def recall(self, revision: int, sent: Sequence[SentMessage], carried: range) -> bool:
        """Recall a request that led to a revision; False if it did not."""
        assert self.conversation is not None
        self.raws = list(self.conversation.revisions[revision].view)
        if not sent or not self._fits(sent):
            return False
        self._adopt(sent, revision, max(*self.raws, len(self._sent) - 1) + 1)
        for place, (raw, one) in enumerate(zip(self.raws, sent, strict=True)):
            if place not in carried:
                self._written[raw] = one
            if one.ids and not one.has_made_ids:
                self.names |= other_names(one.message, self.message(raw))
        return True

    def change(self, operations: Sequence[Operation], sent: Sequence[SentMessage]) -> bool:
        """Carry out operations, and return whether exactly the request is visible then."""
        assert self.conversation is not None
        if operations:
            before = len(self.conversation.log)
            one = operations[0] if len(operations) == 1 else list(operations)
            self.conversation.execute(one)
            self._note_summaries(operations, before)
        self.raws = list(self.conversation.view)
        if not self._fits(sent):
            return False
        self._adopt_all(sent)
        return True

    def _adopt_all(self, sent: Sequence[SentMessage]) -> None:
        assert self.conversation is not None
        self.raws = list(self.conversation.view)
        self._adopt(sent, self.conversation.current.id, len(self.conversation.log))

    def _fits(self, sent: Sequence[SentMessage]) -> bool:
        """Return whether what is visible is what was sent, message by message."""
        known = len(self._sent)
        return len(self.raws) == len(sent) and all(
            (self._sent[raw].loose if raw < known else loose_key(self.message(raw))) == one.loose
            for raw, one in zip(self.raws, sent, strict=True)
        )

    def shared(self, sent: Sequence[SentMessage]) -> int:
        """Return how many messages at the start of a request are the visible ones."""
        return common_start(self._keys, [one.key for one in sent])

    @property
    def has_hidden(self) -> bool:
        """Return whether there is a message that is not visible now."""
        return self.conversation is not None and len(self.conversation.log) > len(self.raws)

    def tokens(self, count: int) -> list[int]:
        """Return the tokens of the first so many visible messages."""
        return [self._tokens[raw] for raw in self.raws[:count]]

    def earlier(self, sent: Sequence[SentMessage]) -> EarlierState | None:
        """Return the longest earlier state that a request begins with, if it is not current."""
        assert self.conversation is not None
        chain = self._chained([one.key for one in sent])
        known = (self._states[state] for state in reversed(chain) if state in self._states)
        found = next(known, None)
        if found is None or found == self.conversation.current.id:
            return None
        raws = list(self.conversation.revisions[found].view)
        same = zip(self.seen(raws), sent, strict=False)
        return EarlierState(found, raws) if all(a.loose == b.loose for a, b in same) else None

    def way_to(self, revision: int) -> Operation:
        """Return the operation that leads back to a revision, ROLLBACK if possible."""
        assert self.conversation is not None
        batch = self.conversation.batches[self.conversation.revisions[revision].batch]
        path = self.conversation.path
        if batch.number < len(path) and path[batch.number].id == batch.id:
            back = Rollback(target_batch_index=batch.number)
            if self.conversation.preview(back).revision.id == revision:
                return back
        return Checkout(revision=revision)

    def wire(self, sent: Sequence[SentMessage], carried: range, rows: Rows) -> dict[str, Patch]:
        """Return what a request writes differently from how it was written last, by position.

        What was ``carried`` was not written at all. A message that was never written is compared
        with how it would be.
        """
        found: dict[str, Patch] = {}
        for place, (raw, one) in enumerate(zip(self.raws, sent, strict=True)):
            last = self._written[raw]
            if last is one or place in carried:
                continue
            self._written[raw] = one
            if last is None or last.place != one.place:
                patch = patch_between(rows(one.place, self.message(raw)), one.rows)
            elif last.wire != one.wire:
                patch = patch_between(last.rows, one.rows)
            else:
                continue
            if patch:
                found[str(place)] = patch
        return found

    def _adopt(self, sent: Sequence[SentMessage], revision: int, size: int) -> None:
        """Take over what a revision shows, which is what was sent, one by one.

        ``size`` is that of the log then.
        """
        assert self.conversation is not None
        log, counter = self.conversation.log, self.conversation.settings.counter
        known = len(self._sent)
        if size > known:
            # Every added message is visible, and set below; until then, anything may be here.
            self._sent += [sent[0]] * (size - known)
            self._written += [None] * (size - known)
            self._tokens += [log.tokens(raw, counter) for raw in range(known, size)]
        self.unthought = []
        for raw, one in zip(self.raws, sent, strict=True):
            last = self._sent[raw]
            if raw >= known or last is not one:
                if raw >= known or last.key != one.key:
                    self._places.setdefault(one.key, []).append(raw)
                if raw < known and last.has_thoughts and not one.has_thoughts:
                    self.unthought.append(raw)
                self._sent[raw] = one
        keys = [one.key for one in sent]
        self._chain, self._keys = self._chained(keys), keys
        self._states[self._chain[-1] if keys else 0] = revision

    def _chained(self, keys: list[bytes]) -> list[int]:
        """Return a hash of each prefix; those of what is visible are known already."""
        same = common_start(self._keys, keys)
        chain = self._chain[:same]
        state = chain[-1] if chain else 0
        for key in keys[same:]:
            state = hash((state, key))
            chain.append(state)
        return chain

    def _note_summaries(self, operations: Sequence[Operation], before: int) -> None:
        """Remember which of the messages that were added are summaries."""
        assert self.conversation is not None
        log = self.conversation.log
        texts = {
            id(message)
            for operation in operations
            if isinstance(operation, Compress)
            for message in operation.summary or ()
        }
        self.summaries |= {raw for raw in range(before, len(log)) if id(log[raw]) in texts}


def _made_number(id: str) -> int:
    """Return the number of an id that was made here; 0 for any other."""
    number = id.removeprefix(MADE)
    return (count_in(number) or 0) if number != id else 0
