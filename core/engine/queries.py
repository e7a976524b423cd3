"""Queries: questions about a state, and the shapes of the source documents."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, Literal, NamedTuple

from ..errors import out_of_range, wrong_type
from ..values.models import (
    ROLES,
    Role,
    fields_dict,
    read_count,
    read_label,
    read_number,
    read_role,
)
from ..values.sequences import ReadOnlyList, ReadOnlySequence
from .calls import Call, CallsPrefix, CallUsage, ToolDefinitions
from .journal import Noted, Usage
from .log import role_table
from .messages import UNCOUNTED, Message
from .operation import Operation
from .operations import Append, Truncate
from .revisions import Batch, Revision, ancestor
from .settings import Compression
from .state import State
from .tokens import is_exact
from .views import View, indices_of, spans_of, subtract

Scope = Literal["visible", "raw"]
RoleNames = str | Iterable[str] | None
"""A role, several, or all of them."""
BLOCK_MESSAGES = 1024


class Query:
    """Asks a state; ``roles`` limits every question, ``scope`` chooses the log or the projection.

    Answers are in visible order, or for the scope ``raw`` in the order of the log.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def all(self, roles: RoleNames = None, scope: Scope = "visible") -> list[int]:
        return list(self._each(self._view(scope), roles))

    def recent(self, k: int, roles: RoleNames = None, scope: Scope = "visible") -> list[int]:
        """Return the last k messages of the roles; looks only at the end of the log."""
        count = read_count(k, "k")
        view, table = self._view(scope), _table(roles)
        found: list[int] = []
        for start, length in view.runs(backwards=True):
            if len(found) >= count:
                break
            stop = start + length
            while stop > start and len(found) < count:
                block = max(start, stop - BLOCK_MESSAGES)
                hits = self._state.log.roles(block, stop).translate(table)
                at = hits.rfind(1)
                while at >= 0 and len(found) < count:
                    found.append(block + at)
                    at = hits.rfind(1, 0, at)
                stop = block
        return found[::-1]

    def range(
        self, start: int, end: int, roles: RoleNames = None, scope: Scope = "visible"
    ) -> list[int]:
        """Return the messages at positions start…end−1, counted within the roles."""
        lo, hi = read_count(start, "start"), read_count(end, "end")
        if lo > hi:
            raise out_of_range("start", lo, f"0…{hi}", why="the end")
        return list(self._each(self._view(scope), roles))[lo:hi]

    def count(self, roles: RoleNames = None, scope: Scope = "visible") -> int:
        view = self._view(scope)
        if roles is None:
            return len(view)
        return view.column(self._state.log.roles).translate(_table(roles)).count(1)

    def between(
        self,
        start: int | None = None,
        end: int | None = None,
        roles: RoleNames = None,
        scope: Scope = "visible",
    ) -> list[int]:
        """Return the messages of a time range, both ends included; no time, no match."""
        lo = None if start is None else read_number(start, "start")
        hi = None if end is None else read_number(end, "end")
        log = self._state.log
        return [
            raw
            for raw in self._each(self._view(scope), roles)
            if (at := log[raw].timestamp) is not None
            and (lo is None or lo <= at)
            and (hi is None or at <= hi)
        ]

    def marked(self, label: str, roles: RoleNames = None, scope: Scope = "visible") -> list[int]:
        marked = set(self._state.head.marks.get(read_label(label, "label"), ()))
        return [raw for raw in self._each(self._view(scope), roles) if raw in marked]

    def search(
        self,
        text: str,
        regex: bool = False,
        case_sensitive: bool = False,
        roles: RoleNames = None,
        scope: Scope = "visible",
    ) -> list[int]:
        """Return the messages in whose words a text or a regular expression occurs."""
        from .text_search import TextFinder  # noqa: PLC0415 - quicker start: it imports regex

        finder, log = TextFinder(text, regex, case_sensitive), self._state.log
        candidates = self._each(self._view(scope), roles)
        return list(finder.among((raw, log[raw]) for raw in candidates))

    def hidden(self, roles: RoleNames = None) -> list[int]:
        """Return the messages of the log that are not visible, in the order of the log."""
        spans = subtract([(0, len(self._state.log))], spans_of(self._state.view.runs()))
        return list(self._each(View.of_spans(spans), roles))

    def to_raw(self, position: int) -> int:
        view, at = self._state.view, read_number(position, "position")
        if not 0 <= at < len(view):
            legal = f"0…{len(view) - 1}" if len(view) else "the projection, which is empty"
            raise out_of_range("position", at, legal)
        return view[at]

    def to_visible(self, raw: int) -> int | None:
        """Return the position of a message, or None if it is hidden or unknown."""
        return self._state.view.position(read_number(raw, "index"))

    def _view(self, scope: Scope) -> View:
        if scope == "visible":
            return self._state.view
        if scope == "raw":
            return View.of_runs([(0, len(self._state.log))])
        raise wrong_type("scope", scope, "one of visible, raw")

    def _each(self, view: View, roles: RoleNames) -> Iterator[int]:
        if roles is None:
            return iter(view)
        return compress(view, view.column(self._state.log.roles).translate(_table(roles)))


