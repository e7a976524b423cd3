"""The conversation: everything that changes it, and the results; ``readable`` has what is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ..engine.calls import Call, CallUsage, read_definitions, tools_key
from ..engine.dialects import read_operation
from ..engine.diff import Diff, diff_views
from ..engine.journal import (
    Create,
    Noted,
    Record,
    StateAtRecord,
    Usage,
    append_all,
    append_groups,
    read_record,
    recorded_counts,
    verify_record,
)
from ..engine.log import Counting
from ..engine.messages import Message
from ..engine.operation import Operation
from ..engine.operations import Append, Checkout, Redo, Rollback, Undo, apply
from ..engine.queries import (
    ArrayState,
    Notice,
    OverLimit,
    Stats,
    UsageTotal,
    array_state,
    charged,
    notices_of,
    usage_total,
)
from ..engine.revisions import Batch, Revision
from ..engine.settings import Settings
from ..engine.state import (
    ConversationState,
    Draft,
    Head,
    State,
    StateAtRevision,
    changed_meanwhile,
    check_state,
)
from ..engine.tokens import counting
from ..engine.views import View, is_same
from ..errors import Refused, format_value, out_of_range, refusals_at, wrong_type
from ..values.frozen import FrozenDict, freeze_object
from ..values.models import fields_dict, read_number
from ..values.sequences import ReadOnlyList
from ..values.times import milliseconds, read_time
from .native import read_native, same_log, write_native
from .readable import Readable

if TYPE_CHECKING:
    from ..engine.seen import Seen

_NOTHING = object()

Clock = Callable[[], int]
Plan = Callable[[State], Iterable[Operation]]
"""Yields operations one after the other, each for the state that the last one left."""
OperationLike = Operation | Mapping[str, Any] | Sequence[Operation | Mapping[str, Any]]
"""An operation, JSON data in any dialect, or a list of them, which is all or nothing."""


class TokenChange(NamedTuple):
    """Visible tokens before and after, both by the same counter."""

    before: int
    after: int
    counter: str

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


class Before(NamedTuple):
    """Where an operation set out from: what it can be compared with."""

    head: Head
    revisions: int
    batches: int

    @classmethod
    def of(cls, draft: Draft) -> Before:
        return cls(draft.head, len(draft.revisions), len(draft.batches))


class Result:
    """The outcome of an operation or of a list of them.

    ``changed`` is false if nothing changed and nothing was journaled; ``created_batch`` is true if
    it opened a batch.
    """

    def __init__(
        self,
        operation: Operation | tuple[Operation, ...],
        draft: Draft,
        before: Before,
        notices: tuple[Notice, ...] = (),
        steps: tuple[Result, ...] = (),
    ) -> None:
        self.operation = operation
        self.notices = notices
        self.steps = steps
        self._draft = draft
        self._before = before.head
        self.created_batch = len(draft.batches) > before.batches
        self.changed = (
            len(draft.revisions) > before.revisions
            or draft.head != before.head
            or isinstance(operation, Undo | Redo)
        )
        self._after = draft.head
        self._log_size = len(draft.log)

    @property
    def revision(self) -> Revision:
        return self._draft.revisions[self._after.revision]

    @property
    def batch(self) -> Batch:
        return self.moment.named(self._draft.batches[self.revision.batch])

    @property
    def affected_batch_index(self) -> int:
        return self.batch.number

    @property
    def tokens(self) -> TokenChange:
        moment = self.moment
        before = self._draft.revisions[self._before.revision]
        return TokenChange(moment.total(before), moment.total(self.revision), moment.counter)

    @property
    def stats(self) -> Stats:
        after = self.batch
        return Stats(self._log_size, len(self.revision.view), after.number + 1, after.number)

    @cached_property
    def diff(self) -> Diff:
        before = self._draft.revisions[self._before.revision]
        return diff_views(before.view, self.revision.view, before.log_size)

    @cached_property
    def state(self) -> ArrayState:
        whole = array_state(self.moment)
        return ArrayState(
            whole.messages[: self._log_size],
            whole.batch_snapshots,
            whole.current_batch_index,
            self._log_size,
        )

    @cached_property
    def moment(self) -> StateAtRevision:
        """Return the whole state after the operation, to be asked and linted."""
        return StateAtRevision(self._draft, self._after)

    def __repr__(self) -> str:
        names = [o.title for o in self.operation] if self.steps else [self.operation.title]  # type: ignore[union-attr]
        return f"Result({', '.join(names)}: batch {self.affected_batch_index}, {self.diff})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data, without the state, which may be large."""
        batch = self.batch
        operation = self.operation
        return {
            "operation": [o.to_dict() for o in operation]
            if isinstance(operation, tuple)
            else operation.to_dict(),
            "changed": self.changed,
            "batch": batch.place(),
            "affectedBatchIndex": batch.number,
            "createdBatch": self.created_batch,
            "revision": self.revision.id,
            "stats": self.stats.to_dict(),
            "diff": self.diff.to_dict(),
            "tokens": self.tokens.to_dict(),
            "notices": [notice.to_dict() for notice in self.notices],
            **({"steps": [step.to_dict() for step in self.steps]} if self.steps else {}),
        }


