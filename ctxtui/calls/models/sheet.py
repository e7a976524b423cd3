"""What a call asked for beside its messages, and what of that is new since the call before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ctxtui.calls.models.cache import CallCache, call_cache, changed_parameters, parameters_of
from ctxtui.calls.models.call import (
    CallSums,
    RecordedCall,
    ToolTable,
    attempts,
    finish_of,
    note,
    noted_cache,
    output_tokens,
    path_of,
    refusal_of,
    removed_of,
    took,
    tool_table,
)
from ctxtui.calls.models.explanation import Evidence, evidence_of
from ctxtui.core.engine.calls import Call, CallUsage
from ctxtui.core.engine.state import State
from ctxtui.core.requests.exchange import SUCCESS
from ctxtui.core.values.frozen import thaw
from ctxtui.inspector.models.lint import ProfileCount
from ctxtui.inspector.models.look import Look
from ctxtui.text.plurals import removed_words

MOST_MARKERS = 6
WORDS = {True: "yes", False: "no", None: "null"}


class RequestRow(NamedTuple):
    """Something of a request as text: what it is, and what it was where that is known to differ."""

    name: str
    now: str
    was: str | None = None


def request_rows(one: RecordedCall) -> list[RequestRow]:
    """Return all that is known of a request, in the order one asks."""
    return [row for row in _rows(one) if row.now or row.was]


def _rows(one: RecordedCall) -> Iterator[RequestRow]:
    call, before = one.call, one.before
    yield _compared("model", call.model, None if before is None else before.model, before)
    yield _compared("endpoint", path_of(call), None if before is None else path_of(before), before)
    yield from _parameters(one)
    now, was = len(one.definitions), len(one.definitions_before)
    if now or was:
        yield _compared("tools", f"{now:,}", f"{was:,}", before)
    noted = noted_cache(call)
    if noted is not None and noted.markers:
        told = ", ".join(str(place) for place in noted.markers[:MOST_MARKERS])
        more = " …" if len(noted.markers) > MOST_MARKERS else ""
        yield RequestRow("cache marks", f"messages {told}{more}")
    carried = note(call, "carried")
    if isinstance(carried, list | tuple) and len(carried) == 2:  # noqa: PLR2004 - from and up to
        yield RequestRow("carried", f"positions {carried[0]} up to {carried[1]} by an id, not sent")
    yield RequestRow("finish", finish_of(call.answer) or "")
    removed = removed_of(call)
    yield RequestRow("secrets", removed_words(removed) if removed else "")
    yield from _course(one)


def _parameters(one: RecordedCall) -> Iterator[RequestRow]:
    old = {} if one.before is None else parameters_of(one.before)
    new, changed = parameters_of(one.call), set(changed_parameters(one))
    for name in {**old, **new}:
        now = parameter_text(new[name]) if name in new else ""
        was = parameter_text(old[name]) if name in old else ""
        if name in new or name in changed:
            yield RequestRow(name, now, was or "none" if name in changed else None)


def _course(one: RecordedCall) -> Iterator[RequestRow]:
    """Yield how it went: status, retries, the provider's name of it, and how long after."""
    call, status, times = one.call, note(one.call, "status"), took(one.call)
    if isinstance(status, int) and status not in SUCCESS:
        yield RequestRow("status", str(status))
    tries = attempts(call)
    if tries:
        yield RequestRow("retry", f"yes, after {tries:,} before it")
    yield RequestRow("answer id", call.request or "")
    if times is not None:
        yield RequestRow("first byte", f"after {waited_text(times.first)}")
        yield RequestRow("took", waited_text(times.whole))
    if one.waited is not None and one.waited:
        yield RequestRow("sent", f"{waited_text(one.waited)} after call {one.number - 1:,}")


def _compared(name: str, now: str | None, was: str | None, before: Call | None) -> RequestRow:
    is_changed = before is not None and now != was
    return RequestRow(name, now or "", (was or "none") if is_changed else None)


def parameter_text(value: object) -> str:
    """Return a parameter in a few characters, as a reader would write it."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return WORDS[value]
    if isinstance(value, int) and abs(value) < 10**15:
        return f"{value:,}"
    return json.dumps(thaw(value), ensure_ascii=False, separators=(", ", ": "))


def waited_text(milliseconds: int) -> str:
    """Return how long something took in the unit that fits."""
    seconds = milliseconds / 1000
    if seconds < 0.1:  # noqa: PLR2004 - below that there is no decimal to tell
        return f"{milliseconds} ms"
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes < 120 else f"{round(minutes / 60):,} h"  # noqa: PLR2004


# Everything that is told of one recorded call, each part worked out when it is asked for.


class UsageRow(NamedTuple):
    """A figure of a call as it is counted here, and as its provider says."""

    name: str
    estimated: int | None
    measured: int | None


class CallSheet:
    """Everything that is shown of one call, each part worked out when it is needed."""

    def __init__(self, one: RecordedCall) -> None:
        self.one = one
        self.profiles: dict[str, ProfileCount] = {}
        """What each profile finds, as far as it has been counted."""

    @property
    def number(self) -> int:
        return self.one.number

    @property
    def count(self) -> int:
        return len(self.one.path)

    @property
    def look(self) -> Look:
        return self.one.look

    @property
    def state(self) -> State:
        return self.one.state

    @cached_property
    def cache(self) -> CallCache:
        """Return what a prompt cache could serve, and did."""
        return call_cache(self.one)

    @cached_property
    def cache_before(self) -> CallCache | None:
        before = self.one.before
        return None if before is None else call_cache(self.one.path.at(self.number - 1))

    @cached_property
    def request(self) -> list[RequestRow]:
        return request_rows(self.one)

    @cached_property
    def usage(self) -> tuple[UsageRow, ...]:
        usage, cache = self.one.call.usage or CallUsage(), self.cache
        return (
            UsageRow("input", cache.total, usage.input),
            UsageRow("cached", cache.kept, usage.cached),
            UsageRow("written", None, usage.written),
            UsageRow("output", output_tokens(self.one.call, self.look.counter), usage.output),
        )

    @cached_property
    def sums(self) -> CallSums:
        return self.one.path.sums

    @cached_property
    def tools(self) -> ToolTable:
        one = self.one
        before = None if one.before is None else one.definitions_before
        return tool_table(before, one.definitions, self.look.counter)

    @cached_property
    def evidence(self) -> Evidence:
        return evidence_of(self.one)

    @property
    def refusal(self) -> str | None:
        return refusal_of(self.one.call.answer)

    @property
    def status(self) -> int | None:
        said = note(self.one.call, "status")
        return said if isinstance(said, int) else None
