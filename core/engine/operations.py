"""The operations: one class each, with its fields and, in ``apply``, what it does to a draft."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import floor
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from ..errors import Refused, format_value, out_of_range, refusals_at, wrong_type
from ..values.frozen import FrozenDict, freeze_object
from ..values.models import (
    INTERNAL,
    ROLES,
    Checked,
    Flag,
    Indices,
    KeepPairs,
    Label,
    Labels,
    Model,
    Number,
    RoleName,
    Roles,
    Text,
    Words,
    nested,
    one_of,
    some_of,
)
from .amounts import Amount, Counted, worked_out
from .log import MADE, flag_table
from .messages import (
    CALLS,
    LINKED,
    Links,
    Message,
    MessageOrMessages,
    OneMessage,
    SomeMessages,
    ToolResultPart,
    ToolUsePart,
    links_of,
)
from .operation import Operation
from .pairing import Pairing, ToolExchange, pair, splits
from .revisions import Revision, ancestor, is_on_way
from .rewriting import (
    PARTS,
    PartRules,
    Rewriter,
    SummaryTemplate,
    has_template,
    read_templates,
    with_newest_calls,
    without_calls,
)
from .selection import (
    ADVANCED,
    FEW,
    AnyCut,
    AsideFields,
    Cut,
    KeepFields,
    LongerThan,
    OneCut,
    Selected,
    SelectFields,
    check_in_log,
    has_any,
    marked_with,
    raw_mask,
    read_cut,
    role_mask,
    select_visible,
    selected_or_none,
)
from .settings import PROFILES, CompressionFields, read_description, read_limit
from .state import Draft, State
from .tokens import counting
from .units import MessageSequence, details_of
from .views import (
    EMPTY,
    Run,
    View,
    either,
    indices_of,
    runs_of,
    spans_of,
    subtract,
    with_indices,
    without,
    without_indices,
)

Resolved = tuple[int, ...] | None
"""The raw indices that an operation acted on, where it does not name them itself."""


class DraftOperation(Operation):
    """An operation that works on a draft, so that it can be part of a list."""

    def apply(self, draft: Draft) -> Resolved:
        """Write the outcome to a draft, or refuse."""
        raise NotImplementedError


class BatchOperation(DraftOperation):
    """An operation that opens a batch, and may name it."""

    opens_batch = True
    description: Text | None = Field(default=None, description="Name of the new batch")


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
        fresh = draft.write(self.messages)
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
    as_copies: Flag = Field(default=False, json_schema_extra=INTERNAL)

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
            fresh = draft.write((self.message,))
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
        if self.as_copies and len(selected.indices) == len(self.messages):
            fresh = draft.add(self.messages, selected.indices)
        else:
            fresh = draft.write(self.messages)
        _put_in_place(draft, self, selected, fresh)
        return tuple(selected.indices)


def read_enough(value: object, field: str) -> Cut:
    """Return a number of tokens, as an object."""
    with refusals_at(field):
        cut = read_cut(value)
        if cut.tokens is None or len(cut.model_fields_set) != 1:
            raise wrong_type("enough", value, "an object with tokens")
    return cut


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
    templates: Annotated[tuple[SummaryTemplate, ...], Checked(read_templates)] | None = Field(
        default=None, json_schema_extra=INTERNAL
    )
    at: Annotated[str, one_of("start", "end")] = Field(
        default="start", description="Where the summary appears", json_schema_extra=ADVANCED
    )
    each: Annotated[str, one_of("exchange")] | None = Field(
        default=None, description="A summary for each exchange", json_schema_extra=ADVANCED
    )
    overlap: OneCut | None = Field(
        default=None, description="What the count covers too", json_schema_extra=ADVANCED
    )
    keep_pairs: KeepPairs = Field(
        default=False, description="Never split a tool call from its results"
    )
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)

    def __init__(self, /, **data: Any) -> None:
        if has_template(data.get("summary")):
            data["templates"] = data.pop("summary")
        super().__init__(**data)

    def to_dict(self) -> dict[str, Any]:
        data = super().to_dict()
        if data.get("templates"):
            written = data.pop("templates")
            data["summary"] = written[0] if len(written) == 1 else written
        return data

    def apply(self, draft: Draft) -> Resolved:
        going = self.hides(draft)
        if not going.indices:
            return ()
        view = draft.view
        ordered = sorted(going.indices, key=lambda raw: view.position(raw) or 0)
        if self.templates is None:
            messages: Sequence[Message] = self.summary or ()
            written = {ordered[0]: messages} if messages else {}
        else:
            written = self._written(draft, ordered)
        fresh = draft.write([one for some in written.values() for one in some]) if written else ()
        if self.at == "end" or len(written) < 2:  # noqa: PLR2004 - one summary, or none
            at = len(going.rest) if self.at == "end" else going.first
            tokens = _tokens_after(draft, going.indices, fresh)
            draft.open_batch(self, going.rest.splice(at, at, fresh), tokens=tokens)
            return tuple(going.indices)
        raws, hidden = iter(indices_of(fresh)), set(ordered)
        shown: list[int] = []
        for raw in view:
            shown += [next(raws) for _ in written.get(raw, ())]
            if raw not in hidden:
                shown.append(raw)
        draft.open_batch(self, View.of(shown))
        return tuple(going.indices)

    def _written(self, state: State, going: Sequence[int]) -> dict[int, Sequence[Message]]:
        """Return the summaries, each by the first message in whose place it comes."""
        sequence = MessageSequence(state, going)
        groups = [sequence]
        if self.each is not None:
            borders = [*sequence.borders("exchanges"), len(sequence)]
            groups = [sequence.part(start, stop) for start, stop in pairwise(borders)]
            groups = [group for group in groups if group.details[0].is_in_exchange]
        return {group.raws[0]: self.summary_of(group) for group in groups}

    def summary_of(self, going: MessageSequence, text: str | None = None) -> tuple[Message, ...]:
        """Return the summary of what goes; a text replaces the first template."""
        covered, messages = self._overlap(going), []
        for one in self.templates or ():
            messages += one.written(going, covered, text if one.template is not None else None)
            text = None if one.template is not None else text
        return tuple(messages)

    @property
    def by_a_model(self) -> Self | None:
        """Return it with only what stands for what a model would write: templates with blanks.

        None if there is no such; one that counts 0 tokens is a note that no model writes.
        """
        some = [one for one in self.templates or () if "{" in (one.template or "")]
        templates = tuple(one for one in some if one.tokens != 0)
        return self.model_copy(update={"templates": templates}) if templates else None

    def written(self, state: State, text: Callable[[Sequence[Message]], str | None]) -> Self:
        """Return the operation with the summary of what it would hide, by a function or not."""
        indices = self.hides(state).indices
        if not indices:
            return self.model_copy(update={"templates": None})
        ordered = sorted(indices, key=lambda raw: state.view.position(raw) or 0)
        said = text([state.log[raw] for raw in ordered])
        summary = self.summary_of(MessageSequence(state, ordered), said)
        return self.model_copy(update={"templates": None, "summary": summary or None})

    def _overlap(self, going: MessageSequence) -> int:
        """Return how many hidden messages of the run before those that go are covered again."""
        if self.overlap is None:
            return 0
        state, first = going.state, min(going.raws)
        hidden = [raw for raw in range(first) if raw not in state.view]
        run = going.of(raw for raw in hidden if state.log.origin(raw) is None)
        return len(run) - self.overlap.start_of_tail(run)

    def hides(self, state: State) -> Selected:
        """Return the messages that would be hidden: those named, less those set aside."""
        named = self.selected(state, skip_hidden=self.skip_hidden)
        if self.each is not None:
            whole = MessageSequence(state, named.indices)
            pairs = zip(whole.raws, whole.details, strict=True)
            named = selected_or_none(state, [raw for raw, one in pairs if one.is_in_exchange])
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
    parts: Annotated[tuple[str, ...], some_of(*PARTS)] | None = Field(
        default=None, description="Which parts are replaced", json_schema_extra=ADVANCED
    )
    input: Text | None = Field(
        default=None, description="What replaces text arguments", json_schema_extra=ADVANCED
    )
    tools: Words | None = Field(
        default=None, description="The tools whose arguments go", json_schema_extra=ADVANCED
    )
    longer_than: Annotated[LongerThan, nested(LongerThan)] | None = Field(
        default=None, description="Shorter parts stay", json_schema_extra=ADVANCED
    )
    only_if_shorter: Flag = Field(
        default=False, description="Only where the new text is shorter", json_schema_extra=ADVANCED
    )
    enough: Annotated[Cut, Checked(read_enough)] | None = Field(
        default=None, description="Stop when so much is saved", json_schema_extra=ADVANCED
    )

    def apply(self, draft: Draft) -> Resolved:
        # A selection gives visible messages only; named ones have to be checked.
        if self.select is not None:
            named: Sequence[int] = self.select.matching(draft, self.set_aside(draft))
        else:
            named = self.selected(draft).indices
        if named and self._is_plain:
            fresh = draft.add([draft.log[raw].redacted(self.text) for raw in named], named)
            news = dict(zip(named, indices_of(fresh), strict=True))
            tokens = _tokens_after(draft, named, fresh)
            draft.open_batch(self, _substituted(draft.view, news), tokens=tokens)
        elif named:
            self._rewrite(draft, named)
        return tuple(named)

    @property
    def _is_plain(self) -> bool:
        """Return whether each message becomes the text as it is."""
        fields = {"indices", "select", "aside", "text", "description"}
        return self.model_fields_set <= fields and "{" not in self.text

    def _rewrite(self, draft: Draft, named: Sequence[int]) -> None:
        rules = PartRules(
            frozenset(self.parts or ()),
            self.text,
            self.input,
            None if self.tools is None else frozenset(self.tools),
            self.longer_than,
            self.only_if_shorter,
        )
        count = counting(draft.counter)
        whole = MessageSequence(draft, list(draft.view))
        wanted = None
        if self.enough is not None:
            wanted = worked_out(self.enough.tokens or 0, whole.look)
        rewriter, saved = Rewriter(whole, rules), 0
        news: dict[int, Message | None] = {}
        for raw in named:
            if wanted is not None and saved >= wanted:
                break
            for old, new in rewriter.copies(raw, news).items():
                before = news.get(old, draft.log[old])
                saved += count(before) if before is not None else 0
                saved -= count(new) if new is not None else 0
                news[old] = new
        _put_copies(draft, self, news, ())


def _put_copies(
    draft: Draft, operation: Operation, news: Mapping[int, Message | None], gone: Collection[int]
) -> None:
    """Open a batch in which copies are visible in place of messages, and others are hidden."""
    copies = {old: new for old, new in news.items() if new is not None and old not in gone}
    hidden = {*gone, *(old for old, new in news.items() if new is None)}
    if not copies and not hidden:
        return
    fresh = draft.add(list(copies.values()), list(copies)) if copies else ()
    raws = dict(zip(copies, indices_of(fresh), strict=True))
    view = View.of(raws.get(raw, raw) for raw in draft.view if raw not in hidden)
    draft.open_batch(operation, view)


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
    draft: Draft, operation: Replace, selected: Selected, fresh: tuple[Run, ...]
) -> None:
    view = selected.rest.splice(selected.first, selected.first, fresh)
    draft.open_batch(operation, view, tokens=_tokens_after(draft, selected.indices, fresh))


def _tokens_after(draft: Draft, gone: Sequence[int], fresh: Sequence[Run]) -> int:
    lost = draft.tokens_of(runs_of(gone))
    return draft.total(draft.current) - lost + draft.tokens_of(fresh)


NOT = bytes([1] + [0] * 255)
"""A translation that inverts a mask."""


class Range(Model):
    """A half-open range of positions to keep."""

    title = "range"
    start: Counted
    end: Counted

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        known = isinstance(self.start, int) and isinstance(self.end, int)
        if known and self.start >= self.end:
            raise Refused(
                f"start {format_value(self.start)} is not below end {format_value(self.end)}",
                field="start",
                value=self.start,
                legal=f"0…{format_value(self.end - 1)}" if self.end else "an end above 0",
            )
        return self


class Truncate(AsideFields, KeepFields, BatchOperation):
    """Keep a range of the visible messages and hide the rest."""

    title = "TRUNCATE"
    cuts: ClassVar[tuple[str, ...]] = (
        "keep_first",
        "keep_last",
        "remove_first",
        "remove_last",
        "range",
        "max_tokens",
        "max",
    )
    keep_first: Counted | None = Field(default=None, description="Keep this many at the start")
    keep_last: AnyCut | None = Field(default=None, description="Keep this many at the end")
    remove_first: AnyCut | None = Field(default=None, description="Hide this many at the start")
    remove_last: Counted | None = Field(default=None, description="Hide this many at the end")
    range: Annotated[Range, nested(Range)] | None = Field(
        default=None, description="Keep the positions from start up to, not including, end"
    )
    max_tokens: Counted | None = Field(default=None, description="Keep the newest that fit")
    max: OneCut | None = Field(
        default=None,
        description="Keep the newest that fit beside what is left alone",
        json_schema_extra=ADVANCED,
    )
    inside: Annotated[str, one_of("items")] | None = Field(
        default=None, description="Keep calls of a message at the cut", json_schema_extra=ADVANCED
    )
    role: RoleName | None = Field(default=None, description="Cut only among this role")
    keep_others: Flag = Field(default=False, description="Other roles stay")
    keep_system: Flag = Field(default=False, description="System messages stay")
    keep_pairs: KeepPairs = Field(
        default=False, description="Never split a tool call from its results"
    )

    @model_validator(mode="after")
    def _cuts_something(self) -> Self:
        if all(getattr(self, name) is None for name in self.cuts):
            legal = "keepFirst, keepLast, removeFirst, removeLast, range, maxTokens, max"
            raise Refused(
                f"TRUNCATE cuts nothing; give at least one of {legal} "
                "(FILTER keeps or drops whole roles)",
                field="keepLast",
                legal=legal,
            )
        if self.keep_others and self.role is None:
            raise Refused(
                "keepOthers true has no meaning without a role",
                field="keepOthers",
                value=True,
                legal="true only together with role",
            )
        return self

    def apply(self, draft: Draft) -> None:
        view, aside = draft.view, self.set_aside(draft)
        gone: tuple[View, ...]
        if self.role is None and not (
            self.keep_system or self.keep_roles or self.keep_marks or aside
        ):
            lo, hi = self._window(draft, view, EMPTY)
            kept, gone, chosen = view[lo:hi], (view[:lo], view[hi:]), view
            if not self.keep_pairs and not self.inside:
                draft.open_batch(self, kept, tokens=_tokens_left(draft, kept, *gone))
                return
        else:
            mask, chosen, lo, hi = self._kept_mask(draft, aside)
            kept, gone = view.where(mask), ()
            # Only messages with a call or a result can split an exchange.
            linked = view.column(draft.log.flags).translate(flag_table(LINKED))
            if self.keep_pairs and 1 in without(linked, mask):
                gone = (view.where(mask.translate(NOT)),)
        if self.keep_pairs and gone:
            kept = self._whole_pairs(draft, kept, *gone)
        if self.inside and lo and self._keeps_calls(draft, kept, chosen, lo, hi):
            return
        draft.open_batch(self, kept)

    def _keeps_calls(self, draft: Draft, kept: View, chosen: View, lo: int, hi: int) -> bool:
        """Keep calls of the message at the cut that still fit, as a copy; return whether any do."""
        if not isinstance(self.keep_last, Cut) or self.keep_last.items is None:
            return False
        raw, tail = chosen[lo - 1], MessageSequence(draft, list(chosen[lo:hi]))
        size = worked_out(self.keep_last.items, MessageSequence(draft, list(chosen[:hi])).look)
        copy = with_newest_calls(draft.log[raw], floor(size) - tail.count("items"))
        if copy is None or details_of(draft.log, raw).is_result:
            return False
        stays = {*kept, raw}
        _put_copies(draft, self, {raw: copy}, {one for one in draft.view if one not in stays})
        return True

    def _window(self, state: State, candidates: View, aside: View) -> tuple[int, int]:
        """Return the range of the candidates that all cuts leave, applied in their fixed order."""
        lo, hi = 0, len(candidates)

        def at_hand() -> MessageSequence:
            return MessageSequence(state, list(candidates[lo:hi]))

        def count(amount: Amount) -> int:
            known = amount if isinstance(amount, int) else worked_out(amount, at_hand().look)
            return max(0, floor(known))

        if self.keep_first is not None:
            hi = min(hi, lo + count(self.keep_first))
        if isinstance(self.keep_last, Cut):
            lo += self.keep_last.start_of_tail(at_hand())
        elif self.keep_last is not None:
            lo = max(lo, hi - count(self.keep_last))
        if isinstance(self.remove_first, Cut):
            lo += self.remove_first.stop_of_head(at_hand())
        elif self.remove_first is not None:
            lo = min(hi, lo + count(self.remove_first))
        if self.remove_last is not None:
            hi = max(lo, hi - count(self.remove_last))
        if self.range is not None:
            start, end = count(self.range.start), count(self.range.end)
            lo, hi = min(lo + start, hi), min(lo + end, hi)
        if self.max_tokens is not None:
            budget = count(self.max_tokens) - state.log.total(aside, state.counter)
            lo = hi - state.log.longest_suffix(candidates[lo:hi], budget, state.counter)
        if self.max is not None:
            lo += self.max.start_of_tail(at_hand(), list(aside))
        return lo, hi

    def _kept_mask(self, state: State, left_alone: Sequence[int]) -> tuple[bytes, View, int, int]:
        """Return a mask of what stays if some messages are set aside and only the rest is cut.

        With it come the candidates, and the range of them that stays.
        """
        view = state.view
        aside = self.aside_mask(state, *self._system())
        if left_alone:
            aside = either(aside, raw_mask(state, left_alone))
        if self.role is None:
            candidates = aside.translate(NOT)
        else:
            candidates = without(role_mask(state, (self.role,)), aside)
        if self.role is not None and self.keep_others:
            aside = either(aside, role_mask(state, [role for role in ROLES if role != self.role]))
        chosen = view.where(candidates)
        lo, hi = self._window(state, chosen, view.where(aside))
        if lo == hi:
            return aside, chosen, lo, hi
        first, last = view.position(chosen[lo]), view.position(chosen[hi - 1])
        assert first is not None
        assert last is not None
        window = either(aside[first : last + 1], candidates[first : last + 1])
        return aside[:first] + window + aside[last + 1 :], chosen, lo, hi

    def _system(self) -> tuple[str, ...]:
        return ("system",) if self.keep_system else ()

    def _whole_pairs(self, state: State, kept: View, *gone: View) -> View:
        """Return what stays if every exchange the cut would split is kept or hidden as a whole."""
        roles = {*(self.keep_roles or ()), *self._system()}
        marked = marked_with(state, self.keep_marks or ())

        def is_firm(raw: int) -> bool:
            return state.log[raw].role in roles or raw in marked

        def is_other(raw: int) -> bool:
            return bool(self.keep_others) and state.log[raw].role != self.role

        extend = self.keep_pairs == "extend" and self.max_tokens is None
        back: list[int] = []
        away: list[int] = []
        for exchange, staying in splits(state.log, state.view, kept, *gone):
            if any(map(is_firm, exchange)) or (extend and not all(map(is_other, staying))):
                back += exchange
            else:
                away += staying
        if not back and not away:
            return kept
        leaving = spans_of(run for part in gone for run in part.runs())
        leaving = subtract(leaving, spans_of(runs_of(sorted(back))))
        runs = [(start, stop - start) for start, stop in leaving]
        going = spans_of([*runs_of(sorted(away)), *runs])
        return state.view.cut(going)[0] if going else state.view


def _tokens_left(state: State, kept: View, *gone: View) -> int:
    """Return the tokens of what is kept, summed up on the side that has fewer runs."""
    if sum(view.run_count for view in gone) > kept.run_count:
        return state.log.total(kept, state.counter)
    total = state.total(state.current)
    return total - sum(state.log.total(view, state.counter) for view in gone)


TOOL_HEADINGS = ("可用工具:", "可用工具\uff1a", "Available tools:")


class Clear(KeepFields, BatchOperation):
    """Hide everything but the system messages, or really everything."""

    title = "CLEAR"
    keep_system_message: Flag = Field(default=True, description="System messages stay")

    def apply(self, draft: Draft) -> None:
        stays = self.aside_mask(draft, *(("system",) if self.keep_system_message else ()))
        draft.open_batch(self, _with_tools(draft, draft.view.where(stays)))


def _with_tools(draft: Draft, view: View) -> View:
    """Return a view that ends with the settings' tool description, if none is visible in it."""
    description = draft.head.settings.tool_description
    if description is None:
        return view
    texts = [draft.log[raw].text for raw in view if draft.log[raw].role == "system"]
    if any(text.lstrip().startswith(TOOL_HEADINGS) or text == description for text in texts):
        return view
    return view.extended(draft.write([Message("system", description)]))


