"""The prompt cache: how much of a request had been sent before, and what broke its prefix."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..engine.diff import common_start
from ..engine.seen import ProviderEdit, Seen, SeenPiece, SentPiece
from ..engine.views import runs_of
from ..values.models import JsonRecord
from .bodies import ParsedRequest, SentMessage, digest, dumped, tools_in, without_markers

MAX_RUNS = 4


def raws(indices: Iterable[int]) -> str:
    """Return raw indices in words: ``raw 1–3 and 5``."""
    runs = list(runs_of(sorted(indices)))
    named = [str(start) if size == 1 else f"{start}–{start + size - 1}" for start, size in runs]
    if len(named) > MAX_RUNS:
        left = sum(size for _, size in runs[MAX_RUNS:])
        named = [*named[:MAX_RUNS], f"{left} more"]
    return "raw " + listed(named)


def listed(names: list[str]) -> str:
    """Return names with commas and an ``and``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, noun: str = "message") -> str:
    """Return a number with its noun: ``1 message``, ``3 messages``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


NOT_IN_PROMPT = (
    "stream",
    "stream_options",
    "metadata",
    "user",
    "previous_response_id",
    "conversation",
)
"""Parameters that are no part of the prompt."""
ALWAYS_IN_PROMPT = (
    "tool_choice",
    "parallel_tool_calls",
    "thinking",
    "reasoning",
    "reasoning_effort",
    "text",
)
IN_PROMPT = (
    *ALWAYS_IN_PROMPT,
    "response_format",
    "output_config",
    "generationConfig",
    "format",
    "think",
)
"""Parameters that providers put into the prompt, so that they may break a cache."""

MAX_REMEMBERED = 16
"""Calls whose prefix may still be in a cache."""

Tokens = Callable[[int], list[int]]
"""Returns the tokens of the first so many messages."""


@dataclass(frozen=True, slots=True)
class CacheEstimate(JsonRecord):
    """What a cache could serve of a call, computed from what was sent before in the thread.

    ``messages`` and ``tokens`` are how much of the beginning it is, ``total`` the tokens of all;
    ``call`` is the number of the call that it was sent with. ``cause`` says why what the call
    before had sent is not all of that beginning, ``parted`` how many messages at the start were
    written as there where one is not, ``changed`` which parameters differ from it. ``markers`` are
    the positions of messages that ask a provider to cache up to there.
    """

    messages: int
    tokens: int
    total: int
    call: int | None = None
    cause: str | None = None
    parted: int | None = None
    changed: tuple[str, ...] = ()
    markers: tuple[int, ...] = ()


def broke(cache: Mapping[str, object]) -> str | None:
    """Return the stored cause of a call if a cache could not serve all that it could before.

    A request that goes back to an earlier one is served, though the last one differs.
    """
    cause, parted, kept = cache.get("cause"), cache.get("parted"), cache.get("messages")
    is_whole = cache.get("tokens") == cache.get("total")
    if isinstance(parted, int) and isinstance(kept, int) and (is_whole or kept > parted):
        return None
    return cause if isinstance(cause, str) else None


class CallPrefix(NamedTuple):
    """The prefix of a call: the digests of its tools and messages."""

    number: int
    model: str | None
    blocks: tuple[bytes, ...]


class PrefixCache:
    """Remembers the last requests of a thread, as a provider may."""

    def __init__(self, calls: int = 0) -> None:
        """Begin with so many calls that were made before, of which the last are remembered."""
        self._calls: deque[CallPrefix] = deque(maxlen=MAX_REMEMBERED)
        self._count = max(0, calls - MAX_REMEMBERED)
        self._sizes: dict[bytes, int] = {}
        self._recalled: list[tuple[ParsedRequest, Sequence[SentMessage]]] = []
        self._last: tuple[ParsedRequest, tuple[bytes, ...], tuple[bytes, ...]] | None = None

    def measure(
        self,
        request: ParsedRequest,
        sent: Sequence[SentMessage],
        tokens: Tokens,
        text_tokens: Callable[[str], int],
    ) -> CacheEstimate:
        """Return how much of a call could have been served, and remember it for the next."""
        if self._recalled:
            self._take_up(request, sent)
        if request.is_thread and request.tools is None and self._last is not None:
            request = replace(request, tools=self._last[0].tools)  # The provider keeps them.
        tools = [dumped(without_markers(tool)) for tool in request.tools or ()]
        digests, strict = tuple(map(digest, tools)), tuple(one.strict for one in sent)
        for key, tool in zip(digests, tools, strict=True):
            if key not in self._sizes:
                self._sizes[key] = text_tokens(tool.decode())
        sizes = [*(self._sizes[key] for key in digests), *tokens(len(sent))]
        blocks, call = self._longest(request.model, (*digests, *strict))
        cause, changed = self._cause(request, digests, strict)
        parted = None if self._last is None else _first_difference(self._last[2], strict)
        self._last = request, digests, strict
        return CacheEstimate(
            messages=max(0, blocks - len(tools)),
            tokens=sum(sizes[:blocks]),
            total=sum(sizes),
            call=call,
            cause=cause,
            parted=parted,
            changed=changed,
            markers=tuple(place for place, one in enumerate(sent) if one.is_marked),
        )

    def recall(self, calls: Sequence[tuple[ParsedRequest, Sequence[SentMessage]]]) -> None:
        """Remember the last calls of an earlier run, which were measured at their time."""
        self._recalled = [*calls]

    def _take_up(self, request: ParsedRequest, sent: Sequence[SentMessage]) -> None:
        """Add what was recalled, as the call wrote it that continues from there.

        The order of the keys of objects was not stored, so it can't be compared.
        """
        recalled, self._recalled = self._recalled, []
        now = [*(tool for tool in request.tools or ()), *(one.rows for one in sent)]
        strict = (*map(_tool_digest, request.tools or ()), *(one.strict for one in sent))
        same = dict(zip(map(_unordered, now), strict, strict=True))
        known: dict[int, bytes] = {}
        for before, seen in recalled:
            for one in seen:
                if id(one) not in known:
                    known[id(one)] = same.get(_unordered(one.rows), one.strict)
            tools = tuple(
                same.get(_unordered(one), _tool_digest(one)) for one in before.tools or ()
            )
            blocks = tuple(known[id(one)] for one in seen)
            self._longest(before.model, (*tools, *blocks))
            self._last = before, tools, blocks

    def _longest(self, model: str | None, blocks: tuple[bytes, ...]) -> tuple[int, int | None]:
        """Return how many blocks were sent before, and with which call; remember all of them."""
        known = [
            (common_start(call.blocks, blocks), call.number)
            for call in self._calls
            if call.model == model
        ]
        length, number = max(known, default=(0, 0))
        self._calls.append(CallPrefix(self._count, model, blocks))
        self._count += 1
        return length, number if length else None

    def _cause(
        self, request: ParsedRequest, tools: tuple[bytes, ...], sent: tuple[bytes, ...]
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return why the prefix of a call differs from the one before, if it does."""
        if self._last is None:
            return None, ()
        before, old_tools, old_sent = self._last
        changed = _changed(before, request)
        if before.model != request.model:
            return (
                f"the model changed from {before.model} to {request.model}: nothing fits",
                changed,
            )
        if tools != old_tools:
            return _tools_cause(before, request, tools, old_tools), changed
        at = _first_difference(old_sent, sent)
        if at is not None and at < len(sent):
            return f"message {at} changed: the cache breaks there", changed
        if at is not None:
            return f"{counted(len(old_sent) - at)} at the end went", changed
        shaping = [name for name in changed if name in IN_PROMPT]
        return f"parameters changed: {listed(shaping)}" if shaping else None, changed


