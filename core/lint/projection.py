"""Findings: what lint has to say about one place of a projection."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Literal

from ..engine.log import ROLE_CODES, LogReader, flag_table, role_table
from ..engine.messages import CALLS, LINKED, NO_LINKS, RESULTS, Links
from ..engine.pairing import Pairing, pair
from ..engine.state import State
from ..engine.views import Run, View, either
from ..values.models import ROLES, JsonRecord

Severity = Literal["error", "warning"]
RepairKind = Literal["drop", "restore", "stub"]


@dataclass(frozen=True, slots=True)
class Finding(JsonRecord):
    """One broken rule: where, how bad, in one sentence, and which repairs apply.

    ``raw_index`` and ``position`` are None if the finding is about the projection as a whole.
    """

    rule: str
    severity: Severity
    raw_index: int | None
    position: int | None
    message: str
    repairs: tuple[RepairKind, ...] = ()


TOOL, ASSISTANT = ROLE_CODES["tool"], ROLE_CODES["assistant"]


class Projection:
    """The facts about everything visible in a state; no message is opened to make them."""

    def __init__(self, state: State) -> None:
        self.log = state.log
        self.view = state.view
        self.size = len(state.view)
        self.roles = state.view.column(state.log.roles)
        self.flags = state.view.column(state.log.flags)
        self.tokens = state.total(state.current)
        self.limit = state.head.settings.token_limit

    @cached_property
    def raws(self) -> list[int]:
        return list(self.view)

    @cached_property
    def pairing(self) -> Pairing:
        mask = either(self.flagged(LINKED), self.roles.translate(role_table(["tool"])))
        roles = [ROLES[code] for code in compress(self.roles, mask)]
        links = map(self.log.links, compress(self.view, mask))
        return pair(zip(compress(range(self.size), mask), roles, links, strict=True))

    @cached_property
    def known_calls(self) -> set[str]:
        """Return the ids of all calls that were ever made, visible or not."""
        everything = View.of_runs([(0, len(self.log))])
        calling = self.log.with_flag(everything, CALLS)
        return {call for raw in calling for call in self.log.links(raw).calls}

    @cached_property
    def conversation(self) -> list[int]:
        """Return the positions of all but the system messages."""
        return list(compress(range(self.size), self.roles.translate(role_table(ROLES[1:]))))

    def flagged(self, flag: int) -> bytes:
        """Return for each position whether it carries any of some flags."""
        return self.flags.translate(flag_table(flag))

    def positions(self, flag: int) -> list[int]:
        return list(compress(range(self.size), self.flagged(flag)))

    def of_role(self, role: str) -> list[int]:
        return list(compress(range(self.size), self.roles.translate(role_table([role]))))

    def role(self, position: int) -> str:
        return ROLES[self.roles[position]]

    def is_result(self, position: int) -> bool:
        """Return whether a message is a result: a tool message, or one with results."""
        return self.roles[position] == TOOL or bool(self.flags[position] & RESULTS)

    def is_call(self, position: int) -> bool:
        return bool(self.flags[position] & CALLS)


Placed = tuple[int, int]
"""A position, in a chunk or in a view, and the raw index there."""


class Units:
    """The units of a log that grows, and all linked messages outside them."""

    def __init__(self) -> None:
        self._size = 0
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._loose: list[int] = []
        self._links: dict[int, Links] = {}
        self._roles: dict[int, str] = {}
        self._home: dict[str, int | None] = {}
        self._begun: list[int] = []
        self._open: set[str] = set()

    def learn(self, log: LogReader) -> None:
        first = self._size
        for raw, role in enumerate(log.roles(first, len(log)), start=first):
            self.take(role, log.links(raw))

    def take(self, role: int, links: Links) -> None:
        """Add the next message, by the code of its role and its links."""
        raw = self._size
        self._size += 1
        if links is NO_LINKS and role != TOOL:
            if self._begun:
                self._break_off()
            return
        self._links[raw] = links
        self._roles[raw] = ROLES[role]
        if links.calls:
            self._call(raw, links)
        else:
            self._answer(raw, role, links)

    def is_loose(self, raw: int) -> bool:
        """Return whether a message is linked to others, but belongs to no unit."""
        at = bisect_left(self._loose, raw)
        return raw in self._begun or (at < len(self._loose) and self._loose[at] == raw)

    def is_whole(self, start: int, stop: int) -> bool:
        """Return whether a range of the log holds only units and messages without links."""
        return not self._cut_off(start, stop)

    def _call(self, raw: int, links: Links) -> None:
        """Begin a unit; a message whose ids are known, or that has results too, is loose."""
        self._break_off()
        calls, home = set(links.calls), self._home
        is_new = home.keys().isdisjoint(calls) and len(calls) == len(links.calls)
        if is_new and not links.results:
            self._begun, self._open = [raw], calls
            home.update(dict.fromkeys(calls, raw))
        else:
            self._loose.append(raw)
            for id in (*calls, *links.results):
                home.setdefault(id, None)

    def _answer(self, raw: int, role: int, links: Links) -> None:
        """Continue the open unit, and end it with its last result."""
        results = set(links.results)
        fits = results and len(results) == len(links.results) and results <= self._open
        if fits and role != ASSISTANT:
            self._begun.append(raw)
            self._open -= results
            if not self._open:
                self._starts.append(self._begun[0])
                self._stops.append(raw + 1)
                self._begun = []
            return
        self._break_off()
        self._loose.append(raw)
        for id in results:
            self._home.setdefault(id, None)

    def _break_off(self) -> None:
        """End the open unit, which will not be complete: its messages become loose."""
        if self._begun:
            self._home.update(dict.fromkeys(self._links[self._begun[0]].calls))
            self._loose += self._begun
            self._begun = []
        self._open = set()

    def links(self, raw: int) -> Links:
        return self._links[raw]

    def home(self, id: str) -> int | None:
        """Return the calling message of the unit an id belongs to, if it belongs to one."""
        return self._home.get(id)

    def start_of(self, raw: int) -> int:
        """Return the start of the unit that holds a message, or the message itself."""
        at = bisect_right(self._starts, raw) - 1
        return self._starts[at] if at >= 0 and self._stops[at] > raw else raw

    def loose_of(self, runs: Iterable[Run], passed: int) -> list[Placed]:
        """Return the messages of some runs of a view that are in no unit which one holds whole.

        ``passed`` is how many messages come before them.
        """
        placed: list[Placed] = []
        for start, length in runs:
            shift = passed - start
            placed += [(raw + shift, raw) for raw in self._cut_off(start, start + length)]
            passed += length
        return placed

    def _cut_off(self, start: int, stop: int) -> list[int]:
        """Return the messages of a run that are in no unit which the run holds whole."""
        starts, stops, loose = self._starts, self._stops, self._loose
        lead = bisect_left(starts, start) - 1
        head = start
        if lead >= 0 and stops[lead] > start:
            head = min(stops[lead], stop)
        trail = bisect_left(starts, stop) - 1
        tail = stop
        if trail >= 0 and stops[trail] > stop and starts[trail] >= head:
            tail = starts[trail]
        inner = loose[bisect_left(loose, head) : bisect_left(loose, tail)] if loose else []
        if self._begun and self._begun[0] < stop:
            inner = [*inner, *(raw for raw in self._begun if start <= raw < stop)]
        return [*range(start, head), *inner, *range(tail, stop)]

    def together(self, placed: list[Placed]) -> Iterator[tuple[int, int, frozenset[str]]]:
        """Yield the adjacent exchanges among some messages: first and last position, and ids."""
        at = dict(placed)
        for site in self.paired(placed).sites:
            calls = frozenset(site.calls)
            members = [site.position, *dict.fromkeys(place for _, place in site.in_block)]
            if (
                site.is_sound()
                and members[-1] - members[0] == len(members) - 1
                and len(calls) == len(site.calls) == len(site.in_block)
                and all(calls.issuperset(self._links[at[place]].results) for place in members)
                and not self._links[at[site.position]].results
            ):
                yield site.position, members[-1], calls

    def paired(self, placed: list[Placed]) -> Pairing:
        return pair((place, self._roles[raw], self._links[raw]) for place, raw in placed)
