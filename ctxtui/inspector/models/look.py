"""What is shown: a conversation at one of its revisions, with what that implies."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import nlargest
from itertools import accumulate, islice, repeat
from operator import add, mul, sub
from typing import NamedTuple

from ctxtui.core import Batch, Conversation, Finding, Revision
from ctxtui.core.engine.diff import Diff, diff_views
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.log import LogReader, role_table
from ctxtui.core.engine.queries import Blame, Calls, blame, token_total
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import count_definitions, count_tools
from ctxtui.core.engine.views import Chunk, View
from ctxtui.core.lint import lint_state
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.models.links import OtherHalf, ToolLinks, kept_with, links_of, other_half

# Figures about tokens that plots ask for again and again, kept as long as their conversation.

MOST_LARGEST = 8
"""How many of the largest messages are remembered."""


class Figures:
    """Running sums over the raw log for each role; they grow with it and are never made again.

    The sums of a chunk of a view are kept as well: views share nearly all of their chunks, so that
    one more batch costs what it changed.
    """

    def __init__(self, counter: str) -> None:
        self.counter = counter
        self.tokens = array("Q")
        self._sums = [array("Q", [0]) for _ in ROLES]
        self._chunks: dict[int, tuple[Chunk, tuple[int, ...]]] = {}
        self._peak = self._seen = 0

    def catch_up(self, log: LogReader, skipped: int = 0) -> None:
        """Take in what was added to the log since the last time; some at its start may be left."""
        first, size = skipped + len(self.tokens), len(log)
        if first >= size:
            return
        ends = list(map(log.tokens_before, range(first, size + 1), repeat(self.counter)))
        fresh = array("Q", map(sub, islice(ends, 1, None), ends))
        self.tokens += fresh
        codes = log.roles(first, size)
        for sums, role in zip(self._sums, ROLES, strict=True):
            of_role = map(mul, fresh, codes.translate(role_table((role,))))
            sums.extend(islice(accumulate(of_role, initial=sums[-1]), 1, None))

    def by_role(self, view: View) -> tuple[int, ...]:
        totals = (0,) * len(ROLES)
        for chunk in view.chunks:
            totals = tuple(map(add, totals, self._chunk(chunk)))
        return totals

    def within(self, starts: Sequence[int], stops: Sequence[int]) -> tuple[int, ...]:
        """Return the tokens of each role in some stretches of the log, each from and up to."""
        return tuple(
            sum(map(sums.__getitem__, stops)) - sum(map(sums.__getitem__, starts))
            for sums in self._sums
        )

    def peak(self, revisions: Sequence[Revision]) -> int:
        """Return the most tokens that ever were visible, by this counter whatever was used then."""
        for revision in islice(revisions, self._seen, None):
            same = revision.counter == self.counter
            count = revision.tokens if same else sum(self.by_role(revision.view))
            self._peak = max(self._peak, count)
        self._seen = len(revisions)
        return self._peak

    def raw_by_role(self, size: int) -> tuple[int, ...]:
        return tuple(sums[size] for sums in self._sums)

    def column(self, view: View) -> array[int]:
        found = array("Q")
        for start, length in view.runs():
            found += self.tokens[start : start + length]
        return found

    def _chunk(self, chunk: Chunk) -> tuple[int, ...]:
        # The chunk is kept beside its sums, so that no other one can get its id.
        kept = self._chunks.get(id(chunk))
        if kept is None:
            made = self.within(chunk.starts, list(map(add, chunk.starts, chunk.lengths)))
            kept = self._chunks[id(chunk)] = (chunk, made)
        return kept[1]


class StagedFigures:
    """Figures of a log that goes on behind another one: a draft that may never be committed.

    ``counter`` is the draft's own, which may be about to change.
    """

    def __init__(self, figures: Figures, log: LogReader, counter: str) -> None:
        self._figures = figures
        self._known = len(figures.tokens)
        self._more = Figures(counter)
        self._more.catch_up(log, self._known)

    def within(self, starts: Sequence[int], stops: Sequence[int]) -> tuple[int, ...]:
        known = self._known
        old = self._figures.within(*([min(at, known) for at in ends] for ends in (starts, stops)))
        new = self._more.within(*([max(0, at - known) for at in ends] for ends in (starts, stops)))
        return tuple(map(add, old, new))


class Sizes:
    """The visible messages of one state by their size."""

    def __init__(self, figures: Figures, state: State) -> None:
        self.column = figures.column(state.view)
        self.largest = nlargest(MOST_LARGEST, range(len(self.column)), key=self.column.__getitem__)
        self.roles = state.view.column(state.log.roles)
        self.not_counted = token_total(state).not_counted


def figures_of(conversation: Conversation, state: State) -> Figures:
    """Return the figures of a conversation, up to date; they are kept as long as it is.

    Each counter that is in use has its own: the past may have been counted by another one.
    """
    counter = state.counter
    figures = kept_with(conversation, (Figures, counter), lambda: Figures(counter))
    figures.catch_up(state.log)
    return figures


MESSAGES_AT_ONCE = 5_000
"""How many messages are linted without anybody noticing."""


class Look:
    """A read-only view of a conversation; made again for every change or step, then never changed.

    ``revision`` is what is shown: the current one, or an earlier one while stepping.
    """

    is_seen = False
    """Whether it is what a model saw after the provider's own edits."""

    def __init__(
        self, conversation: Conversation, revision: int | None = None, *, state: State | None = None
    ) -> None:
        self.conversation = conversation
        self.now = conversation.current
        shown = self.now.id if revision is None else revision
        self.state: State = conversation.at(shown).moment if state is None else state
        self.view = self.state.view
        self.counter = self.state.counter
        self._blamed: dict[int, Blame | None] = {}
        self._halves: dict[tuple[str, int | None, str], OtherHalf | None] = {}
        self._findings: list[Finding] | None = None
        self.is_unlintable = False
        """Whether lint has failed, so that there is nothing to wait for."""

    @classmethod
    def at_batch(cls, conversation: Conversation, batch: int) -> Look:
        """Return a look at a batch: one of the path as the path left it, else at its newest."""
        found = conversation.batches[batch]
        if is_on_path(conversation, found):
            return cls(conversation, conversation.on_path(found.number).id)
        return cls(conversation, conversation.newest(found).id)

    def again(self) -> Look:
        """Return the same look with what has come into the conversation: the present moves on."""
        return Look(self.conversation, None if self.is_live else self.revision.id)

    @property
    def revision(self) -> Revision:
        return self.state.current

    @property
    def is_live(self) -> bool:
        """Return whether the current revision is shown, not an earlier one."""
        return self.revision.id == self.now.id

    @cached_property
    def batch(self) -> Batch:
        return self.state.batch

    @property
    def log_size(self) -> int:
        return len(self.state.log) if self.is_live else self.revision.log_size

    @cached_property
    def total(self) -> int:
        return self.state.total(self.revision)

    @cached_property
    def largest(self) -> int:
        """Return the tokens of the largest visible message: the scale of all bars."""
        return self.state.log.largest(self.view, self.counter)

    @cached_property
    def role_tokens(self) -> dict[str, int]:
        return dict(zip(ROLES, self.figures.by_role(self.view), strict=True))

    @cached_property
    def role_counts(self) -> dict[str, int]:
        codes = self.view.column(self.state.log.roles)
        return {role: codes.count(code) for code, role in enumerate(ROLES)}

    @cached_property
    def figures(self) -> Figures:
        """Return running sums of the tokens of each role, kept as long as the conversation is."""
        return figures_of(self.conversation, self.state)

    @cached_property
    def peak(self) -> int:
        """Return the most tokens any revision had visible: the scale of the bars of batches."""
        return self.figures.peak(self.state.revisions)

    @cached_property
    def tool_definitions(self) -> tuple[int, int]:
        """Return how many tools are sent in addition to the messages, and their tokens.

        What the newest call sent goes before what the conversation says of itself.
        """
        sent = next((self.calls.tools.get(one.tools or "") for one in reversed(self.calls)), None)
        if sent:
            return len(sent), sum(count_definitions((tool,), self.counter) for tool in sent)
        tools = self.conversation.meta.get("tools")
        if not isinstance(tools, tuple):
            return 0, 0
        return len(tools), count_tools(tools, self.counter)

    @cached_property
    def calls(self) -> Calls:
        return Calls(self.state)

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.figures, self.state)

    @property
    def is_linted(self) -> bool:
        """Return whether lint has been through; a large projection is linted in the background."""
        is_quick = len(self.view) <= MESSAGES_AT_ONCE and not self.is_unlintable
        return self._findings is not None or is_quick

    def lint(self) -> list[Finding]:
        if self._findings is None:
            links_of(self.conversation)  # Where the halves of exchanges are, before one is asked.
            self._findings = lint_state(self.state)
        return self._findings

    @property
    def findings(self) -> list[Finding]:
        """Return what lint says, or nothing while it is still at work."""
        return self.lint() if self.is_linted else []

    @property
    def findings_at(self) -> dict[int, list[Finding]]:
        return self._placed if self.is_linted else {}

    @cached_property
    def _placed(self) -> dict[int, list[Finding]]:
        found: dict[int, list[Finding]] = {}
        for finding in self.findings:
            if finding.position is not None:
                found.setdefault(finding.position, []).append(finding)
        return found

    @property
    def errors(self) -> int:
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors

    @cached_property
    def marked(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for label, indices in sorted(self.state.head.marks.items()):
            for raw in indices:
                found.setdefault(raw, []).append(label)
        return found

    @cached_property
    def labelled_hidden(self) -> int:
        """Return how many labelled messages are hidden."""
        return sum(raw < self.log_size and raw not in self.view for raw in self.marked)

    @cached_property
    def before(self) -> Revision | None:
        """Return the revision before the batch that is shown: what differences are told against."""
        opened = self.state.revisions[self.batch.opened]
        return None if opened.parent is None else self.state.revisions[opened.parent]

    @property
    def before_size(self) -> int:
        return 0 if self.before is None else self.before.log_size

    @property
    def change(self) -> Diff | None:
        """Return what the batch that is shown changed; None while looking at the present."""
        return None if self.is_live else self.difference

    @cached_property
    def difference(self) -> Diff | None:
        """Return what the batch that is shown changed; None where nothing was before it."""
        if self.before is None:
            return None
        return diff_views(self.before.view, self.view, self.before_size)

    def revision_of(self, raw: int) -> Revision:
        """Return the revision that added a message: the first whose log reaches so far."""
        revisions = self.state.revisions
        at = bisect_right(revisions, raw, key=lambda revision: revision.log_size)
        return revisions[min(at, len(revisions) - 1)]

    def place_of_hidden(self, raw: int) -> int:
        """Return the position before which a hidden message would be, by the order of the log.

        That is behind the visible message that comes closest before it.
        """
        nearest, place, position = -1, 0, 0
        for start, length in self.view.runs():
            last = min(start + length, raw) - 1
            if start < raw and last > nearest:
                nearest, place = last, position + last - start + 1
            position += length
        return place

    @property
    def links(self) -> ToolLinks:
        return links_of(self.conversation)

    def other_half(self, finding: Finding) -> OtherHalf | None:
        """Return the other half of the exchange a finding is about, looked up once."""
        key = (finding.rule, finding.raw_index, finding.message)
        if key not in self._halves:
            self._halves[key] = other_half(self, finding)
        return self._halves[key]

    def cause(self, finding: Finding) -> str:
        half = self.other_half(finding)
        return "" if half is None else str(half)

    def tokens(self, raw: int) -> int:
        return self.state.log.tokens(raw, self.counter)

    def blame(self, raw: int) -> Blame | None:
        if raw not in self._blamed:
            self._blamed[raw] = blame(self.state, raw)
        return self._blamed[raw]


def is_on_path(conversation: Conversation, batch: Batch) -> bool:
    """Return whether a batch is an ancestor of the current one."""
    path = conversation.path
    return batch.number < len(path) and path[batch.number].id == batch.id


# A frame of the player: the conversation as one record of its journal left it.


class Frame(Look):
    """A look at what a record left, with the differences to the record before it."""

    def __init__(self, conversation: Conversation, place: int, *, is_still: bool = False) -> None:
        super().__init__(conversation, state=conversation.at_record(place).moment)
        self.place = place
        self.is_still = is_still
        """Whether it shows something that moved nothing after this record."""
        self.last = len(conversation.journal) - 1

    def again(self) -> Frame:
        return Frame(self.conversation, self.place, is_still=self.is_still)

    @property
    def record(self) -> Record:
        return self.conversation.journal[self.place]

    @property
    def is_live(self) -> bool:
        return False

    @property
    def is_newest(self) -> bool:
        return self.place == self.last

    @property
    def log_size(self) -> int:
        return len(self.state.log)

    @cached_property
    def was(self) -> State | None:
        """Return the state that the record before left; None for the first."""
        if self.is_still:
            return self.state
        if self.place == 0:
            return None
        return self.conversation.at_record(self.place - 1).moment

    @cached_property
    def before(self) -> Revision | None:
        return None if self.was is None else self.was.current

    @property
    def before_size(self) -> int:
        return 0 if self.was is None else len(self.was.log)

    @property
    def change(self) -> Diff | None:
        """Return what the record changed, also for the newest one."""
        return self.difference


def record_of(look: Look) -> int:
    """Return the place of the record that made what is shown."""
    if isinstance(look, Frame):
        return look.place
    journal, revision = look.conversation.journal, look.revision.id
    return bisect_right(range(len(journal) - 1), revision, key=lambda at: journal[at].revisions)


# Where removed messages would be among those that stayed, as runs and not one by one.


class GoneRun(NamedTuple):
    """Messages that went, one after the other, behind so many of those that stayed."""

    behind: int
    start: int
    size: int


class GoneRows:
    """The lines of a projection with what went still in it; the cost follows the runs.

    Each message that went is behind the last one before it that stayed.
    """

    def __init__(self, before: View, after: View, gone: View) -> None:
        self._after = after
        found = sorted(_runs(before, after, gone), key=lambda run: run.behind)
        self._groups = found
        self._sums = [0, *accumulate(run.size for run in found)]
        self._behind = [run.behind for run in found]
        self._starts = [run.behind + self._sums[at] for at, run in enumerate(found)]
        self._by_raw = sorted((run.start, at) for at, run in enumerate(found))

    def __len__(self) -> int:
        return self._sums[-1]

    def at(self, line: int) -> tuple[int | None, int]:
        """Return position and raw index of a line; no position for a message that went."""
        group = bisect_right(self._starts, line) - 1
        if group >= 0:
            run, within = self._groups[group], line - self._starts[group]
            if within < run.size:
                return None, run.start + within
        position = line - self._sums[group + 1]
        return position, self._after[position]

    def line(self, raw: int) -> int | None:
        position = self._after.position(raw)
        if position is not None:
            return position + self._sums[bisect_left(self._behind, position + 1)]
        place = bisect_right(self._by_raw, (raw, len(self._groups))) - 1
        if place < 0:
            return None
        start, group = self._by_raw[place]
        within = raw - start
        return self._starts[group] + within if within < self._groups[group].size else None


def _runs(before: View, after: View, gone: View) -> Iterator[GoneRun]:
    """Yield the runs that went, in the order they had; each knows what it is behind."""
    spans = [(start, start + size) for start, size in gone.joined()]
    stops = [stop for _, stop in spans]
    last: int | None = None
    for start, size in before.runs() if spans else ():
        at, end = start, start + size
        span = bisect_right(stops, at)
        while at < end:
            low, high = spans[span] if span < len(spans) else (end, end)
            if at < low:
                last, at = min(low, end) - 1, min(low, end)
                continue
            position = None if last is None else after.position(last)
            stop = min(high, end)
            yield GoneRun(0 if position is None else position + 1, at, stop - at)
            at, span = stop, span + 1
