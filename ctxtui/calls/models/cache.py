"""The prompt cache of a call: what could be served, what the provider says, and what broke it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ctxtui.calls.models.call import (
    NotedCache,
    RecordedCall,
    diagnosis_of,
    first_change,
    note,
    noted_cache,
    tool_table,
)
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.diff import common_prefix
from ctxtui.core.engine.tokens import count_definitions
from ctxtui.core.requests.bodies import MARKER, without_markers
from ctxtui.core.requests.cache import IN_PROMPT, NOT_IN_PROMPT
from ctxtui.core.values.models import ROLES

BreakKind = Literal["first", "model", "tools", "message", "written", "end", "parameters", "whole"]
Agreement = Literal[
    "unsaid", "first", "agrees", "blocks", "counting", "short", "unasked", "less", "more"
]
"""Whether what a provider served is what was computed, and the likeliest reason if not."""

FEW = 4
"""Tokens by which an estimate may differ in a request of any size; in larger ones it is 3 %."""
BLOCKS = (16, 32, 64, 128)
BLOCK = BLOCKS[-1]
"""Tokens of the blocks in which providers are known to serve, and of the largest."""
FEWEST = 1_024
"""Tokens below which most providers keep nothing."""
SYSTEM = ROLES.index("system")


class Break(NamedTuple):
    """Where a call begins to differ from the call before, and what stands there on both sides.

    ``position`` is that of a message, or of a tool where tools are the kind. ``names`` are those of
    what changed: parameters, or the two models.
    """

    kind: BreakKind
    position: int | None = None
    was: int | None = None
    now: int | None = None
    names: tuple[str, ...] = ()

    @property
    def is_loss(self) -> bool:
        """Tell whether something that the call before had sent can't be served any more."""
        return self.kind in ("model", "tools", "message", "written")


class CallCache(NamedTuple):
    """What a prompt cache could serve of a call, beside what its provider says it served.

    ``kept`` of ``total`` tokens are computed, by the recorder's strict ruler or else by what the
    engine takes for the same; None for a first call. ``tools`` and ``system`` are the tokens that
    stand in front of the other messages. ``source`` is another call than the one before, where that
    began in the same way for longer; ``is_elsewhere`` that it is not on this path.
    """

    is_strict: bool
    kept: int | None
    kept_messages: int
    total: int
    tools: int
    system: int
    cached: int | None
    written: int | None
    input: int | None
    broke: Break
    agreement: Agreement
    shared: int | None = None
    """Messages at the start that the call before had sent as well; None where it sent no more."""
    source: int | None = None
    is_elsewhere: bool = False
    markers: tuple[int, ...] = ()
    diagnosis: str | None = None

    @property
    def scale(self) -> int:
        return max(self.total, self.input or 0, self.cached or 0)

    @property
    def read(self) -> int:
        """Return the tokens that were not served: measured where that is known."""
        if self.cached is not None and self.input is not None:
            return max(0, self.input - self.cached)
        return self.total - (self.kept or 0)

    @property
    def expected(self) -> int:
        """Return what is computed to be kept, in the provider's tokens where it counted."""
        kept = self.kept or 0
        return round(kept * self.input / self.total) if self.input and self.total else kept


def call_cache(one: RecordedCall) -> CallCache:
    """Return the prompt cache of a call."""
    noted, usage = noted_cache(one.call), one.call.usage
    messages = one.state.total(one.state.current)
    broke = _break(one, noted)
    if noted is None:
        tools = count_definitions(one.definitions, one.look.counter)
        kept, kept_messages = _estimate(one, broke, tools)
        total = tools + messages
    else:
        kept = None if one.before is None else noted.tokens
        kept_messages, total = noted.messages, noted.total
        tools = max(0, total - messages)
    made = CallCache(
        is_strict=noted is not None,
        kept=kept,
        kept_messages=kept_messages,
        total=total,
        tools=tools,
        system=_system_tokens(one),
        cached=None if usage is None else usage.cached,
        written=None if usage is None else usage.written,
        input=None if usage is None else usage.input,
        broke=broke,
        agreement="unsaid",
        shared=_shared(one),
        markers=() if noted is None else noted.markers,
        diagnosis=diagnosis_of(one.call.answer),
    )
    if noted is not None and kept and noted.place is not None and one.before is not None:
        number = one.path.number_at(noted.place)
        is_other = noted.place != one.path.place(one.before)
        made = made._replace(
            source=number if is_other else None, is_elsewhere=is_other and number is None
        )
    return made._replace(agreement=_agreement(one, made))