class Filter(KeepFields, BatchOperation):
    """Keep the visible messages that pass all conditions."""

    title = "FILTER"
    roles: Roles | None = Field(default=None, description="Keep these roles")
    content_contains: Words | None = Field(default=None, description="Keep if any word occurs")
    content_excludes: Words | None = Field(default=None, description="Hide if any word occurs")
    marks: Labels | None = Field(default=None, description="Keep if it carries any label")
    ignore_case: Flag = Field(default=False, description="Capital and small letters are alike")

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.roles or self.content_contains or self.content_excludes or self.marks:
            return self
        legal = "roles, contentContains, contentExcludes, marks"
        raise Refused(
            f"FILTER has no condition; give at least one of {legal}", "roles", legal=legal
        )

    def apply(self, draft: Draft) -> None:
        view = draft.view
        passing = view if self.roles is None else view.where(role_mask(draft, self.roles))
        if self.marks is not None:
            marked = marked_with(draft, self.marks)
            passing = View.of(raw for raw in passing if raw in marked)
        if self.content_contains or self.content_excludes:
            passing = View.of(
                raw for raw in passing if self._words_pass(draft.log[raw].search_text)
            )
        if self.keep_roles or self.keep_marks:
            passing = view.where(either(raw_mask(draft, passing), self.aside_mask(draft)))
        draft.open_batch(self, passing)

    def _words_pass(self, text: str) -> bool:
        wanted, unwanted = self.content_contains, self.content_excludes or ()
        if self.ignore_case:
            text = text.casefold()
            wanted = wanted and tuple(word.casefold() for word in wanted)
            unwanted = tuple(word.casefold() for word in unwanted)
        return (wanted is None or has_any(text, wanted)) and not has_any(text, unwanted)


