"""What is being looked at: a conversation at one of its revisions, with what that implies."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from ctxtui.core import Batch, Conversation, Finding, Revision
from ctxtui.core.engine.diff import Diff, diff_views
from ctxtui.core.engine.queries import Blame, Calls, blame
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import count_definitions, count_tools
from ctxtui.core.lint import lint_state
from ctxtui.core.values.models import ROLES
from ctxtui.models.call_figures import CallFigures, call_figures
from ctxtui.models.causes import OtherHalf, other_half
from ctxtui.models.figures import Figures, Sizes, figures_of
from ctxtui.models.tool_links import ToolLinks, links_of

MESSAGES_AT_ONCE = 5_000
"""How many messages are linted without anybody noticing."""


class Look:
    """A read-only view of a conversation; made anew for every change or step, then never changed.

    ``revision`` is what is shown: the current one, or an earlier one while stepping.
    """

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
        """Return the revision that is shown."""
        return self.state.current

    @property
    def is_live(self) -> bool:
        """Tell whether the current revision is shown, not an earlier one."""
        return self.revision.id == self.now.id

    @cached_property
    def batch(self) -> Batch:
        """Return the batch that is shown."""
        return self.state.batch

    @property
    def log_size(self) -> int:
        """Return how many messages there were when this was the state of things."""
        return len(self.state.log) if self.is_live else self.revision.log_size

    @cached_property
    def total(self) -> int:
        """Return the visible tokens."""
        return self.state.total(self.revision)

    @cached_property
    def largest(self) -> int:
        """Return the tokens of the largest visible message: the scale of all bars."""
        return self.state.log.largest(self.view, self.counter)

    @cached_property
    def role_tokens(self) -> dict[str, int]:
        """Return the visible tokens of each role."""
        return dict(zip(ROLES, self.figures.by_role(self.view), strict=True))

    @cached_property
    def role_counts(self) -> dict[str, int]:
        """Return how many messages of each role are visible."""
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
        """Return how many tools are sent beside the messages, and their tokens.

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
        """Return what was really sent on the way to what is shown."""
        return Calls(self.state)

    @cached_property
    def call_figures(self) -> CallFigures | None:
        """Return what the newest of these calls cost, counted here and by the provider."""
        return call_figures(self.state, self.calls)

    @cached_property
    def sizes(self) -> Sizes:
        """Return the visible messages by their size."""
        return Sizes(self.figures, self.state)

    @property
    def is_linted(self) -> bool:
        """Tell whether lint has been through; a large projection is linted in the background."""
        is_quick = len(self.view) <= MESSAGES_AT_ONCE and not self.is_unlintable
        return self._findings is not None or is_quick

    def lint(self) -> list[Finding]:
        """Return what lint says about what is shown, found once."""
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
        """Return the findings by visible position."""
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
        """Return how many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Return how many findings are warnings."""
        return len(self.findings) - self.errors

    @cached_property
    def marked(self) -> dict[int, list[str]]:
        """Return the labels of each marked message."""
        found: dict[int, list[str]] = {}
        for label, indices in sorted(self.state.head.marks.items()):
            for raw in indices:
                found.setdefault(raw, []).append(label)
        return found

    @cached_property
    def before(self) -> Revision | None:
        """Return the revision before the batch that is shown: what differences are told against."""
        opened = self.state.revisions[self.batch.opened]
        return None if opened.parent is None else self.state.revisions[opened.parent]

    @property
    def before_size(self) -> int:
        """Return how many messages there were before what differences are told of."""
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
        """Return the position before which a hidden message would stand, by the order of the log.

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
        """Return where the calls and results of each id stand in the log."""
        return links_of(self.conversation)

    def other_half(self, finding: Finding) -> OtherHalf | None:
        """Return the other half of the exchange a finding is about, looked up once."""
        key = (finding.rule, finding.raw_index, finding.message)
        if key not in self._halves:
            self._halves[key] = other_half(self, finding)
        return self._halves[key]

    def cause(self, finding: Finding) -> str:
        """Return where the missing half of a finding is and what hid it."""
        half = self.other_half(finding)
        return "" if half is None else str(half)

    def tokens(self, raw: int) -> int:
        """Return the tokens of a message."""
        return self.state.log.tokens(raw, self.counter)

    def blame(self, raw: int) -> Blame | None:
        """Return what hid a message, looked up once."""
        if raw not in self._blamed:
            self._blamed[raw] = blame(self.state, raw)
        return self._blamed[raw]


def is_on_path(conversation: Conversation, batch: Batch) -> bool:
    """Tell whether a batch is among the ancestors of where the conversation stands."""
    path = conversation.path
    return batch.number < len(path) and path[batch.number].id == batch.id
