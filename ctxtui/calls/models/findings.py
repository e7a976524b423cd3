"""Findings over the calls of a conversation, each with the call it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.calls.models.call import RecordedCalls, is_managed, read_seen
from ctxtui.core import Conversation
from ctxtui.core.formats.bodies import run_calls
from ctxtui.core.requests.findings import RunFinding, findings_in


class CallFinding(NamedTuple):
    """A finding, and the number of the call it is about, from 1."""

    number: int
    finding: RunFinding


class ThreadFindings(NamedTuple):
    """Findings over the calls of a conversation when there were so many of them.

    What was seen of each is known, too; where none is managed, it is what was sent.
    """

    calls: int
    is_managed: bool
    findings: list[CallFinding]


def thread_findings(conversation: Conversation) -> ThreadFindings:
    """Return the findings over all calls of a conversation in their order; that takes a moment.

    The calls are numbered as they were recorded.
    """
    count, managed = len(conversation.calls.all), is_managed(conversation)
    read_seen(conversation)
    return ThreadFindings(count, managed, _findings(conversation.copy()))


def _findings(conversation: Conversation) -> list[CallFinding]:
    calls = run_calls([conversation])
    numbers = {id(call): number for number, call in enumerate(conversation.calls.all, 1)}
    by_record = {one.record: numbers[id(one.call)] for one in calls if id(one.call) in numbers}
    found = findings_in(calls)
    return [CallFinding(by_record[one.call], one) for one in found if one.call in by_record]


def findings_on(path: RecordedCalls, findings: Sequence[CallFinding]) -> list[CallFinding]:
    """Return the findings about calls of a path, numbered as these are."""
    numbers = ((path.number_at(number - 1), finding) for number, finding in findings)
    return [CallFinding(number, finding) for number, finding in numbers if number is not None]
