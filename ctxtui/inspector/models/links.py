"""Where the calls and results of each id are in the raw log, kept as long as its conversation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar
from weakref import ref

from ctxtui.core import Conversation, Finding
from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.messages import LINKED
from ctxtui.core.engine.queries import Blame
from ctxtui.core.engine.views import View
from ctxtui.core.lint import SEEN_RULES, rule_named
from ctxtui.core.lint.projection import RepairKind

if TYPE_CHECKING:
    from ctxtui.inspector.models.look import Look
    from ctxtui.what_if.models.comparison import PolicyCall

MOST_NEAR = 50
"""How many messages of one id are examined on either side; nearly all ids are used once."""


class ToolLinks:
    """Raw indices by call id; they grow with the log and are never looked up again.

    Without this, the other half of a broken pair would be looked for through the log each time.
    """

    def __init__(self) -> None:
        self._size = 0
        self._lock = Lock()  # Lint and drawing may both be the first to ask.
        self._calls: dict[str, list[int]] = {}
        self._results: dict[str, list[int]] = {}

    def catch_up(self, log: LogReader) -> None:
        with self._lock:
            size = len(log)
            fresh = View.of_runs([(self._size, size - self._size)] if self._size < size else [])
            for raw in log.with_flag(fresh, LINKED):
                links = log.links(raw)
                for call in links.calls:
                    self._calls.setdefault(call, []).append(raw)
                for result in links.results:
                    self._results.setdefault(result, []).append(raw)
            self._size = max(self._size, size)

    def calls(self, ids: Iterable[str], near: int) -> list[int]:
        """Return the messages around a raw index that make any of these calls, nearest first."""
        return _around(self._calls, ids, near)

    def results(self, ids: Iterable[str], near: int) -> list[int]:
        """Return the messages around a raw index with a result of any of these, nearest first."""
        return _around(self._results, ids, near)


def _around(known: dict[str, list[int]], ids: Iterable[str], near: int) -> list[int]:
    found: set[int] = set()
    for id in dict.fromkeys(ids):
        raws: Sequence[int] = known.get(id, ())
        at = bisect_left(raws, near)
        found.update(raws[max(0, at - MOST_NEAR) : at + MOST_NEAR])
    return sorted(found - {near}, key=lambda raw: abs(raw - near))


T = TypeVar("T")
_KEPT: dict[tuple[int, Hashable], tuple[ref[Conversation], Any]] = {}


def kept_with(conversation: Conversation, name: Hashable, make: Callable[[], T]) -> T:
    """Return what was made once for a conversation, and is kept as long as it is."""
    key = (id(conversation), name)  # A conversation can't be a key: it changes and has no hash.
    if key not in _KEPT:
        _KEPT[key] = (ref(conversation, lambda _: _KEPT.pop(key, None)), make())
    kept: T = _KEPT[key][1]
    return kept


def links_of(conversation: Conversation) -> ToolLinks:
    """Return the links of a conversation, up to date."""
    links = kept_with(conversation, ToolLinks, ToolLinks)
    links.catch_up(conversation.log)
    return links


# The cause of a finding: the other half of a broken exchange, and what hid it.


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
        if self.blame is None:
            return f"its {self.word} is raw {self.raw}"
        if self.blame.batch is None:
            return f"its {self.word}, raw {self.raw}, is on another branch"
        name = "" if self.blame.operation is None else f" {self.blame.operation.title}"
        return f"{self.word} raw {self.raw} hidden by batch {self.blame.batch.number}{name}"


def reason(finding: Finding) -> str:
    """Return why a provider minds, in one sentence."""
    if finding.rule in SEEN_RULES:
        return "The provider edits what was sent before its model reads it."
    return rule_named(finding.rule).why


def in_words(finding: Finding) -> str:
    """Return the rule of a finding and what it is about, in a few words."""
    words = SEEN_RULES.get(finding.rule) or rule_named(finding.rule).words
    return f"{finding.rule}  {words}"


def helping(finding: Finding) -> tuple[RepairKind, ...]:
    """Return the repairs that take a finding away: they act on errors only."""
    return finding.repairs if finding.severity == "error" else ()


def other_half(look: Look | PolicyCall, finding: Finding) -> OtherHalf | None:
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


def _nearest(look: Look | PolicyCall, near: Iterable[int]) -> tuple[int | None, int | None]:
    """Return the first hidden one of some messages, and the first visible one."""
    there = [raw for raw in near if raw < look.log_size]
    hidden = (raw for raw in there if look.view.position(raw) is None)
    shown = (raw for raw in there if look.view.position(raw) is not None)
    return next(hidden, None), next(shown, None)