def _table(roles: RoleNames) -> bytes:
    if roles is None:
        return role_table(ROLES)
    if not isinstance(roles, Iterable):
        raise wrong_type("roles", roles, f"a role or a list of roles ({', '.join(ROLES)})")
    return role_table([read_role(role) for role in ([roles] if isinstance(roles, str) else roles)])


class MarkMap(NamedTuple):
    """The index arrays: what is visible, per role, and where the batches of the path begin."""

    original_indices: View
    type_indices: dict[Role, list[int]]
    batch_boundaries: list[int]
    boundary_to_batch: list[int]
    current_batch: int

    @classmethod
    def of(cls, state: State) -> MarkMap:
        view, path = state.view, list(state.path)
        roles = view.column(state.log.roles)
        return cls(
            view,
            {role: list(compress(view, roles.translate(role_table((role,))))) for role in ROLES},
            [batch.boundary for batch in path],
            [batch.number for batch in path],
            path[-1].number,
        )

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


class Stats(NamedTuple):
    """How many messages and batches there are."""

    total_messages: int
    current_batch_messages: int
    total_batches: int
    current_batch_index: int

    @classmethod
    def of(cls, state: State) -> Stats:
        number = state.batches[state.current.batch].number
        return cls(len(state.log), len(state.view), number + 1, number)

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


class Snapshot(NamedTuple):
    """A batch at one revision; its messages are shared, never copied."""

    batch_index: int
    timestamp: int
    messages: tuple[Message, ...]
    message_count: int
    description: str

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


class ArrayState(NamedTuple):
    """The raw messages and a snapshot of each batch of the path."""

    messages: Sequence[Message]
    batch_snapshots: list[Snapshot]
    current_batch_index: int
    total_message_count: int

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


def snapshot(state: State, batch: Batch, revision: Revision) -> Snapshot:
    """Return a batch at one of its revisions."""
    view = revision.view
    return Snapshot(
        batch.number,
        batch.time,
        tuple([state.log[raw] for raw in view]),
        len(view),
        state.named(batch).description,
    )


def array_state(state: State) -> ArrayState:
    """Return the raw messages and the path's snapshots."""
    number = state.batches[state.current.batch].number
    return ArrayState(
        tuple(state.log[:]),
        [snapshot(state, batch, state.on_path(batch.number)) for batch in state.path],
        number,
        len(state.log),
    )


class Calls(ReadOnlySequence[Call]):
    """The calls recorded on the path of a state, from its first revision on; ``all`` has the rest.

    Two calls of one revision are in the order they were recorded.
    """

    def __init__(self, state: State) -> None:
        self._known = CallsPrefix(state.calls, len(state.calls))
        self._revisions = state.revisions
        self._to = state.current

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        return self._known.on_path(self._revisions, self._to)

    @property
    def all(self) -> Sequence[Call]:
        """Return every call in the order they were recorded, those of other branches too."""
        return ReadOnlyList(self._known)

    @property
    def tools(self) -> Mapping[str, ToolDefinitions]:
        """Return the tool definitions of all calls by the key that ``Call.tools`` holds."""
        return {key: one.definitions for key, one in self._known.tools.items()}

    def __len__(self) -> int:
        return len(self._numbers)

    def _item(self, index: int) -> Call:
        return self._known[self._numbers[index]]

    def __repr__(self) -> str:
        return f"Calls({len(self)} on this path, {len(self._known)} in all)"


class TokenTotal(NamedTuple):
    """The visible tokens, by which counter, and how many parts it could not see."""

    total: int
    counter: str
    exact: bool
    not_counted: int

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


class UsageTotal(NamedTuple):
    """What providers said the requests of this conversation cost, over its whole life."""

    requests: Sequence[Usage]
    prompt: int
    completion: int
    total: int

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


