"""Placing: the lane an exchange is recorded in, which may have to be begun."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from .asked import NO_HINTS, Asked, Hints, Sent
from .exchange import Exchange
from .finding import NOTHING, Evidence, Finder, Found
from .lanes import SIDES, Lane, Role, short_name
from .memory import Memory
from .nearness import is_next, is_telling
from .quoting import Unclaimed
from .track import Track


def _is_repeated(exchange: Exchange, asked: Asked) -> bool:
    """Tell whether an exchange begins no conversation, but goes with one that is there."""
    return asked.purpose == "count" or exchange.is_passing or exchange.attempts > 0


def _is_minor(track: Track) -> bool:
    """Tell whether a lane is one question without tools, as for a title."""
    asked = track.asked
    return asked is not None and track.calls == 1 and not asked.tools and len(asked.said) == 1


def _is_main(asked: Asked) -> bool:
    """Tell whether a request is a conversation's own: nobody counts or gives tools for a title."""
    return bool(asked.tools) or asked.purpose == "count"


class Placer:
    """Puts exchanges into lanes, and what was asked beside a conversation into one beside it."""

    def __init__(self, unclaimed: Unclaimed, remember: Callable[[], Memory]) -> None:
        self.tracks: list[Track] = []
        self.finder = Finder(self.tracks, unclaimed)
        self._unclaimed = unclaimed
        self._remember = remember

    def place(self, exchange: Exchange, asked: Asked) -> tuple[Track, Evidence]:
        """Return the lane of an exchange, and what told it."""
        found = self.finder.find(asked)
        if found.lane is None and _is_repeated(exchange, asked):
            found = self.finder.twin(asked)
        if found.lane is not None and self._was_before(self.tracks[found.lane], found, asked):
            found = NOTHING
        if found.lane is not None:
            found = self._turned_round(self.tracks[found.lane], found, asked)
        main = self._begin(asked) if found.lane is None else self.tracks[found.lane]
        role = self._role(exchange, asked, found)
        if role == "main":
            return main, found.by
        if role != "asides":
            self.finder.note_attempt(asked, main.lane.id)
        return self._beside(main, role), found.by

    def open(self, lane: Lane, hints: Hints = NO_HINTS) -> Track:
        """Return a new lane of which is known what it is."""
        track = Track(lane, hints, self._remember())
        self.tracks.append(track)
        self.finder.add(track)
        return track

    def forget(self, track: Track) -> None:
        """Put nothing more into a lane, whatever tells that it belongs there."""
        track.is_gone, track.pending = True, ()
        self.finder.forget(track)

    def link_agents(self, track: Track, news: Sequence[Sent]) -> None:
        """Link lanes to the calls whose results hold their answers: they were called by these."""
        for one in news:
            if one.message.role != "tool":
                continue
            for quoted in self._unclaimed.quoted_in(one.message.search_text):
                other = self.tracks[quoted.lane]
                is_free = other.lane.role == "main" and other.lane.parent is None
                if is_free and other is not track and not self._is_below(track, other):
                    call = next(iter(one.message.results), None)
                    other.lane = replace(other.lane, role="agent", parent=track.lane.id, call=call)

    def _role(self, exchange: Exchange, asked: Asked, found: Found) -> Role:
        """Return what an exchange is to its conversation."""
        if asked.purpose == "count":
            return "counts"
        if exchange.is_passing:
            return "attempts"
        if found.is_aside or asked.purpose == "compact":
            return "asides"
        last = None if found.lane is None else self.tracks[found.lane].asked
        is_again = last is not None and last.digest == asked.digest
        return "attempts" if is_again and exchange.attempts else "main"

    def _begin(self, asked: Asked) -> Track:
        """Return a new conversation, linked to the call that began it if one did."""
        first = next(iter(asked.said), None)
        text = "" if first is None else first.message.text
        number = len(self.tracks)
        name = asked.hints.tag or short_name(text) or f"{asked.kind} {number}"
        lane = Lane(number, name, asked.kind)
        caller = self.finder.caller(asked)
        if caller is not None:
            lane = replace(lane, role="agent", parent=caller[0], call=caller[1])
        main = self.open(lane, asked.hints)
        for track in self.finder.fellows(asked):
            if track is not main and _is_minor(track) and _is_main(asked):
                is_known = first is not None and is_telling(first) and track.memory.holds(first.key)
                if is_known or asked.hints != NO_HINTS:
                    self._put_aside(track, main)
        return main

    def _was_before(self, track: Track, found: Found, asked: Asked) -> bool:
        """Tell whether a lane only has what was asked before the conversation began: a title."""
        return found.by == "name" and found.is_aside and _is_minor(track) and _is_main(asked)

    def _turned_round(self, main: Track, found: Found, asked: Asked) -> Found:
        """Let what was taken for a side call be the conversation, once it goes on."""
        if not _is_minor(main):
            return found
        for track in self.tracks:
            is_aside = track.lane.role == "asides" and track.lane.parent == main.lane.id
            if is_aside and track.calls == 1 and is_next(asked, track):
                self._stand_for(main, track)
                return Found(track.lane.id, "messages")
        return found

    def _stand_for(self, main: Track, track: Track) -> None:
        """Let a side lane stand where the lane beside it stood, and that one beside it."""
        first = next(track.said, None)
        name = main.hints.tag or short_name("" if first is None else first.message.text)
        name = name or f"{track.lane.kind} {track.lane.id}"
        track.lane = replace(main.lane, id=track.lane.id, name=name)
        for other in self.tracks:
            if other.lane.parent == main.lane.id:
                other.lane = replace(other.lane, parent=track.lane.id)
        self._put_aside(main, track)
        self.finder.add(track)

    def _put_aside(self, track: Track, main: Track) -> None:
        """Let what was asked first be what was asked beside a conversation that came later."""
        self.finder.drop(track)
        track.lane = replace(
            track.lane, name=SIDES["asides"], role="asides", parent=main.lane.id, call=None
        )

    def _beside(self, main: Track, role: Role) -> Track:
        """Return the lane of a role beside another, which is begun if there is none."""
        for track in self.tracks:
            is_beside = track.lane.parent == main.lane.id and track.lane.role == role
            if is_beside and not track.is_gone:
                return track
        number = len(self.tracks)
        return self.open(Lane(number, SIDES[role], main.lane.kind, role, main.lane.id), main.hints)

    def _is_below(self, track: Track, other: Track) -> bool:
        """Tell whether a lane was called, directly or not, by another."""
        above: int | None = track.lane.parent
        while above is not None:
            if above == other.lane.id:
                return True
            above = self.tracks[above].lane.parent
        return False