class Select(BatchOperation):
    """Keep only some messages, in the order given."""

    title = "SELECT"
    indices: Indices = Field(description="Raw indices that stay, in their new order")

    def apply(self, draft: Draft) -> None:
        select_visible(draft, self.indices)
        draft.open_batch(self, View.of(self.indices))


class Delete(SelectFields, BatchOperation):
    """Hide messages."""

    title = "DELETE"
    pairs: Annotated[str, one_of("calls")] | None = Field(
        default=None, description="Take out the calls of hidden results", json_schema_extra=ADVANCED
    )
    note: Text | None = Field(
        default=None, description="What replaces a call taken out", json_schema_extra=ADVANCED
    )
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)

    @model_validator(mode="after")
    def _note_has_calls(self) -> Self:
        if self.note is not None and self.pairs is None:
            raise Refused("note has no meaning without pairs", "note", self.note, "pairs calls")
        return self

    def apply(self, draft: Draft) -> Resolved:
        indices, rest, _ = self.selected(draft, skip_hidden=self.skip_hidden)
        if indices and self.pairs is not None:
            self._take_out_calls(draft, indices)
        elif indices:
            tokens = draft.total(draft.current) - draft.tokens_of(runs_of(indices))
            draft.open_batch(self, rest, tokens=tokens)
        return tuple(indices)

    def _take_out_calls(self, draft: Draft, indices: Sequence[int]) -> None:
        """Hide messages, and take the calls of hidden results out of their calling messages."""
        gone = set(indices)
        whole = MessageSequence(draft, list(draft.view))
        callers = {
            one.root: raw
            for raw, one in zip(whole.raws, whole.details, strict=True)
            if one.calls and raw not in gone
        }
        taken: dict[int, list[str]] = {}
        for raw in indices:
            one = details_of(draft.log, raw)
            if one.caller in callers:
                taken.setdefault(callers[one.caller], []).extend(one.results)
        news = {raw: without_calls(draft.log[raw], ids, self.note) for raw, ids in taken.items()}
        _put_copies(draft, self, news, gone)