class Applied(NamedTuple):
    """What was asked, how it turned out, and the raw indices each operation resolved."""

    operations: tuple[Operation, ...]
    result: Result
    resolved: tuple[tuple[int, ...] | None, ...]


def apply_list(draft: Draft, asks: Iterable[Any]) -> Applied:
    """Apply operations to a draft in turn; a refusal names the step.

    They may be made lazily, from what the draft has become by then.
    """
    if not asks:
        raise Refused("the list holds no operation", "list", [], "one operation or more")
    before = Before.of(draft)
    done: list[Applied] = []
    for i, ask in enumerate(asks):
        try:
            done.append(apply_one(draft, read_operation(ask)))
        except Refused as refusal:
            raise refusal.with_step(i) from None
    operations = tuple(one.operations[0] for one in done)
    steps = tuple(one.result for one in done)
    notices = tuple(notice for step in steps for notice in step.notices)
    result = Result(operations, draft, before, notices, steps)
    return Applied(operations, result, tuple(one.resolved[0] for one in done))


def apply_one(draft: Draft, operation: Operation) -> Applied:
    """Apply one operation to a draft."""
    before = Before.of(draft)
    resolved = apply(draft, operation)
    notices: tuple[Notice, ...] = ()
    made = len(draft.revisions) - before.revisions
    if made == 1:
        notices = notices_of(draft, draft.current)
    elif made:
        fresh = draft.revisions.added[-made:]
        notices = tuple(notice for revision in fresh for notice in notices_of(draft, revision))
    elif draft.head.settings is not before.head.settings:
        notices = _new_limit(draft, before.head.settings)
    return Applied((operation,), Result(operation, draft, before, notices), (resolved,))


def _new_limit(draft: Draft, before: Settings) -> tuple[Notice, ...]:
    """Return the notice that a lower limit, or another counter, makes due."""
    now = draft.head.settings
    lower = before.token_limit is None or (now.token_limit or 0) < before.token_limit
    if now.token_limit is None or not (lower or now.counter != before.counter):
        return ()
    tokens = draft.total(draft.current)
    return (OverLimit(tokens, now.token_limit),) if tokens > now.token_limit else ()