def _tool_digest(tool: object) -> bytes:
    return digest(dumped(without_markers(tool)))


def _unordered(value: object) -> bytes:
    """Return a digest that does not depend on the order of keys."""
    return digest(dumped(without_markers(value), in_order=False))


def _first_difference(before: Sequence[bytes], after: Sequence[bytes]) -> int | None:
    """Return where the first of two stops being a prefix of the second."""
    at = common_start(before, after)
    return at if at < len(before) else None


def _changed(before: ParsedRequest, request: ParsedRequest) -> tuple[str, ...]:
    """Return the names of the parameters that differ and may be in the prompt."""
    names = {**before.parameters, **request.parameters}
    return tuple(
        name
        for name in names
        if name not in NOT_IN_PROMPT
        and without_markers(before.parameters.get(name))
        != without_markers(request.parameters.get(name))
    )


def _tools_cause(
    before: ParsedRequest,
    request: ParsedRequest,
    tools: Sequence[bytes],
    old_tools: Sequence[bytes],
) -> str:
    """Return how tools changed, which come first in a prompt."""
    if not tools:
        return "tools vanished: the cache breaks at 0"
    if not old_tools:
        return "tools came: the cache breaks at 0"
    at = _first_difference(old_tools, tools)
    names, old_names = tools_in(request.tools), tools_in(before.tools)
    gone = [name for name in old_names if name not in names]
    came = [name for name in names if name not in old_names]
    said = [
        *([f"{listed(gone)} vanished"] if gone else []),
        *([f"{listed(came)} came"] if came else []),
    ]
    what = " and ".join(said) or "tools were written differently"
    return f"{what}: the cache breaks at tool {len(old_tools) if at is None else at}"