class BatchStart(BatchOperation):
    """Open a batch; raw indices below the boundary are hidden in it."""

    title = "BATCH_START"
    boundary: Number | None = Field(default=None, description="First raw index that may stay")
    initial_tools: Flag = Field(
        default=False, description="Show the tool description of the settings, if none is visible"
    )
    number: Number | None = Field(default=None, json_schema_extra=INTERNAL)

    def apply(self, draft: Draft) -> None:
        batch = draft.batch
        if self.number is not None and self.number != batch.number + 1:
            raise Refused(
                f"batch {format_value(self.number)} is not {batch.number + 1}, "
                "the number it will get",
                field="batch",
                value=self.number,
                legal=str(batch.number + 1),
            )
        if self.boundary is not None and not batch.boundary <= self.boundary <= draft.seen_size:
            raise out_of_range("boundary", self.boundary, f"{batch.boundary}…{draft.seen_size}")
        view = before = draft.view
        if self.boundary:
            view, _, _ = view.cut([(0, self.boundary)])
        if self.initial_tools:
            view = _with_tools(draft, view)
        tokens = draft.total(draft.current) if view is before else None
        draft.open_batch(self, view, tokens=tokens, boundary=self.boundary)


STUB = "[result removed]"


class Repair(BatchOperation):
    """Make tool calls and results fit together again."""

    title = "REPAIR"
    policy: Annotated[Literal["drop", "restore", "stub"], one_of("drop", "restore", "stub")] = (
        Field(default="drop", description="What to do about a broken pair")
    )

    def apply(self, draft: Draft) -> None:
        log = draft.log
        before = [RepairItem(log[raw].role, log.links(raw), raw) for raw in draft.view]
        items = before
        while (repaired := _round(draft, self, items)) is not None:
            items = repaired
        if items is before:
            return
        news = [item.new for item in items if item.new is not None]
        sources = [_copied_from(message) for message in news]
        fresh = iter(indices_of(draft.add(news, sources)) if news else ())
        view = View.of(next(fresh) if item.raw is None else item.raw for item in items)
        draft.open_batch(self, view)


