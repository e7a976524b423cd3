"""Nearness: how well a request fits a lane, where more than one could be its own."""

from __future__ import annotations

from operator import is_
from typing import NamedTuple

from ..messages.parts import DataPart
from .asked import Asked, Sent
from .beginnings import common_start
from .likeness import is_alike
from .quoting import SHORTEST
from .track import Track, prompt_of

FEWEST_SHARED = 2


class Nearness(NamedTuple):
    """How well a request fits a lane; what is compared first counts most."""

    has_tools: bool
    goes_on: bool
    has_prompt: bool
    start: int
    written_alike: int
    shared: int
    newest: int

    @property
    def rest(self) -> tuple[bool, bool, int]:
        """Return how well the rest of a request fits, its newest answer aside."""
        return self.has_tools, self.has_prompt, self.shared


def nearness(asked: Asked, track: Track) -> Nearness:
    """Return how far a request is what a lane would go on with, and what it has in common."""
    expected = [*track.memory.visible, *track.answer]
    start = common_start([one.key for one in expected], [one.key for one in asked.sent])
    tools = None if track.asked is None else track.asked.tools
    return Nearness(
        has_tools=not tools or not asked.tools or tools == asked.tools,
        goes_on=start == len(expected) < len(asked.sent),
        has_prompt=prompt_of(asked) == track.prompt,
        start=start,
        written_alike=sum(map(is_, expected, asked.sent)),
        shared=sum(track.memory.holds(one.key) for one in asked.said),
        newest=track.newest,
    )


def is_next(asked: Asked, track: Track) -> bool:
    """Tell whether a request has all that is visible in a lane, the same tools, and more."""
    size = len(track.memory.raws)
    has_tools = track.asked is not None and track.asked.tools == asked.tools
    return has_tools and size < len(asked.sent) and track.memory.shared(asked.sent) == size


def is_telling(sent: Sent) -> bool:
    """Tell whether hardly anybody else would say the same: it is long, a call, or data."""
    has_data = any(isinstance(part, DataPart) for part in sent.message.parts)
    return bool(sent.ids) or has_data or len(sent.message.text) >= SHORTEST


def was_last(sent: Sent, asked: Asked, track: Track | None) -> bool:
    """Tell whether a short answer was the newest of a lane with the same prompt."""
    if track is None or not track.answer or track.answer[0].key != sent.key:
        return False
    return prompt_of(asked) == track.prompt


def has_in_common(asked: Asked, track: Track) -> bool:
    """Tell whether a request has more than its first message from a lane."""
    shared = [one for one in asked.said if track.memory.holds(one.key)]
    if len(shared) < FEWEST_SHARED:
        return False
    return any(map(is_telling, shared)) or prompt_of(asked) == track.prompt


def goes_on_from(asked: Asked, track: Track) -> bool:
    """Tell whether a request goes on from what a lane sent last, with an answer nobody saw."""
    visible = track.memory.visible
    if not visible:
        return False
    places = [place for place, one in enumerate(asked.sent) if one.key == visible[-1].key]
    follows: Sent | None = next(
        (asked.sent[at + 1] for at in places if at + 1 < len(asked.sent)), None
    )
    if follows is None or follows.message.role != "assistant":
        return False
    return not track.answer or is_alike(track.answer[0], follows)


def is_beside(asked: Asked, track: Track) -> bool:
    """Tell whether a request only looks at a conversation: without its tools and its prompt."""
    has_lost = bool(track.tools) and not asked.tools
    return has_lost and prompt_of(asked) != track.prompt
