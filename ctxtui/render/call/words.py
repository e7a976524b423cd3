"""The prompt cache of a call in sentences: where it breaks and why, and whether both rulers agree.

They are the same on the screen, in what is copied and on the command line.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.models.call_cache import BLOCK, FEW, FEWEST, Break, CallCache
from ctxtui.models.call_request import waited_text
from ctxtui.models.call_sheet import CallSheet
from ctxtui.models.call_tools import ToolChange, ToolTable
from ctxtui.symbols import visible

NAME_CHARACTERS = 40
MOST_NAMES = 3
VERBS: tuple[tuple[ToolChange, str], ...] = (
    ("vanished", "vanished"),
    ("new", "came"),
    ("changed", "changed"),
)
PATIENCE = 300_000
"""Milliseconds after which many providers forget."""


def break_words(sheet: CallSheet) -> tuple[str, str]:
    """Return where the cache breaks in a few words, and why in a sentence; the first may be empty.

    What stays what it was has no words of its own.
    """
    broke, before = sheet.cache.broke, sheet.number - 1
    if broke.kind == "first":
        return "", "The first call of this path: what came before it is not known."
    if broke.kind == "model":
        old, new = (visible(name, NAME_CHARACTERS) for name in broke.names)
        told = f"the model was {old} and is {new}; each model has a cache of its own."
        return "breaks at 0", f"{told} {_behind(sheet.cache)}"
    if broke.kind == "tools":
        told = f"{_tools(sheet.tools)}. Tools stand in front of everything."
        return "breaks in the tools", f"{told} {_behind(sheet.cache)}"
    if broke.kind == "parameters":
        named = _listed(broke.names)
        told = f"{named} changed, which providers put in front of what a model is told."
        return "may break at 0", told
    if broke.kind == "whole":
        return "", f"All of call {before:,} is kept; what is new comes behind it."
    return _message(broke, before)


def _behind(cache: CallCache) -> str:
    """Return whether the messages alone would have broken it, too."""
    if cache.shared is None:
        return "The messages only go on."
    return f"The messages part before position {cache.shared:,}, too."


def _message(broke: Break, before: int) -> tuple[str, str]:
    """Return where a message is another one."""
    place = f"breaks before position {broke.position:,}"
    if broke.kind == "written":
        return place, f"raw {broke.was:,} stands there as before, but is written differently."
    if broke.kind == "end":
        return "", f"All that is sent was the start of call {before:,}; what stood behind it went."
    return place, f"raw {broke.was:,} stood there in call {before:,}, raw {broke.now:,} does now."


def _tools(table: ToolTable) -> str:
    """Return what became of the tools."""
    if not table.now:
        return "all tools vanished"
    if not table.before:
        return "tools came where none were"
    said = [f"{_listed(names)} {verb}" for change, verb in VERBS if (names := table.names(change))]
    at = 0 if table.breaks is None else table.breaks
    told = " and ".join(said) or "the tools stand in another order"
    return f"{told}; the first {at:,} are as before" if at else told


def _listed(names: Sequence[str]) -> str:
    shown = [visible(name, NAME_CHARACTERS) for name in names[:MOST_NAMES]]
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(shown) + more


def agreement_words(sheet: CallSheet) -> str:
    """Return whether the provider served what was computed, and why if it did not."""
    cache = sheet.cache
    cached = cache.cached or 0
    if cache.agreement == "agrees":
        is_seen = abs(cached - (cache.kept or 0)) <= FEW
        return "The two agree." if is_seen else f"{_counted(cache)}The two agree."
    if cache.agreement == "unsaid":
        return "The provider did not say what its cache served."
    if cache.agreement == "first" and not cached:
        return "The provider served nothing, which fits."
    if cache.agreement == "first":
        return f"{cached:,} were served nonetheless: something began so before the record."
    apart = _apart(sheet, abs(cached - cache.expected))
    return apart if cache.agreement in ("short", "unasked") else f"{_counted(cache)}{apart}"


def _counted(cache: CallCache) -> str:
    """Return what is kept in the provider's tokens, where those two are compared, not those shown.

    A provider may count more or fewer tokens than are counted here.
    """
    kept, expected = cache.kept or 0, cache.expected
    return "" if kept == expected else f"By its count {kept:,} kept are about {expected:,}. "


def _apart(sheet: CallSheet, apart: int) -> str:
    """Return why the two are so many tokens apart."""
    match sheet.cache.agreement:
        case "blocks":
            return f"The two agree but for {apart:,}: caches serve blocks of up to {BLOCK}."
        case "short":
            return f"Nothing was served: most providers keep nothing below {FEWEST:,} tokens."
        case "unasked":
            return "Nothing was served: this kind of request has to ask for it, and did not."
        case "counting":
            return f"The two differ by {apart:,}, which may be how it counts."
        case "more":
            return f"The provider served {apart:,} more: something else began in the same way."
    waited = sheet.one.waited
    late = "" if waited is None or waited < PATIENCE else f", {waited_text(waited)} after it"
    return f"The provider served {apart:,} fewer than it could{late}: it had not kept them."


def source_words(cache: CallCache) -> str:
    """Return which earlier call began in the same way, where that is not the call before."""
    if cache.is_elsewhere:
        return "What is kept was sent by a call of another branch."
    if cache.source is not None:
        return came_from(cache.source)
    return ""


def came_from(call: int) -> str:
    """Return which earlier call what is kept comes from."""
    return f"What is kept began call {call:,} in the same way."


def scale_words(cache: CallCache) -> str:
    """Return why the two rulers are not equally long, where they differ by much."""
    if cache.input is None or not cache.total:
        return ""
    if abs(cache.input - cache.total) * 4 <= max(cache.input, cache.total):
        return ""
    return f"It counted {cache.input:,} tokens where {cache.total:,} are counted here."


def read_words(cache: CallCache) -> str:
    """Return how much a model had to read."""
    return f"{cache.read:,} tokens {'read again' if cache.broke.is_loss else 'read'}"


def computed_by(cache: CallCache) -> str:
    """Return by what the computed ruler was found."""
    if cache.is_strict:
        return "computed from what was written, to the byte"
    return "computed is an estimate: from what is said, not how it was written"


def kept_words(cache: CallCache) -> str:
    """Return what is computed, in a few words."""
    return "nothing before" if cache.kept is None else f"{cache.kept:,} kept"


def cached_words(cache: CallCache) -> str:
    """Return what was measured, in a few words."""
    return "not said" if cache.cached is None else f"{cache.cached:,} cached"
