"""Everything that is told of one recorded call, each part worked out when it is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ctxtui.core.engine.calls import CallUsage
from ctxtui.core.engine.state import State
from ctxtui.models.call_cache import CallCache, call_cache
from ctxtui.models.call_evidence import Evidence, evidence_of
from ctxtui.models.call_figures import CallSums, call_sums
from ctxtui.models.call_notes import note, output_tokens, refusal_of
from ctxtui.models.call_path import CallPath, RecordedCall
from ctxtui.models.call_request import RequestRow, request_rows
from ctxtui.models.call_tools import ToolTable, tool_table
from ctxtui.models.look import Look
from ctxtui.models.profile_counts import ProfileCount


class UsageRow(NamedTuple):
    """A figure of a call as it is counted here, and as its provider says."""

    name: str
    estimated: int | None
    measured: int | None


class CallSheet:
    """One call of a path for the call screen; nothing in it changes anything."""

    def __init__(self, path: CallPath, number: int) -> None:
        self.one: RecordedCall = path.at(number)
        self.profiles: dict[str, ProfileCount] = {}
        """What each profile finds, as far as it has been counted."""

    @property
    def number(self) -> int:
        """Return which call of the path it is, from 1."""
        return self.one.number

    @property
    def count(self) -> int:
        """Return how many calls the path has."""
        return len(self.one.path)

    @property
    def look(self) -> Look:
        """Return what was sent."""
        return self.one.look

    @property
    def state(self) -> State:
        """Return what was sent, as a state."""
        return self.one.state

    @cached_property
    def cache(self) -> CallCache:
        """Return what a prompt cache could serve, and did."""
        return call_cache(self.one)

    @cached_property
    def cache_before(self) -> CallCache | None:
        """Return the same of the call before."""
        before = self.one.before
        return None if before is None else call_cache(self.one.path.at(self.number - 1))

    @cached_property
    def request(self) -> list[RequestRow]:
        """Return what was asked for beside the messages."""
        return request_rows(self.one)

    @cached_property
    def usage(self) -> tuple[UsageRow, ...]:
        """Return what was counted here and by the provider."""
        usage, cache = self.one.call.usage or CallUsage(), self.cache
        return (
            UsageRow("input", cache.total, usage.input),
            UsageRow("cached", cache.kept, usage.cached),
            UsageRow("written", None, usage.written),
            UsageRow("output", output_tokens(self.one.call, self.look.counter), usage.output),
        )

    @cached_property
    def sums(self) -> CallSums:
        """Return what providers counted for all calls of the path."""
        return call_sums(self.one.path.calls)

    @cached_property
    def tools(self) -> ToolTable:
        """Return the tools, beside those of the call before."""
        one = self.one
        before = None if one.before is None else one.definitions_before
        return tool_table(before, one.definitions, self.look.counter)

    @cached_property
    def evidence(self) -> Evidence:
        """Return what explains the call."""
        return evidence_of(self.one)

    @property
    def refusal(self) -> str | None:
        """Return what the provider said instead of an answer."""
        return refusal_of(self.one.call.answer)

    @property
    def status(self) -> int | None:
        """Return the status of the answer, where it is known."""
        said = note(self.one.call, "status")
        return said if isinstance(said, int) else None