# What a model saw of two calls, which may differ where what was sent does not


class SeenStart(NamedTuple):
    """What two calls have in common at the start of what their model saw.

    ``tokens`` of ``total`` are common, ``inside`` of these in the piece ``at``, the first of the
    earlier call that differs. ``edit`` is what the provider did there, if that is why.
    """

    pieces: int
    tokens: int
    total: int
    inside: int = 0
    at: SeenPiece | None = None
    edit: ProviderEdit | None = None


def seen_start(before: Seen, now: Seen, count: Callable[[str], int]) -> SeenStart | None:
    """Compare what a model saw of two calls; None where that is not known of both.

    ``count`` counts the tokens of a text.
    """
    if before.view is None or now.view is None:
        return None
    texts = [said_in(one) for one in now.view]
    sizes = [count(text) if text else 0 for text in texts]
    pairs = zip(before.view, now.view, strict=False)
    length = next((at for at, pair in enumerate(pairs) if not _is_same(*pair)), None)
    if length is None:
        length = min(len(before.view), len(now.view))
    found = SeenStart(length, sum(sizes[:length]), sum(sizes))
    if length == len(before.view):
        return found
    was = before.view[length]
    found = found._replace(at=was, edit=_edit_at(before, now, length))
    if length < len(now.view) and was.role == now.view[length].role:
        old = said_in(was)
        common = texts[length][: common_start(old, texts[length])]
        inside = count(common) if common else 0
        found = found._replace(tokens=found.tokens + inside, inside=inside)
    return found


def _is_same(one: SeenPiece, other: SeenPiece) -> bool:
    if (one.shown, one.role) != (other.shown, other.role):
        return False
    if one.shown == "cleared":
        return _named(one.piece) == _named(other.piece)
    if one.data is other.data:
        return True
    return dumped(without_markers(one.data)) == dumped(without_markers(other.data))


def _edit_at(before: Seen, now: Seen, at: int) -> ProviderEdit | None:
    """Return the edit of one call, and not of the other, by which they differ at a place."""
    assert before.view is not None
    assert now.view is not None
    gone = _new_edits(now, before).get(_named(before.view[at].piece))
    if gone is not None or at == len(now.view):
        return gone
    return _new_edits(before, now).get(_named(now.view[at].piece))


def _new_edits(seen: Seen, other: Seen) -> dict[object, ProviderEdit]:
    """Return the edits of a call by the pieces that only they concern."""
    known = {(edit.kind, _named(piece)) for edit in other.edits for piece in edit.pieces}
    return {
        _named(piece): edit
        for edit in seen.edits
        if edit.kind != "PUT_IN_FRONT"
        for piece in edit.pieces
        if (edit.kind, _named(piece)) not in known
    }


def _named(piece: SentPiece) -> object:
    """Return a name of a piece that stays the same from call to call."""
    return piece.path if piece.raw is None else (piece.raw, piece.part)


NOT_SAID = (
    *("type", "role", "id", "tool_use_id", "call_id", "status", "signature", "cache_control"),
    *("encrypted_content", "is_error", "data", "source", "image_url"),
)
"""Fields of a piece that are no text."""


def said_in(one: SeenPiece) -> str:
    """Return the text of a piece as far as the model saw it."""
    if one.shown in ("cleared", "opaque"):
        return ""
    data = one.data
    if one.shown == "input cleared" and isinstance(data, Mapping):
        data = {"name": data.get("name")}
    return "\n".join(_texts(data))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in NOT_SAID:
                yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
