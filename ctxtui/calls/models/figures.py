"""Figures of calls: what a provider counted, beside what is counted here for the same request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ctxtui.core import Conversation, Revision
from ctxtui.core.engine.calls import Call, CallUsage
from ctxtui.core.engine.diff import common_prefix
from ctxtui.core.engine.queries import Calls
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import count_definitions

MOSTLY = 0.5
"""The share of a call from which on a prompt cache served most of it."""


class Counted(NamedTuple):
    """What is counted here for a call: all it sent, tools included, and what a cache could serve.

    ``cached`` is None for the first call of a path: what came before it is not known.
    """

    input: int
    cached: int | None


class CallSums(NamedTuple):
    """What providers counted for several calls."""

    calls: int
    input: int
    cached: int


class CallFigures(NamedTuple):
    """The newest call of a path, what is counted here for it, and the sums of the whole path."""

    call: Call
    usage: CallUsage
    counted: Counted
    sums: CallSums


def call_figures(state: State, calls: Calls) -> CallFigures | None:
    """Return the figures of the newest call on a path; None where none was recorded."""
    if not len(calls):
        return None
    call = calls[-1]
    return CallFigures(call, call.usage or CallUsage(), _counted(state, calls), call_sums(calls))


def _counted(state: State, calls: Calls) -> Counted:
    """Return what is counted for the newest call; another model or other tools break the cache."""
    call, before = calls[-1], calls[-2] if len(calls) > 1 else None
    sent, definitions = state.revisions[call.revision], calls.tools.get(call.tools or "", ())
    tools = count_definitions(definitions, state.counter)
    served = None if before is None else 0
    if before is not None and (before.model, before.tools) == (call.model, call.tools):
        served = tools + _kept(state, state.revisions[before.revision], sent)
    return Counted(tools + state.total(sent), served)


def _kept(state: State, before: Revision, after: Revision) -> int:
    return common_prefix(state, before.view, after.view).tokens


def call_sums(calls: Iterable[Call]) -> CallSums:
    """Return what providers counted for some calls."""
    usages = [call.usage or CallUsage() for call in calls]
    return CallSums(
        len(usages),
        sum(usage.input or 0 for usage in usages),
        sum(usage.cached or 0 for usage in usages),
    )


def cached_share(call: Call) -> float | None:
    """Return which part of a call a prompt cache served; None where the provider didn't say."""
    usage = call.usage
    if usage is None or usage.cached is None or not usage.input:
        return None
    return usage.cached / usage.input


def calls_by_batch(conversation: Conversation) -> Mapping[int, list[Call]]:
    """Return the calls of each batch by its id, in the order they were recorded."""
    found: dict[int, list[Call]] = defaultdict(list)
    revisions = conversation.moment.revisions
    for call in conversation.calls.all:
        found[revisions[call.revision].batch].append(call)
    return found
