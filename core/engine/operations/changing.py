"""The operations that add messages: APPEND, INSERT, REPLACE, COMPRESS, REDACT."""

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, model_validator

from ...errors import Refused, out_of_range
from ...values.models import INTERNAL, Flag, Indices, KeepPairs, Number, Text
from ..messages import MessageOrMessages, OneMessage, SomeMessages
from ..pairing import splits
from ..state import Draft, State
from ..views import Run, View, indices_of, runs_of, spans_of
from .base import BatchOperation, DraftOperation, Resolved
from .selection import (
    FEW,
    KeepFields,
    Selected,
    SelectFields,
    select_visible,
    selected_or_none,
)


class Append(DraftOperation):
    """Add messages at the end, within the current batch."""

    title = "APPEND"
    messages: SomeMessages = Field(description="Messages to add")

    def apply(self, draft: Draft) -> None:
        before = draft.current
        tokens = draft.total(before)
        fresh = draft.add(self.messages)
        draft.grow(self, before.view.extended(fresh), tokens + draft.tokens_of(fresh))


class Insert(BatchOperation):
    """Add messages at a visible position."""

    title = "INSERT"
    position: Number = Field(description="Visible position of the first new message")
    messages: SomeMessages = Field(description="Messages to add")

    def apply(self, draft: Draft) -> None:
        view, tokens = draft.view, draft.total(draft.current)
        if not 0 <= self.position <= len(view):
            raise out_of_range("position", self.position, f"0…{len(view)}")
        fresh = draft.add(self.messages)
        tokens += draft.tokens_of(fresh)
        draft.open_batch(self, view.splice(self.position, self.position, fresh), tokens=tokens)


class Replace(BatchOperation):
    """Put new messages in the place of old ones; the old ones are hidden, not lost."""

    title = "REPLACE"
    index: Number | None = Field(default=None, description="Visible position of the old message")
    message: OneMessage | None = Field(default=None, description="The new message")
    indices: Indices | None = Field(default=None, description="Raw indices of the old messages")
    messages: SomeMessages | None = Field(default=None, description="The new messages")
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        names = ("index", "message", "indices", "messages")
        given = [name for name in names if getattr(self, name) is not None]
        if given not in (["index", "message"], ["indices", "messages"]):
            raise Refused(
                f"REPLACE has {', '.join(given) or 'nothing'}; "
                "it takes index and message, or indices and messages",
                field=given[0] if given else "index",
                value=given,
                legal="index and message, or indices and messages",
            )
        return self

    def apply(self, draft: Draft) -> Resolved:
        if self.index is not None and self.message is not None:
            view, tokens = draft.view, draft.total(draft.current)
            if not 0 <= self.index < len(view):
                legal = f"0…{len(view) - 1}" if len(view) else "the projection, which is empty"
                raise out_of_range("index", self.index, legal)
            fresh = draft.add((self.message,))
            new, old = view.swap(self.index, fresh)
            tokens += draft.tokens_of(fresh) - draft.log.tokens(old, draft.counter)
            draft.open_batch(self, new, tokens=tokens)
            return None
        assert self.indices is not None
        assert self.messages is not None
        selected = select_visible(draft, self.indices, skip_hidden=self.skip_hidden)
        if not selected.indices:
            raise Refused(
                "REPLACE names hidden messages only; at least one must be visible",
                field="indices",
                value=self.indices,
                legal="one visible message or more",
            )
        _put_in_place(draft, self, selected, draft.add(self.messages))
        return tuple(selected.indices)


class Compress(SelectFields, KeepFields, BatchOperation):
    """Hide messages and put a summary in the place of the first of them.

    ``keep_pairs`` looks at each tool exchange of which only a part was named: ``"drop"`` (or True)
    hides the rest of it too, ``"extend"`` leaves it as a whole. One with a message that
    ``keep_roles`` or ``keep_marks`` sets aside is left as a whole in either case.
    """

    title = "COMPRESS"
    summary: MessageOrMessages | None = Field(
        default=None, description="The messages in their place"
    )
    keep_pairs: KeepPairs = Field(
        default=False, description="Never split a tool call from its results"
    )
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)

    def apply(self, draft: Draft) -> Resolved:
        going = self.hides(draft)
        if going.indices:
            fresh = draft.add(self.summary) if self.summary else ()
            _put_in_place(draft, self, going, fresh)
        return tuple(going.indices)

    def hides(self, state: State) -> Selected:
        """Return the messages that would be hidden: those named, less those set aside."""
        named = self.selected(state, skip_hidden=self.skip_hidden)
        if self.keep_roles or self.keep_marks or self.keep_pairs:
            return selected_or_none(state, self._without_aside(state, named.indices))
        return named

    def _without_aside(self, state: State, named: Sequence[int]) -> list[int]:
        aside: set[int] = set()
        if self.keep_roles or self.keep_marks:
            aside.update(state.view.where(self.aside_mask(state)))
        going = dict.fromkeys(raw for raw in named if raw not in aside)
        if not self.keep_pairs or not going:
            return list(going)
        gone = View.of(sorted(going))
        kept, _, _ = state.view.cut(spans_of(gone.runs()))
        for exchange, staying in splits(state.log, state.view, kept, gone):
            if self.keep_pairs == "extend" or not aside.isdisjoint(exchange):
                for raw in set(exchange).difference(staying):
                    del going[raw]
            else:
                going.update(dict.fromkeys(exchange))
        return list(going)


class Redact(SelectFields, BatchOperation):
    """Replace texts and tool results by a short text; tool calls and ids are kept."""

    title = "REDACT"
    text: Text = Field(default="[cleared]", description="The text that replaces them")

    def apply(self, draft: Draft) -> Resolved:
        # A selection gives visible messages only; named ones have to be checked.
        named = self.select.matching(draft) if self.select else self.selected(draft).indices
        if named:
            fresh = draft.add([draft.log[raw].redacted(self.text) for raw in named], named)
            news = dict(zip(named, indices_of(fresh), strict=True))
            tokens = _tokens_after(draft, named, fresh)
            draft.open_batch(self, _substituted(draft.view, news), tokens=tokens)
        return tuple(named)


def _substituted(view: View, news: Mapping[int, int]) -> View:
    """Return a view with some messages replaced; of few, only their chunks are built again."""
    if len(news) > FEW:
        return view.substitute(news)
    places = [(view.position(old), new) for old, new in news.items()]
    for at, new in places:
        assert at is not None
        view, _ = view.swap(at, ((new, 1),))
    return view


def _put_in_place(
    draft: Draft, operation: Replace | Compress, selected: Selected, fresh: tuple[Run, ...]
) -> None:
    view = selected.rest.splice(selected.first, selected.first, fresh)
    draft.open_batch(operation, view, tokens=_tokens_after(draft, selected.indices, fresh))


def _tokens_after(draft: Draft, gone: Sequence[int], fresh: Sequence[Run]) -> int:
    """Return the visible tokens after some messages were replaced by others."""
    lost = draft.tokens_of(runs_of(gone))
    return draft.total(draft.current) - lost + draft.tokens_of(fresh)