def _copied_from(message: Message) -> int:
    """Return which message a repair has copied."""
    return MADE if message.metadata is None else message.metadata.get("copiedFrom", MADE)


class RepairItem(NamedTuple):
    """A message of the projection under repair: an old one by raw index, or a new one."""

    role: str
    links: Links
    raw: int | None = None
    new: Message | None = None


def _new(message: Message) -> RepairItem:
    return RepairItem(message.role, links_of(message), new=message)


def _round(state: Draft, operation: Repair, items: list[RepairItem]) -> list[RepairItem] | None:
    """Return the projection after one round of repairs, or None if there is no error."""
    found = pair(
        (position, item.role, item.links)
        for position, item in enumerate(items)
        if item.role == "tool" or item.links.calls or item.links.results
    )
    broken = [
        site
        for site in found.sites
        if _is_broken(site, len(items)) or (items[site.position].new and site.missing())
    ]
    orphans = [one for one in found.orphans if one.id is not None or found.sites]
    if not broken and not orphans:
        return None
    hide: set[int] = set()
    insert: dict[int, list[RepairItem]] = {}
    if operation.policy == "restore":
        insert = _restored(state, items, found, hide)
    else:
        hide.update(position for position, _ in orphans)
    for site in broken:
        if operation.policy == "stub" and site.missing() and not site.displaced:
            stubs = [Message("tool", (ToolResultPart(call, STUB),)) for call in site.missing()]
            insert.setdefault(site.block_end, []).extend(map(_new, stubs))
        else:
            hide.update(site.members())
    return list(_rebuilt(items, hide, insert))