def _estimate(one: RecordedCall, broke: Break, tools: int) -> tuple[int | None, int]:
    """Return what a cache could serve as far as the engine can tell, in tokens and messages."""
    was = one.revision_before
    if was is None:
        return None, 0
    if broke.kind == "model":
        return 0, 0
    if broke.kind == "tools":
        counter = one.look.counter
        return tool_table(one.definitions_before, one.definitions, counter).served, 0
    prefix = common_prefix(one.state, was.view, one.view)
    return tools + prefix.tokens, prefix.messages


def _shared(one: RecordedCall) -> int | None:
    """Return where the messages part, whatever stands in front of them; None where they don't."""
    was = one.revision_before
    if was is None:
        return None
    shared = common_prefix(one.state, was.view, one.view).messages
    return None if shared == len(was.view) else shared


def _break(one: RecordedCall, noted: NotedCache | None) -> Break:
    before, was = one.before, one.revision_before
    if before is None or was is None:
        return Break("first")
    if before.model != one.call.model:
        return Break("model", names=(before.model or "none", one.call.model or "none"))
    at = first_change(one.definitions_before, one.definitions)
    if at is not None:
        return Break("tools", at)
    position = common_prefix(one.state, was.view, one.view).messages
    if noted is not None and noted.place in (None, one.path.place(before)):
        position = min(noted.messages, len(was.view), len(one.view))
    elif noted is not None and noted.parted is not None and one.follows:
        position = min(noted.parted, position)
    if position < len(was.view):
        if position == len(one.view):
            return Break("end", position, was.view[position])
        old, new = was.view[position], one.view[position]
        return Break("written" if old == new else "message", position, old, new)
    changed = tuple(name for name in changed_parameters(one) if name in IN_PROMPT)
    return Break("parameters", names=changed) if changed else Break("whole", position)


def changed_parameters(one: RecordedCall) -> list[str]:
    """Return the parameters that differ from those of the call before, in their order."""
    if one.before is None:
        return []
    old, new = parameters_of(one.before), parameters_of(one.call)
    return [
        name
        for name in {**old, **new}
        if name not in NOT_IN_PROMPT
        and without_markers(old.get(name)) != without_markers(new.get(name))
    ]


def parameters_of(call: Call) -> Mapping[str, Any]:
    """Return the parameters of a call; none where none are known."""
    return {} if call.parameters is None else call.parameters


def _system_tokens(one: RecordedCall) -> int:
    """Return the tokens of the system's messages that stand in front of all others."""
    log, total = one.state.log, 0
    for raw in one.view:
        if log.roles(raw, raw + 1)[0] != SYSTEM:
            break
        total += one.look.tokens(raw)
    return total


def _agreement(one: RecordedCall, cache: CallCache) -> Agreement:
    """Return how what was served compares with what could have been."""
    cached = cache.cached
    if cached is None:
        return "unsaid"
    if cache.kept is None:
        return "first"
    by, near = cached - cache.expected, max(FEW, round(0.03 * (cache.input or cache.total)))
    if abs(by) <= near:
        return "agrees"
    if by > 0:
        return "more" if by > BLOCK + near else "counting"
    if not cached and _asks_nothing(one, cache):
        return "unasked"
    if not cached and cache.expected < FEWEST:
        return "short"
    if -by >= BLOCK + near:
        return "less"
    is_whole = any(cached % size == 0 and -by < size + near for size in BLOCKS)
    return "blocks" if cached and is_whole else "counting"


def _asks_nothing(one: RecordedCall, cache: CallCache) -> bool:
    """Tell whether a request had to ask for caching, and did not."""
    asked = MARKER in parameters_of(one.call) or bool(cache.markers)
    return note(one.call, "kind") == "messages" and not asked and cache.tools == 0
