"""The prompt cache: how much of a request had been sent before, and what broke its prefix."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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


def common_prefix(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """Return how many items at the start of two lists (or tuples) are the same."""
    size = min(len(one), len(other))
    if one[:size] == other[:size]:
        return size
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


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
            (common_prefix(call.blocks, blocks), call.number)
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
    at = common_prefix(before, after)
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