class Conversation(Readable):
    """A raw log, what is visible of it, and the whole history of both."""

    _state: ConversationState

    def __init__(
        self,
        messages: Iterable[Message | Mapping[str, Any]] = (),
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
        clock: Clock = milliseconds,
    ) -> None:
        create = Create(
            messages=messages,
            settings={} if settings is None else settings,
            meta={} if meta is None else meta,
        )
        self._begin(create, read_time(clock(), "clock"), counting, clock)

    def _begin(self, create: Create, moment: int, counting: Counting, clock: Clock) -> None:
        marks = {label: View.of(sorted(set(indices))) for label, indices in create.marks.items()}
        self._state = ConversationState(Head(-1, marks, {}, create.settings, create.meta))
        self._clock = clock
        self._guard = Lock()
        self._done: list[int] = []
        self._undone: list[int] = []
        self._usage: list[Usage] = []
        self._seen: list[Seen] = []
        draft = Draft(self._state, moment, counting)
        draft.start(create.messages)
        draft.commit(self._state)
        record = Record((create,), False, moment, draft.counter, tuple(draft.counts))
        self._journal = [record.leading_to(self._state)]

    @property
    def journal(self) -> Sequence[Record]:
        """Return every accepted change in order."""
        return ReadOnlyList(self._journal)

    def at_record(self, record: int) -> Readable:
        """Return the conversation as a record of its journal left it, for reading only.

        Everything is as it was then: log, tree, pointer, calls, marks, names and settings.
        """
        if not 0 <= read_number(record, "record") < len(self._journal):
            raise out_of_range("record", record, f"0…{len(self._journal) - 1}")
        return Readable(StateAtRecord(self._state, self._journal[record], record))

    @property
    def meta(self) -> FrozenDict:
        """Return title, source and whatever else describes the conversation."""
        return self._state.head.meta

    @property
    def undoable(self) -> Record | None:
        with self._guard:
            return self._journal[self._done[-1]] if self._done else None

    @property
    def redoable(self) -> Record | None:
        with self._guard:
            return self._journal[self._undone[-1]] if self._undone else None

    def check(self) -> list[str]:
        """Return a sentence for each broken invariant; an empty list means all is well."""
        with self._guard:
            state = self._state.copy()
        return check_state(state)

    def execute(self, operation: OperationLike) -> Result:
        """Apply an operation, or a list of them as one; refuse it with nothing changed.

        If another thread changes the conversation meanwhile, the one that is ready first wins and
        the other is refused.
        """
        result, draft, record = self._attempt(operation, self._now(), counting)
        self._commit(draft, record)
        return result

    def preview(self, operation: OperationLike) -> Result:
        """Return the result an operation or list would have, and change nothing."""
        return self._attempt(operation, self._now(), counting)[0]

    def apply_plan(
        self, plan: Plan, accept: Callable[[State], bool] | None = None
    ) -> Result | None:
        """Apply the operations of a plan as one, each made for the state that the last one left.

        If together they would change nothing that is sent, marked, named or set, nothing is done
        and None returned: a plan that runs again and again leaves no empty batches. Nor is
        an outcome that ``accept`` returns False for.
        """
        with self._guard:
            draft = Draft(self._state, self._now(), counting)
        before, view = Before.of(draft), draft.view
        done = apply_list(draft, plan(draft))
        if draft.version != self._state.version:
            raise Refused(
                "the conversation was changed while a plan for it was applied",
                field="plan",
                legal="a plan that only reads the conversation",
            )
        if is_same(draft.view, view) and draft.head[1:] == before.head[1:]:
            return None
        if accept is not None and not accept(draft):
            return None
        self._commit(draft, _record(done, draft, before.head))
        return done.result

    @overload
    def append(self, message: Message | Mapping[str, Any], /) -> Result: ...
    @overload
    def append(
        self,
        role: str,
        content: Any,
        *,
        id: str | None = None,
        timestamp: int | None = None,
        metadata: Mapping[str, Any] | FrozenDict | None = None,
    ) -> Result: ...
    def append(self, role: Any, content: Any = _NOTHING, **fields: Any) -> Result:
        """Append one message, or one made of a role, content and other fields."""
        if content is not _NOTHING:
            fields = {"content": content, **fields}
        message = role if isinstance(role, Message | Mapping) else {"role": role, **fields}
        if fields and message is role:
            extra = next(iter(fields))
            raise Refused(
                f"{extra} is given next to a message, which has its own",
                field=extra,
                value=fields[extra],
                legal="a message alone, or role, content and other fields",
            )
        return self.execute(Append(messages=[message]))

    def rollback(self, number: int) -> Result:
        return self.execute(Rollback(target_batch_index=number))

    def checkout(self, *, batch: int | None = None, revision: int | None = None) -> Result:
        return self.execute(Checkout(batch=batch, revision=revision))

    def undo(self) -> Result:
        return self.execute(Undo())

    def redo(self) -> Result:
        return self.execute(Redo())

    @property
    def usage(self) -> UsageTotal:
        """Return what providers charged, over the conversation's whole life."""
        return usage_total(self._usage)

    def record_usage(
        self,
        prompt: int,
        completion: int = 0,
        total: int | None = None,
        request: str | None = None,
    ) -> Usage:
        """Store what a provider reports that a request cost; journaled, never undone."""
        usage = Usage(prompt=prompt, completion=completion, total=total, request=request)
        now = self._now()
        with self._guard:
            self._add(usage, now)
        return usage

    def record_call(  # noqa: PLR0913 - a request has so many parts
        self,
        *,
        request: str | None = None,
        model: str | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parameters: Mapping[str, Any] | None = None,
        usage: CallUsage | Mapping[str, Any] | None = None,
        answer: Any = None,
        wire: Mapping[str, Any] | None = None,
        outcome: str = "complete",
        time: int | None = None,
    ) -> Call:
        """Store that the projection of the current revision was sent; journaled, never undone.

        Equal tool definitions are stored once. Refused if another thread moves the conversation
        to another revision meanwhile.
        """
        now, version, revision = self._now(), self._state.version, self._state.head.revision
        definitions = None if tools is None else read_definitions(tools, "tools")
        key = None if definitions is None else tools_key(definitions)
        given = {
            "request": request,
            "model": model,
            "tools": key,
            "definitions": None if key in self._state.calls.tools else definitions,
            "parameters": parameters,
            "usage": usage,
            "answer": answer,
            "wire": wire,
        }
        call = Call(
            revision=revision,
            time=now if time is None else time,
            outcome=outcome,
            **{name: value for name, value in given.items() if value is not None},
        )
        with self._guard:
            if revision != self._state.head.revision:
                raise changed_meanwhile(version, self._state)
            known = call.tools in self._state.calls.tools
            self._add(call.without_definitions() if known else call, now)
        return call.without_definitions()

    def _now(self) -> int:
        return read_time(self._clock(), "clock")

    def _attempt(
        self, ask: OperationLike, moment: int, counting: Counting
    ) -> tuple[Result, Draft, Record | None]:
        """Apply an operation or list to a draft; the record is None if nothing changes."""
        operation = None if isinstance(ask, list | tuple) else read_operation(ask)
        with self._guard:
            draft = Draft(self._state, moment, counting)
            head = self._undo_head(operation) if isinstance(operation, Undo | Redo) else None
        before = Before.of(draft)
        if operation is None:
            done = apply_list(draft, ask)
        elif head is None:
            done = apply_one(draft, operation)
        else:
            draft.set_head(head)
            done = Applied((operation,), Result(operation, draft, before), ())
        record = _record(done, draft, before.head) if done.result.changed else None
        return done.result, draft, record

    def _undo_head(self, operation: Undo | Redo) -> Head:
        is_undo = isinstance(operation, Undo)
        stack = self._done if is_undo else self._undone
        if not stack:
            legal = "UNDO after a change" if is_undo else "REDO after UNDO"
            sentence = f"there is nothing to {operation.title.lower()}"
            raise Refused(sentence, "operation", operation.title, legal)
        record = self._journal[stack[-1]]
        head = record.before if is_undo else record.after
        assert head is not None
        return head

    def _commit(self, draft: Draft, record: Record | None) -> None:
        if record is None:
            return
        with self._guard:
            draft.commit(self._state)
            self._journal.append(record)
            match record.operations[0]:
                case Undo():
                    self._undone.append(self._done.pop())
                case Redo():
                    self._done.append(self._undone.pop())
                case _:
                    self._done.append(len(self._journal) - 1)
                    self._undone.clear()

    def _add(self, noted: Noted, moment: int) -> None:
        """Add a call or usage to the journal; the guard is held."""
        cost = charged(noted)
        if isinstance(noted, Call):
            self._state.calls.append(noted, len(self._journal))
        if cost is not None:
            self._usage.append(cost)
        record = Record((noted,), False, moment, self._state.counter)
        self._journal.append(record.leading_to(self._state, self._state.head))

    def seen(self, call: Call) -> Seen:
        """Return what the model saw of a call after the provider's own edits.

        It is derived from all recorded calls, and cached until there is another one.
        """
        every = self.calls.all
        place = next((at for at in range(len(every)) if every[at] is call), None)
        if place is None:
            raise Refused("this call is not one of the conversation", field="call", value=call)
        if len(self._seen) != len(every):
            # Bodies are written by formats, which are built on conversations.
            bodies = import_module("..formats.bodies", __package__)
            found = {id(one.call): one.seen for one in bodies.run_calls([self])}
            self._seen = [found[id(one)] for one in every]
        return self._seen[place]

    @classmethod
    def replay(
        cls,
        journal: Iterable[Record | Mapping[str, Any]],
        *,
        clock: Clock = milliseconds,
    ) -> Conversation:
        """Return the conversation that a journal describes, equal to the one that wrote it."""
        if not isinstance(journal, Iterable):
            raise wrong_type("journal", journal, "a list of records")
        records = [read_record(one, place) for place, one in enumerate(journal)]
        create = records[0].operations[0] if records else None
        if not isinstance(create, Create):
            raise Refused("a journal begins with a CREATE record", "journal")
        new = cls.__new__(cls)
        new._begin(create, records[0].time, recorded_counts(records[0], 0), clock)
        verify_record(new._journal[0], records[0], 0)
        for group in append_groups(records[1:]):
            new._replay_all(group)
        return new

    def _replay_all(self, records: Sequence[Record]) -> None:
        """Replay the next records; several at once are plain APPENDs, done together for speed."""
        if len(records) > 1:
            with self._guard:
                if records[0].counter == self._state.counter:
                    first = len(self._journal)
                    self._journal += append_all(self._state, records)
                    self._done += range(first, len(self._journal))
                    self._undone.clear()
                    return
        for record in records:
            apply_record(self, record)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole conversation as JSON-ready data: what a native file holds."""
        still = self.copy()
        return write_native(still, still.journal)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, clock: Clock = milliseconds) -> Conversation:
        """Return the conversation that was written, equal to it; refuse inconsistent data."""
        messages, journal = read_native(data)
        new = cls.replay(journal, clock=clock)
        same_log(messages, new.log)
        return new

    def copy(self) -> Conversation:
        copy = type(self).__new__(type(self))
        copy._guard = Lock()
        with self._guard:
            copy._state = self._state.copy()
            copy._journal = self._journal[:]
            copy._done, copy._undone = self._done[:], self._undone[:]
            copy._usage = self._usage[:]
            copy._seen = self._seen
        copy._clock = self._clock
        return copy

    def squash(
        self,
        *,
        only: Iterable[int] | None = None,
        meta: Mapping[str, Any] | None = None,
        instead: Mapping[int, Message] | None = None,
    ) -> Conversation:
        """Return a new conversation of what is visible here, with its marks and settings.

        This one does not change; the new one holds its origin, each message its old index.
        ``only`` limits it to some visible messages, by raw index; ``meta`` replaces the meta of
        this one, ``instead`` some of the messages.
        """
        about = self.meta if meta is None else freeze_object(meta, "meta")
        still = self.at_record(len(self._journal) - 1)
        new = type(self).__new__(type(self))
        new._begin(squashed(still, about, only, instead), self._now(), counting, self._clock)
        return new

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation):
            return NotImplemented
        mine, theirs = self._state, other._state
        return (
            mine.log == theirs.log
            and mine.revisions == theirs.revisions
            and mine.batches == theirs.batches
            and mine.head == theirs.head
            and self._journal == other._journal
            and (self._done, self._undone) == (other._done, other._undone)
        )

    __hash__ = None  # type: ignore[assignment]


def _record(done: Applied, draft: Draft, before: Head) -> Record:
    operations, result, resolved = done
    given = () if resolved.count(None) == len(resolved) else resolved
    listed, counts = isinstance(result.operation, tuple), tuple(draft.counts)
    record = Record(operations, listed, draft.time, draft.counter, counts, given)
    return record.leading_to(draft, before)


def apply_record(conversation: Conversation, record: Record | Mapping[str, Any]) -> None:
    """Replay the next record of a journal, or refuse it with nothing changed."""
    place = len(conversation._journal)
    record = read_record(record, place)
    first = record.operations[0]
    ask = record.operations if record.listed else first
    counting = recorded_counts(record, place)
    with refusals_at(f"journal[{place}]"):
        if isinstance(ask, Noted):
            with conversation._guard:
                if isinstance(ask, Call):
                    check_call(ask, conversation._state)
                conversation._add(ask, record.time)
            return
        _, draft, made = conversation._attempt(ask, record.time, counting)
    verify_record(made, record, place)
    conversation._commit(draft, made)


def check_call(call: Call, state: ConversationState) -> None:
    """Refuse a call of another revision than the current one, or of undefined tools."""
    here = state.head.revision
    if call.revision != here:
        raise Refused(
            f"revision {format_value(call.revision)} is not {here}, at which the call was recorded",
            field="revision",
            value=call.revision,
            legal=str(here),
        )
    if call.tools is not None and call.definitions is None and call.tools not in state.calls.tools:
        raise Refused(
            f"tools {format_value(call.tools)} are defined neither by this call nor by one before "
            "it",
            field="tools",
            value=call.tools,
            legal=", ".join(state.calls.tools) or "a key with its definitions",
        )


def squashed(
    conversation: Readable,
    meta: FrozenDict,
    only: Iterable[int] | None = None,
    instead: Mapping[int, Message] | None = None,
) -> Create:
    """Return the first record of a squashed conversation; each message holds its old index."""
    raws = list(conversation.view) if only is None else _in_order(conversation, only)
    news = instead or {}
    place = {raw: position for position, raw in enumerate(raws)}
    marks = {
        label: [place[raw] for raw in found if raw in place]
        for label, found in conversation.marks.items()
    }
    origin: dict[str, Any] = {
        "title": meta.get("title"),
        "messages": len(conversation.log),
        "revision": conversation.current.id,
        "batch": conversation.batch.id,
    }
    if instead is not None:
        origin["cleaned"] = True  # Formats' notes about removed text were dropped.
    return Create(
        messages=[(news.get(raw) or conversation.log[raw]).noted(squashedFrom=raw) for raw in raws],
        settings=conversation.settings,
        meta={**meta, "origin": origin},
        marks={label: found for label, found in marks.items() if found},
    )


def _in_order(conversation: Readable, only: Iterable[int]) -> list[int]:
    """Return some visible messages in the order they are sent; refuse one that is hidden."""
    wanted = set(only)
    found = [raw for raw in conversation.view if raw in wanted]
    if len(found) < len(wanted):
        hidden = min(wanted.difference(found))
        raise Refused(
            f"message {hidden} is not visible, so it can't be kept",
            field="only",
            value=hidden,
            legal="visible messages",
        )
    return found