def _is_broken(site: ToolExchange, size: int) -> bool:
    """Return whether an exchange has an error, not only results that are still to come."""
    return bool(site.displaced) or (bool(site.missing()) and not site.waits(size))


def _restored(
    state: Draft, items: list[RepairItem], found: Pairing, hide: set[int]
) -> dict[int, list[RepairItem]]:
    """Return copies of hidden calls, each before its first result; hide results without a call."""
    hidden = _hidden_calls(state, items)
    wanted: dict[int, list[tuple[int, str]]] = {}
    for position, call in found.orphans:
        raw = None if call is None else hidden.get(call)
        if raw is None or call is None:
            if call is not None or found.sites:
                hide.add(position)
        else:
            wanted.setdefault(raw, []).append((position, call))
    copies: dict[int, list[RepairItem]] = {}
    for raw, results in wanted.items():
        first = min(position for position, _ in results)
        copy = _reduced(state.log[raw], raw, {call for _, call in results})
        copies.setdefault(first, []).append(_new(copy))
    return copies


def _hidden_calls(state: Draft, items: list[RepairItem]) -> dict[str, int]:
    """Return for each call id the latest message outside the projection that makes this call."""
    shown = {item.raw for item in items}
    everything = View.of_runs([(0, state.seen_size)])
    return {
        call: raw
        for raw in state.log.with_flag(everything, CALLS)
        if raw not in shown
        for call in state.log.links(raw).calls
    }


