"""Reads the lines of one log: the conversation itself, and one for each sub-agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...conversation.conversation import Conversation
from ...queries.fields import LINES, WEB_LINES
from ..transcripts import kept_others
from ..trees import build_tree
from ..warnings import WarningCollector
from .growing import NOTES, Growth
from .lines import Line, links, sorted_out, title_of

LONGEST_TITLE = 60


def read_log(
    lines: Sequence[Line], warnings: WarningCollector, web: Mapping[str, Any] | None = None
) -> Iterator[Conversation]:
    """Yield each conversation of a log; ``web`` is what a web export has beside its lines."""
    follows = links(lines)
    grown = [
        (is_side, _grown(lines, follows, places, warnings))
        for (is_side, _), places in sorted_out(lines, follows).items()
    ]
    # Lines of a chain in which nobody says anything go with the first that has messages.
    homeless = [line for _, growth in grown if growth.is_silent for line in growth.others]
    for is_side, growth in grown:
        if growth.is_silent:
            continue
        name = _side_title(growth.first_words) if is_side else title_of(lines)
        others, homeless = [*growth.others, *homeless], []
        field = LINES if web is None else WEB_LINES
        kept = kept_others([(one.number, one.data) for one in others], warnings, field)
        meta = _meta(kept, name, web)
        yield build_tree(growth.nodes(), warnings, meta=meta)


def _grown(
    lines: Sequence[Line], follows: Sequence[int], places: Sequence[int], warnings: WarningCollector
) -> Growth:
    growth = Growth(lines, follows, warnings)
    for place in _parents_first(places, follows):
        growth.add(place)
    return growth


def _meta(
    kept: Mapping[str, Any], title: str | None, web: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what stays with a conversation: its name, and the lines that are no messages."""
    meta = NOTES.beside({} if web is None else {"web": {}}, {**(web or {}), **kept})
    return {**meta, **({} if title is None else {"title": title})}


def _parents_first(places: Sequence[int], follows: Sequence[int]) -> Iterator[int]:
    """Yield places in order of appearance, but each after the one it follows."""
    waiting = set(places)
    for place in places:
        path: list[int] = []
        while place in waiting:
            waiting.remove(place)
            path.append(place)
            place = follows[place]
        yield from reversed(path)


def _side_title(words: str) -> str:
    first = " ".join(words.split())
    short = first if len(first) <= LONGEST_TITLE else first[: LONGEST_TITLE - 1] + "…"
    return f"sub-agent: {short}" if short else "sub-agent"