def token_total(state: State) -> TokenTotal:
    """Return the figures of what is visible."""
    unseen = state.log.with_flag(state.view, UNCOUNTED)
    return TokenTotal(
        state.total(state.current),
        state.counter,
        is_exact(state.counter),
        sum(state.log[raw].uncounted for raw in unseen),
    )


def usage_total(requests: Sequence[Usage]) -> UsageTotal:
    """Return the sums of recorded requests."""
    return UsageTotal(
        tuple(requests),
        sum(usage.prompt for usage in requests),
        sum(usage.completion for usage in requests),
        sum(usage.tokens for usage in requests),
    )


def charged(noted: Noted) -> Usage | None:
    """Return what a provider charged for a request; None for a call of which it said nothing."""
    if isinstance(noted, Usage):
        return noted
    if noted.usage is None or noted.usage == CallUsage():
        return None
    prompt, completion = noted.usage.input or 0, noted.usage.output or 0
    return Usage(prompt=prompt, completion=completion, request=noted.request)


class OverLimit(NamedTuple):
    """The visible messages hold more tokens than the limit."""

    tokens: int
    limit: int
    kind: str = "overLimit"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "tokens": self.tokens, "limit": self.limit}


class Offer(NamedTuple):
    """An APPEND passed the compression threshold; this operation would bring it down."""

    operation: Operation
    kind: str = "offer"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "operation": self.operation.to_dict()}


Notice = OverLimit | Offer


def notices_of(state: State, revision: Revision) -> tuple[Notice, ...]:
    """Return what there is to say about a revision."""
    settings = state.head.settings
    compression = settings.compression_config
    if settings.token_limit is None and not compression.enabled:
        return ()
    tokens = state.total(revision)
    found: list[Notice] = []
    if settings.token_limit is not None and tokens > settings.token_limit:
        found.append(OverLimit(tokens, settings.token_limit))
    appended = isinstance(revision.operation, Append)
    if appended and compression.enabled and tokens > (compression.threshold or 0):
        found.append(Offer(offered(compression)))
    return tuple(found)


def offered(compression: Compression) -> Truncate:
    """Return the TRUNCATE that brings tokens down as the settings want it."""
    return Truncate(
        max_tokens=compression.target_tokens,
        keep_system=True,
        keep_pairs=compression.keep_pairs,
        keep_roles=compression.keep_roles,
        keep_marks=compression.keep_marks,
    )


NEVER = "never visible here"


class Blame(NamedTuple):
    """The revision, batch and operation that hid a message; all None if it never was visible."""

    revision: Revision | None
    batch: Batch | None
    operation: Operation | None

    def __str__(self) -> str:
        if self.batch is None:
            return NEVER
        description = self.batch.description
        title = self.operation.title if self.operation is not None else ""
        named = description if description.startswith(title) else f"{title} {description}"
        return f"hidden by batch {self.batch.number} {named}"

    def to_dict(self) -> dict[str, Any] | str:
        """Return ids and the operation, or the words for a message that never was visible."""
        if self.revision is None or self.batch is None:
            return NEVER
        return {
            "revision": self.revision.id,
            "batch": self.batch.id,
            "operation": self.operation and self.operation.to_dict(),
        }


def blame(state: State, raw: int) -> Blame | None:
    """Return what hid a message on this path, or None if it is visible.

    From the revision of the path that added it, a message is visible for one period and then never
    again, so both ends of it are found by bisection.
    """
    size = len(state.log)
    if not 0 <= read_number(raw, "index") < size:
        raise out_of_range("index", raw, f"0…{size - 1}" if size else "the log, which is empty")
    current = state.current
    if raw in current.view:
        return None

    def at(depth: int) -> Revision:
        return ancestor(state.revisions, current, depth)

    depths = range(current.depth + 1)
    if raw in state.toggle_messages:
        births = [depth for depth in depths if raw in indices_of(at(depth).fresh)]
        born = births[0] if births else len(depths)
    else:
        born = bisect_left(depths, True, key=lambda depth: at(depth).log_size > raw)
    if born == len(depths) or raw not in at(born).view:
        return Blame(None, None, None)
    hid = bisect_left(depths, True, lo=born, key=lambda depth: raw not in at(depth).view)
    revision = at(hid)
    batch = state.named(state.batches[revision.batch])
    return Blame(revision, batch, revision.operation)