def _reduced(message: Message, raw: int, calls: set[str]) -> Message:
    kept = tuple(
        part
        for part in message.parts
        if not isinstance(part, ToolResultPart)
        and (not isinstance(part, ToolUsePart) or part.id in calls)
    )
    return replace(message, content=kept).noted(copiedFrom=raw)


def _rebuilt(
    items: list[RepairItem], hide: set[int], insert: dict[int, list[RepairItem]]
) -> Iterator[RepairItem]:
    for position, item in enumerate(items):
        yield from insert.get(position, ())
        if position not in hide:
            yield item
    yield from insert.get(len(items), ())


class Rollback(DraftOperation):
    """Return to a batch of the path, as it was when the path left it."""

    title = "ROLLBACK"
    target_batch_index: Number = Field(description="Number of a batch on the path")

    def apply(self, draft: Draft) -> None:
        number, newest = self.target_batch_index, draft.batch.number
        if not 0 <= number <= newest:
            legal = f"0…{newest}"
            raise out_of_range("targetBatchIndex", number, legal, why="the batches of this path")
        draft.move(draft.on_path(number).id)


BatchEnd = Rollback


class Checkout(DraftOperation):
    """Go to any batch or revision, also of an abandoned branch."""

    title = "CHECKOUT"
    batch: Number | None = Field(default=None, description="Id of a batch")
    revision: Number | None = Field(default=None, description="Id of a revision")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.batch is None) == (self.revision is None):
            raise Refused(
                "CHECKOUT takes either a batch or a revision",
                field="batch",
                value=self.batch,
                legal="batch or revision",
            )
        return self

    def apply(self, draft: Draft) -> None:
        if self.batch is not None:
            if not 0 <= self.batch < len(draft.batches):
                raise out_of_range("batch", self.batch, f"0…{len(draft.batches) - 1}")
            draft.move(draft.newest(self.batch).id)
            return
        assert self.revision is not None
        if not 0 <= self.revision < len(draft.revisions):
            raise out_of_range("revision", self.revision, f"0…{len(draft.revisions) - 1}")
        draft.move(self.revision)


class Toggle(DraftOperation):
    """Switch past operations off: the later ones of the path run again as a new branch."""

    title = "TOGGLE"
    skip: Indices = Field(description="Ids of the revisions to leave out")

    def apply(self, draft: Draft) -> None:
        skipped = {id: _on_path(draft, id) for id in self.skip}
        current, revisions = draft.current, draft.revisions
        earliest = min(revision.depth for revision in skipped.values())
        depths = range(earliest, current.depth + 1)
        later = [ancestor(revisions, current, depth) for depth in depths]
        draft.move(ancestor(revisions, current, earliest - 1).id)
        for original in later:
            if original.id in skipped:
                continue
            operation = original.operation
            assert isinstance(operation, DraftOperation)
            draft.replaying(original)
            try:
                operation.apply(draft)
            except Refused as refusal:
                raise Refused(
                    f"{operation.title} of revision {original.id} no longer applies: "
                    f"{refusal.sentence}",
                    field=refusal.field,
                    value=refusal.value,
                    legal=refusal.legal,
                ) from None
            draft.replayed()


