"""What providers do with a context by rules that they have documented.

Used for what a model saw of a recorded call, and for what it would see in a simulation. Nothing
here knows how a body is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

CLEAR_TOOL_USES = "clear_tool_uses_20250919"
CLEAR_THINKING = "clear_thinking_20251015"
COMPACT = "compact_20260112"
KEPT_USES = 3
CLEARING_TRIGGER, COMPACTION_TRIGGER = 100_000, 150_000
"""Input tokens above which a provider acts unless the request says otherwise."""
FAMILIES = re.compile(r"(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?:-(\d{1,2}))?(?!\d))?")
OLD_STYLE = re.compile(r"claude-(\d)(?:-(\d))?-(opus|sonnet|haiku)")
KEEPS_ALL_SINCE = {"opus": (4, 5), "sonnet": (4, 6), "fable": (0, 0), "mythos": (0, 0)}
"""The first version of each family that keeps the thinking of all turns."""

SMALLEST_CACHED = 1_024
SMALLEST_OF: Mapping[str, Mapping[tuple[str | None, str | None], int]] = {
    "opus": {("4", "5"): 4_096, ("4", "6"): 4_096, ("4", "7"): 2_048, ("5", None): 512},
    "fable": {("5", None): 512},
    "haiku": {("4", "5"): 4_096},
}
"""Tokens below which prompt caches keep nothing, by family and version where that differs."""
MINUTE, HOUR = 60_000, 3_600_000


class ToolUse(NamedTuple):
    """A tool use in a request, and whether its result is there too."""

    name: str
    has_result: bool = True


@dataclass(frozen=True)
class ToolClearing:
    """The rule ``clear_tool_uses``: the oldest results are replaced by placeholders.

    ``inputs`` are the tools whose arguments go too; None means those of all tools.
    """

    keep: int = KEPT_USES
    excluded: frozenset[str] = frozenset()
    inputs: frozenset[str] | None = frozenset()
    by_uses: bool = False
    trigger: int = CLEARING_TRIGGER

    @classmethod
    def of(cls, edit: Mapping[str, Any]) -> ToolClearing:
        """Read the rule as requests write it; what has another shape has its default."""
        trigger, keep = edit.get("trigger"), edit.get("keep")
        inputs = edit.get("clear_tool_inputs")
        by_uses = isinstance(trigger, Mapping) and trigger.get("type") == "tool_uses"
        return cls(
            keep=_count(keep, KEPT_USES),
            excluded=frozenset(_texts(edit.get("exclude_tools"))),
            inputs=None if inputs is True else frozenset(_texts(inputs)),
            by_uses=by_uses,
            trigger=_count(trigger, CLEARING_TRIGGER),
        )

    def candidates(self, uses: Sequence[ToolUse]) -> list[int]:
        """Return which uses can be cleared at all, the oldest first."""
        return [
            at for at, use in enumerate(uses) if use.has_result and use.name not in self.excluded
        ]

    def cleared(self, uses: Sequence[ToolUse]) -> list[int]:
        """Return which uses are cleared once the rule acts; excluded ones count for ``keep``."""
        with_result = [at for at, use in enumerate(uses) if use.has_result]
        kept = set(with_result[max(0, len(with_result) - self.keep) :])
        return [at for at in self.candidates(uses) if at not in kept]

    def could_clear(self, uses: Sequence[ToolUse]) -> bool:
        """Return whether anything can go, however excluded uses are counted.

        A trigger in tokens never proves that nothing went, since only the provider counts them.
        """
        if self.by_uses and len(uses) <= self.trigger:
            return False
        return len(self.candidates(uses)) > self.keep or bool(self.cleared(uses))

    def clears_inputs_of(self, name: str) -> bool:
        """Return whether the arguments of a cleared use of a tool go too."""
        return self.inputs is None or name in self.inputs


def kept_thinking_turns(model: str | None) -> int | Literal["all"] | None:
    """Return of how many turns a model keeps its thinking by default; None where unknown."""
    if not model:
        return None
    if OLD_STYLE.search(model):
        return 1
    found = FAMILIES.search(model)
    if found is None:
        return None
    family, major, minor = found.groups()
    if family == "haiku":
        return 1
    if family in ("opus", "sonnet") and major is None:
        return None
    version = (int(major or 0), int(minor or 0))
    return "all" if version >= KEEPS_ALL_SINCE[family] else 1


def thinking_kept_by(edit: Mapping[str, Any], model: str | None) -> int | Literal["all"] | None:
    """Return of how many turns thinking is kept by the rule ``clear_thinking``."""
    keep = edit.get("keep")
    if keep == "all" or (isinstance(keep, Mapping) and keep.get("type") == "all"):
        return "all"
    if isinstance(keep, Mapping):
        return _count(keep, 1)
    return kept_thinking_turns(model)


def turns_to_clear(turns: Iterable[int], keep: int | Literal["all"]) -> list[int]:
    """Return the turns whose thinking goes; ``turns`` are those that have any."""
    found = sorted(set(turns))
    return [] if keep == "all" else found[: max(0, len(found) - keep)]


def smallest_cached(model: str | None) -> int:
    """Return the tokens below which a prompt cache keeps nothing of a model's requests."""
    found = FAMILIES.search(model or "")
    if found is None:
        return SMALLEST_CACHED
    family, major, minor = found.groups()
    versions = SMALLEST_OF.get(family, {})
    return versions.get((major, minor), versions.get((major, None), SMALLEST_CACHED))


def cache_lifetime(kind: object, *, is_for_an_hour: bool) -> int | None:
    """Return the milliseconds after which a prompt cache may forget; None where unknown."""
    if kind == "messages":
        return HOUR if is_for_an_hour else 5 * MINUTE
    return 30 * MINUTE if kind in ("chat", "responses") else None


def compaction_trigger(edit: Mapping[str, Any]) -> int:
    """Return above how many input tokens a compaction within an answer is made."""
    return _count(edit.get("trigger"), COMPACTION_TRIGGER)


def _count(value: object, default: int) -> int:
    count = value.get("value") if isinstance(value, Mapping) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and count >= 0
    return count if is_count and isinstance(count, int) else default


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
