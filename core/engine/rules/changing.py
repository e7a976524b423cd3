"""The operations that add messages: APPEND, INSERT, REPLACE, COMPRESS, REDACT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import Refused, out_of_range
from ..operations import Append, Compress, Insert, Redact, Replace
from ..pairing import splits
from ..state import Draft, State
from ..views import Run, View, indices_of, runs_of, spans_of
from .picks import FEW, Picked, aside_mask, choose, pick, take

Resolved = tuple[int, ...]


def append(draft: Draft, op: Append) -> None:
    """Add messages at the end; the batch stays the same."""
    before = draft.current
    tokens = draft.total(before)
    fresh = draft.add(op.messages)
    draft.grow(op, before.view.extended(fresh), tokens + draft.tokens_of(fresh))


def insert(draft: Draft, op: Insert) -> None:
    """Add messages to the log and show them at a position."""
    view, tokens = draft.view, draft.total(draft.current)
    if not 0 <= op.position <= len(view):
        raise out_of_range("position", op.position, f"0…{len(view)}")
    fresh = draft.add(op.messages)
    tokens += draft.tokens_of(fresh)
    draft.open_batch(op, view.splice(op.position, op.position, fresh), tokens=tokens)


def replace(draft: Draft, op: Replace) -> Resolved | None:
    """Hide old messages and show new ones where the first of them stood."""
    if op.index is not None and op.message is not None:
        view, tokens = draft.view, draft.total(draft.current)
        if not 0 <= op.index < len(view):
            legal = f"0…{len(view) - 1}" if len(view) else "the projection, which is empty"
            raise out_of_range("index", op.index, legal)
        fresh = draft.add((op.message,))
        new, old = view.swap(op.index, fresh)
        tokens += draft.tokens_of(fresh) - draft.log.tokens(old, draft.counter)
        draft.open_batch(op, new, tokens=tokens)
        return None
    assert op.indices is not None
    assert op.messages is not None
    picked = take(draft, op.indices, skip_hidden=op.skip_hidden)
    if not picked.indices:
        raise Refused(
            "REPLACE names hidden messages only; at least one must be visible",
            field="indices",
            value=op.indices,
            legal="one visible message or more",
        )
    fresh = draft.add(op.messages)
    _put_in_place(draft, op, picked, fresh)
    return tuple(picked.indices)


def compress(draft: Draft, op: Compress) -> Resolved:
    """Hide messages and show their summary, if there is one, where the first of them stood."""
    picked = to_compress(draft, op)
    if picked.indices:
        fresh = draft.add(op.summary) if op.summary else ()
        _put_in_place(draft, op, picked, fresh)
    return tuple(picked.indices)


def to_compress(state: State, op: Compress) -> Picked:
    """Return what a COMPRESS hides: what it names, less what it keeps aside."""
    picked = pick(state, op, skip_hidden=op.skip_hidden)
    if op.keep_roles or op.keep_marks or op.keep_pairs:
        going = _to_hide(state, op, picked.indices)
        return take(state, going) if going else Picked((), state.view, -1)
    return picked


def _to_hide(state: State, op: Compress, named: Sequence[int]) -> list[int]:
    """Return what of the named messages goes, and what goes with it: exchanges only as a whole."""
    aside: set[int] = set()
    if op.keep_roles or op.keep_marks:
        aside.update(state.view.where(aside_mask(state, op)))
    going = dict.fromkeys(raw for raw in named if raw not in aside)
    if not op.keep_pairs or not going:
        return list(going)
    gone = View.of(sorted(going))
    kept, _, _ = state.view.cut(spans_of(gone.runs()))
    for exchange, staying in splits(state.log, state.view, kept, gone):
        if op.keep_pairs == "extend" or not aside.isdisjoint(exchange):
            for raw in set(exchange).difference(staying):
                del going[raw]
        else:
            going.update(dict.fromkeys(exchange))
    return list(going)


def redact(draft: Draft, op: Redact) -> Resolved:
    """Replace each message by a copy without its texts and results, in its place."""
    # What is chosen is visible; only what is named has to be looked for.
    named = pick(draft, op).indices if op.select is None else choose(draft, op.select)
    if named:
        copies = [draft.log[raw].redacted(op.text) for raw in named]
        fresh = draft.add(copies, named)
        news = dict(zip(named, indices_of(fresh), strict=True))
        tokens = _tokens_after(draft, named, fresh)
        draft.open_batch(op, _substituted(draft.view, news), tokens=tokens)
    return tuple(named)


def _substituted(view: View, news: Mapping[int, int]) -> View:
    """Return a view with some messages replaced; of few, only their chunks are built anew."""
    if len(news) > FEW:
        return view.substitute(news)
    places = [(view.position(old), new) for old, new in news.items()]
    for at, new in places:
        assert at is not None
        view, _ = view.swap(at, ((new, 1),))
    return view


def _put_in_place(
    draft: Draft, op: Replace | Compress, picked: Picked, fresh: tuple[Run, ...]
) -> None:
    view = picked.rest.splice(picked.first, picked.first, fresh)
    draft.open_batch(op, view, tokens=_tokens_after(draft, picked.indices, fresh))


def _tokens_after(draft: Draft, gone: Sequence[int], fresh: Sequence[Run]) -> int:
    """Return the visible tokens once some messages have given way to others."""
    lost = draft.tokens_of(runs_of(gone))
    return draft.total(draft.current) - lost + draft.tokens_of(fresh)