def _on_path(state: State, id: int) -> Revision:
    if 0 < id < len(state.revisions) and is_on_way(state.revisions, id, state.current):
        return state.revisions[id]
    raise Refused(
        f"skip: revision {format_value(id)} is not an operation on the current path",
        field="skip",
        value=id,
        legal="revisions of the path after 0",
    )


class Undo(Operation):
    """Reverse the newest change that is not yet undone."""

    title = "UNDO"


class Redo(Operation):
    """Repeat the change that was undone last."""

    title = "REDO"


class Mark(SelectFields, DraftOperation):
    """Put a label on messages, visible or not."""

    title = "MARK"
    label: Label = Field(description="The label, 1 to 64 characters")

    def apply(self, draft: Draft) -> tuple[int, ...]:
        indices = _named(draft, self)
        _relabel(draft, self.label, with_indices(draft.head.marks.get(self.label, EMPTY), indices))
        return indices


class Unmark(SelectFields, DraftOperation):
    """Remove a label from messages."""

    title = "UNMARK"
    label: Label = Field(description="The label, 1 to 64 characters")

    def apply(self, draft: Draft) -> tuple[int, ...]:
        indices = _named(draft, self)
        marked = draft.head.marks.get(self.label, EMPTY)
        _relabel(draft, self.label, without_indices(marked, indices))
        return indices


def _named(state: State, operation: Mark | Unmark) -> tuple[int, ...]:
    if operation.indices is None:
        assert operation.select is not None
        return tuple(operation.select.matching(state))
    check_in_log(state, operation.indices)
    return operation.indices


def _relabel(draft: Draft, label: str, marked: View) -> None:
    marks = dict(draft.head.marks)
    if len(marked) == len(marks.get(label, EMPTY)):
        return  # Marking only adds and unmarking only removes, so the same count is the same set.
    if len(marked):
        marks[label] = marked
    else:
        del marks[label]
    draft.set_head(draft.head._replace(marks=marks))


class Describe(DraftOperation):
    """Name a batch."""

    title = "DESCRIBE"
    batch: Number = Field(description="Id of the batch")
    text: Text = Field(description="Its new name")

    def apply(self, draft: Draft) -> None:
        if not 0 <= self.batch < len(draft.batches):
            raise out_of_range("batch", self.batch, f"0…{len(draft.batches) - 1}")
        if draft.named(draft.batches[self.batch]).description != self.text:
            names = {**draft.head.names, self.batch: self.text}
            draft.set_head(draft.head._replace(names=names))


class DescribeMeta(DraftOperation):
    """Change what describes the conversation: its fields, tool definitions and the like.

    A key that is null is removed, the others stay as they are. For programs; no form offers it.
    """

    title = "DESCRIBE_META"
    meta: Annotated[FrozenDict, Checked(freeze_object)]

    def apply(self, draft: Draft) -> None:
        old = draft.head.meta
        new = {key: value for key, value in {**old, **self.meta}.items() if value is not None}
        if new != old:
            draft.set_head(draft.head._replace(meta=FrozenDict(new)))


class Configure(DraftOperation):
    """Change settings from now on."""

    title = "CONFIGURE"
    null_counts = True
    token_limit: Annotated[int | None, Checked(read_limit)] = None
    compression_config: Annotated[CompressionFields, nested(CompressionFields)] | None = None
    tool_description: Annotated[str | None, Checked(read_description)] = None
    counter: Text | None = None
    profile: Annotated[str, one_of(*PROFILES)] | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if not self.model_fields_set:
            legal = "tokenLimit, compressionConfig, toolDescription, counter, profile"
            raise Refused(
                f"CONFIGURE has no setting; give at least one of {legal}", "tokenLimit", legal=legal
            )
        return self

    def settings(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in self.model_fields_set}
        nullable = ("token_limit", "tool_description")
        return {k: v for k, v in given.items() if v is not None or k in nullable}

    def apply(self, draft: Draft) -> None:
        settings = draft.head.settings.changed(self.settings())
        if settings is not draft.head.settings:
            draft.set_head(draft.head._replace(settings=settings))


ALL: tuple[type[Operation], ...] = (
    Append,
    Insert,
    Replace,
    Truncate,
    Clear,
    Filter,
    Select,
    Delete,
    Compress,
    Redact,
    Repair,
    BatchStart,
    Rollback,
    Checkout,
    Toggle,
    Undo,
    Redo,
    Mark,
    Unmark,
    Describe,
    Configure,
)
"""Every operation, in the order of the documentation."""


def apply(draft: Draft, operation: Operation) -> Resolved:
    """Apply one operation to a draft; return the raw indices it resolved, if it did."""
    if isinstance(operation, DraftOperation):
        return operation.apply(draft)
    raise Refused(
        f"{operation.title} can't be part of a list of operations",
        field="operation",
        value=operation.title,
        legal=", ".join(one.title for one in ALL if issubclass(one, DraftOperation)),
    )
