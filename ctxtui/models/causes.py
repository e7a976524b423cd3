"""The cause of a finding: the other half of a broken exchange, and what hid it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol

from ctxtui.core import Finding
from ctxtui.core.engine.queries import Blame
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import View
from ctxtui.core.lint import rule_named
from ctxtui.core.lint.projection import Policy
from ctxtui.models.tool_links import ToolLinks


class Sight(Protocol):
    """A state somebody looks at: of a conversation, or of a call that was simulated."""

    @property
    def state(self) -> State:
        """Return the state."""
        ...

    @property
    def view(self) -> View:
        """Return what is visible."""
        ...

    @property
    def log_size(self) -> int:
        """Return how many messages there were."""
        ...

    @property
    def links(self) -> ToolLinks:
        """Return where calls and results stand."""
        ...

    def blame(self, raw: int) -> Blame | None:
        """Return what hid a message."""
        ...


class OtherHalf(NamedTuple):
    """The message that a finding is about besides its own: a call, or a result."""

    raw: int
    word: Literal["call", "result"]
    blame: Blame | None
    """What hid it; None where it is visible, only in the wrong place."""

    def __str__(self) -> str:
        """Return where it is and which operation hid it; nothing where none did."""
        return "" if self.blame is None else f"Its {self.word}, raw {self.raw}, is {self.blame}."

    @property
    def in_short(self) -> str:
        """Return the same in a few words."""
        if self.blame is None:
            return f"its {self.word} is raw {self.raw}"
        if self.blame.batch is None:
            return f"its {self.word}, raw {self.raw}, is on another branch"
        name = "" if self.blame.operation is None else f" {self.blame.operation.title}"
        return f"{self.word} raw {self.raw} hidden by batch {self.blame.batch.number}{name}"


def reason(finding: Finding) -> str:
    """Return why a provider minds, in one sentence."""
    return rule_named(finding.rule).why


def in_words(finding: Finding) -> str:
    """Return the rule of a finding and what it is about, in a few words."""
    return f"{finding.rule}  {rule_named(finding.rule).words}"


def helping(finding: Finding) -> tuple[Policy, ...]:
    """Return the repairs that take a finding away: they act on errors only."""
    return finding.repairs if finding.severity == "error" else ()


def other_half(look: Sight, finding: Finding) -> OtherHalf | None:
    """Return the half that is missing or displaced, or None where there never was one."""
    raw = finding.raw_index
    if raw is None or not finding.repairs:
        return None
    links, known = look.state.log.links(raw), look.links
    hidden, shown = _nearest(look, known.calls(links.results, raw))
    if hidden is None and shown is None:
        hidden, shown = _nearest(look, known.results(links.calls, raw))
        word: Literal["call", "result"] = "result"
    else:
        word = "call"
    if hidden is not None:
        return OtherHalf(hidden, word, look.blame(hidden))
    return None if shown is None else OtherHalf(shown, word, None)


def _nearest(look: Sight, near: Iterable[int]) -> tuple[int | None, int | None]:
    """Return the first hidden one of some messages, and the first visible one."""
    there = [raw for raw in near if raw < look.log_size]
    hidden = (raw for raw in there if look.view.position(raw) is None)
    shown = (raw for raw in there if look.view.position(raw) is not None)
    return next(hidden, None), next(shown, None)
