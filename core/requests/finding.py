"""Finding the lane of a request, by the surest thing that tells: ids, then answers, then content.

In this order: the response it goes on from; what a user, a client or a session calls it, which only
lanes of the same name can be; ids of calls that were answered with; an answer that is one of its
messages; an answer that one of its messages holds; and messages in common, but never a first one
alone, since many conversations begin alike. Lanes are of one kind.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from .asked import NO_HINTS, Answered, Asked, Hints, tools_in
from .digests import digest
from .exchange import Kind
from .nearness import (
    goes_on_from,
    has_in_common,
    is_beside,
    is_next,
    is_telling,
    nearness,
    was_last,
)
from .quoting import SHORTEST, Unclaimed
from .track import Track, prompt_of

Evidence = Literal[
    "response", "attempt", "tool ids", "answer", "quoted answer", "messages", "name", "none"
]
Named = OrderedDict[int, Track]
"""Lanes of one kind and name by their id, the one that was used last at the end."""
MOST_LANES = 200
"""How many lanes, the newest first, are looked at message by message."""
FEWEST_QUOTED = 2
LONG_QUOTE = 40
"""Characters of an answer that tells the lane of whoever holds it: a summary, not a phrase."""


class Found(NamedTuple):
    """The lane that a request belongs to, by what, and whether it was asked beside it."""

    lane: int | None
    by: Evidence
    is_aside: bool = False


NOTHING = Found(None, "none")


class Finder:
    """Knows which lane gave which answer."""

    def __init__(self, tracks: Sequence[Track], unclaimed: Unclaimed) -> None:
        self._tracks = tracks
        self._unclaimed = unclaimed
        self._responses: dict[str, int] = {}
        self._attempts: dict[bytes, int] = {}
        self._named: dict[tuple[Kind, Hints], Named] = {}
        self._ids: dict[str, dict[int, None]] = {}
        self._answers: dict[bytes, dict[int, None]] = {}

    def add(self, track: Track) -> None:
        """Take note of a lane, which is the newest of its name."""
        if not track.lane.is_side:
            named = self._named.setdefault((track.lane.kind, track.hints), OrderedDict())
            named[track.lane.id] = track
            named.move_to_end(track.lane.id)

    def drop(self, track: Track) -> None:
        """Look for no request's lane there any more."""
        named = self._named.get((track.lane.kind, track.hints))
        if named is not None:
            named.pop(track.lane.id, None)

    def forget(self, track: Track) -> None:
        """Drop a lane, and which answers it gave."""
        self.drop(track)
        lane = track.lane.id
        self._responses = {id: one for id, one in self._responses.items() if one != lane}
        self._attempts = {key: one for key, one in self._attempts.items() if one != lane}
        for lanes in (*self._ids.values(), *self._answers.values()):
            lanes.pop(lane, None)

    def fellows(self, asked: Asked) -> list[Track]:
        """Return the lanes of a request's kind and name, the newest first."""
        return [track for _, track in _newest(self._of_name(asked))]

    def _of_name(self, asked: Asked) -> Named:
        return self._named.get((asked.kind, asked.hints), OrderedDict())

    def note(self, asked: Asked, answered: Answered | None, lane: int) -> None:
        """Remember what came back in a lane."""
        self.add(self._tracks[lane])
        if asked.previous is not None:
            self._responses.setdefault(asked.previous, lane)
        if answered is None:
            return
        if answered.id is not None:
            self._responses[answered.id] = lane
        for one in answered.sent:
            self._answers.setdefault(one.key, {})[lane] = None
            for id in one.ids:
                self._ids.setdefault(id, {})[lane] = None

    def note_attempt(self, asked: Asked, lane: int) -> None:
        """Remember that a request will be sent again."""
        self._attempts[_messages_of(asked)] = lane

    def find(self, asked: Asked) -> Found:
        """Return the lane of a request."""
        for id in (asked.previous, asked.after):
            if id is not None and id in self._responses:
                return Found(self.main(self._responses[id]), "response")
        tracks = self._of_name(asked)
        attempted = self._attempts.get(_messages_of(asked)) if self._attempts else None
        if attempted in tracks:
            return Found(attempted, "attempt")
        known = self._by_ids(asked, tracks)
        if known is not None:
            return Found(known, "tool ids", is_beside(asked, tracks[known]))
        known = self._by_answer(asked, tracks)
        if known is not None:
            return Found(known, "answer", is_beside(asked, tracks[known]))
        beside = self._quoting(asked, tracks)
        if beside is not None:
            return Found(beside, "messages", is_aside=True)
        quoted = self._by_quote(asked, tracks)
        if quoted is not None:
            return Found(quoted, "quoted answer")
        shared = self._by_messages(asked, tracks)
        if shared is not None:
            return Found(shared, "messages", is_beside(asked, tracks[shared]))
        return self._by_name(asked, tracks)

    def twin(self, asked: Asked) -> Found:
        """Return the lane in which the very same messages are visible."""
        for track in self.fellows(asked):
            size = len(track.memory.raws)
            if size == len(asked.sent) == track.memory.shared(asked.sent) > 0:
                return Found(track.lane.id, "messages")
        return NOTHING

    def main(self, lane: int) -> int:
        """Return the lane that another stands beside, or the lane itself."""
        track = self._tracks[lane]
        return track.lane.parent if track.lane.is_side and track.lane.parent is not None else lane

    def caller(self, asked: Asked) -> tuple[int, str | None] | None:
        """Return the lane, and the call if that is known, that began what a new lane asks."""
        texts = [one.message.text for one in asked.said[:1]]
        for track in sorted(self._tracks, key=lambda one: -one.newest):
            if track.lane.is_side or track.hints.tag != asked.hints.tag:
                continue
            for pending in track.pending:
                if any(_is_told(text, told) for text in texts for told in pending.texts):
                    return track.lane.id, pending.id
        same = (
            track.lane.id
            for track in self._tracks
            if asked.hints.agent is not None
            and asked.hints.session is not None
            and track.hints == asked.hints._replace(agent=None)
            and not track.lane.is_side
        )
        found = next(same, None)
        return None if found is None else (found, None)

    def _by_ids(self, asked: Asked, tracks: Named) -> int | None:
        for one in reversed(asked.sent if self._ids else ()):
            for id in one.ids:
                lanes = self._ids.get(id)
                found = None if lanes is None else self._nearest(asked, lanes, tracks)
                if found is not None:
                    return found
        return None

    def _by_answer(self, asked: Asked, tracks: Named) -> int | None:
        for one in reversed(asked.sent):
            if one.message.role != "assistant" or one.key not in self._answers:
                continue
            lanes: Iterable[int] = self._answers[one.key]
            if not is_telling(one):
                lanes = [lane for lane in lanes if was_last(one, asked, tracks.get(lane))]
            found = self._nearest(asked, lanes, tracks)
            if found is not None:
                return found
        return None

    def _nearest(self, asked: Asked, lanes: Iterable[int], tracks: Named) -> int | None:
        """Return the lane, of some, that goes on with a request for the longest."""
        known = [lane for lane in dict.fromkeys(map(self.main, lanes)) if lane in tracks]
        if not known:
            return None
        if len(known) == 1 and is_next(asked, tracks[known[0]]):
            return known[0]
        near, best = max((nearness(asked, tracks[lane]), lane) for lane in known)
        if near.has_tools and (near.goes_on or 2 * near.shared >= len(asked.said)):
            return best
        # Two may have been told the same; who has more of the rest is asked, too.
        other = self._by_messages(asked, tracks)
        if other is not None and nearness(asked, tracks[other]).rest > near.rest:
            return other
        return best if near.has_prompt or near.shared else None

    def _by_quote(self, asked: Asked, tracks: Named) -> int | None:
        """Return the lane of an answer that a message holds, which no lane has held before."""
        for one in asked.sent:
            if one.message.role in ("user", "system"):
                for quoted in self._unclaimed.quoted_in(one.message.text):
                    lane = self.main(quoted.lane)
                    is_long = len(quoted.text) >= LONG_QUOTE
                    if is_long and lane in tracks and not tracks[lane].memory.holds(one.key):
                        return lane
        return None

    def _quoting(self, asked: Asked, tracks: Named) -> int | None:
        """Return the lane that a lone message speaks about: it repeats what was said there."""
        said = asked.said
        if len(said) != 1 or asked.tools:
            return None
        text = said[0].message.text
        for lane, track in _newest(tracks):
            others = list(track.said)
            if not others or prompt_of(asked) == track.prompt != ():
                continue
            if others[0].key == said[0].key and track.tools and is_telling(said[0]):
                return lane
            told = (one.message.text for one in others)
            if sum(len(one) >= SHORTEST and one in text for one in told) >= FEWEST_QUOTED:
                return lane
        return None

    def _by_messages(self, asked: Asked, tracks: Named) -> int | None:
        """Return the lane with the most messages in common."""
        near = [
            (nearness(asked, track), lane)
            for lane, track in _newest(tracks)
            if has_in_common(asked, track) or goes_on_from(asked, track)
        ]
        return max(near)[1] if near else None

    def _by_name(self, asked: Asked, tracks: Named) -> Found:
        """Return the lane of a name; what has another prompt or other tools was asked beside it."""
        if asked.hints == NO_HINTS or not tracks:
            return NOTHING
        lane, track = next(_newest(tracks))
        is_same = prompt_of(asked) == track.prompt and tools_in(asked.tools) == track.tools
        return Found(lane, "name", is_aside=track.asked is not None and not is_same)


def _newest(tracks: Named) -> Iterator[tuple[int, Track]]:
    """Yield lanes from the one that was used last on."""
    return islice(((lane, tracks[lane]) for lane in reversed(tracks)), MOST_LANES)


def _is_told(text: str, told: str) -> bool:
    """Tell whether a prompt is what a call was given, or holds it."""
    return len(text) >= SHORTEST and (told in text or text in told)


def _messages_of(asked: Asked) -> bytes:
    return digest(b"".join(one.key for one in asked.sent))
