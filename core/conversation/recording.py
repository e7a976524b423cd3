"""Recording: what is kept of the requests that were really made, beside what they were made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from ..errors import Refused, shown
from ..history.call import Call, CallUsage, read_definitions, tools_key
from ..history.draft import changed_meanwhile
from ..history.journal import Noted, Record, Usage
from ..history.state import Stored
from ..queries.totals import UsageTotal, charged, usage_total


class Recording:
    """Notes of requests: journaled, never undone; they change no view and leave REDO alone."""

    _state: Stored
    _journal: list[Record]
    _usage: list[Usage]
    _guard: Lock

    def _now(self) -> int:
        raise NotImplementedError

    @property
    def usage(self) -> UsageTotal:
        """Return what providers charged, over the conversation's whole life."""
        return usage_total(self._usage)

    def record_usage(
        self,
        prompt: int,
        completion: int = 0,
        total: int | None = None,
        request: str | None = None,
    ) -> Usage:
        """Keep what a provider said a request cost; journaled, never undone."""
        usage = Usage(prompt=prompt, completion=completion, total=total, request=request)
        now = self._now()
        with self._guard:
            self._add(usage, now)
        return usage

    def record_call(  # noqa: PLR0913 - a request has so many parts
        self,
        *,
        request: str | None = None,
        model: str | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parameters: Mapping[str, Any] | None = None,
        usage: CallUsage | Mapping[str, Any] | None = None,
        answer: Any = None,
        wire: Mapping[str, Any] | None = None,
        outcome: str = "complete",
        time: int | None = None,
    ) -> Call:
        """Keep that the projection of the current revision was sent; journaled, never undone.

        Tool definitions are kept once, however many calls have the same. It is refused where
        another thread moves the conversation to another revision meanwhile.
        """
        now, version, revision = self._now(), self._state.version, self._state.head.revision
        definitions = None if tools is None else read_definitions(tools, "tools")
        key = None if definitions is None else tools_key(definitions)
        given = {
            "request": request,
            "model": model,
            "tools": key,
            "definitions": None if key in self._state.calls.tools else definitions,
            "parameters": parameters,
            "usage": usage,
            "answer": answer,
            "wire": wire,
        }
        call = Call(
            revision=revision,
            time=now if time is None else time,
            outcome=outcome,
            **{name: value for name, value in given.items() if value is not None},
        )
        with self._guard:
            if revision != self._state.head.revision:
                raise changed_meanwhile(version, self._state)
            known = call.tools in self._state.calls.tools
            self._add(call.without_definitions() if known else call, now)
        return call.without_definitions()

    def _add(self, noted: Noted, moment: int) -> None:
        """Put a note into the journal; the guard is held."""
        cost = charged(noted)
        if isinstance(noted, Call):
            self._state.calls.append(noted, len(self._journal))
        if cost is not None:
            self._usage.append(cost)
        record = Record((noted,), False, moment, self._state.counter)
        self._journal.append(record.leading_to(self._state, self._state.head))

    def _follow_note(self, noted: Noted, moment: int) -> None:
        """Note what a journal tells; refuse a call that can't have been recorded here."""
        with self._guard:
            if isinstance(noted, Call):
                must_fit(noted, self._state)
            self._add(noted, moment)


def must_fit(call: Call, state: Stored) -> None:
    """Refuse a call of another revision than the current one, or of tools nobody has defined."""
    here = state.head.revision
    if call.revision != here:
        raise Refused(
            f"revision {shown(call.revision)} is not {here}, at which the call was recorded",
            field="revision",
            value=call.revision,
            legal=str(here),
        )
    if call.tools is not None and call.definitions is None and call.tools not in state.calls.tools:
        raise Refused(
            f"tools {shown(call.tools)} are defined neither by this call nor by one before it",
            field="tools",
            value=call.tools,
            legal=", ".join(state.calls.tools) or "a key with its definitions",
        )
