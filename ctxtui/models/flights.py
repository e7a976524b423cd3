"""Calls in flight: asked through a proxy that still runs, and not answered to the end yet.

The proxy puts each call down in the spool before it is answered, so that nothing has to be told
twice: a slip without an answer, of a run that somebody holds, is a call in flight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ctxtui.core.engine.messages import Message
from ctxtui.core.errors import Refused
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.formats.json_text import read_json
from ctxtui.core.requests.bodies import ParsedRequest
from ctxtui.core.requests.exchange import KINDS, Exchange
from ctxtui.core.storage import Library, Slip
from ctxtui.core.values.times import read_time

if TYPE_CHECKING:
    from ctxtui.core import Conversation

MOST_COMPARED = 2_000
"""Messages at the end of a lane that a request is compared with."""
BEYOND = 36**12
"""More than the number of any session."""
LONGEST_TEXT = 300
UNREADABLE = (Refused, OSError, ValueError, TypeError, LookupError, RecursionError)


class Flight(NamedTuple):
    """A call in flight: since when, what it asks, and the session of its lane if it has one."""

    slip: str
    time: int
    model: str = ""
    messages: int = 0
    role: str = ""
    text: str = ""
    """The message that is to be answered."""
    session: str | None = None

    @property
    def key(self) -> int:
        """Return a number that is its own, and no session's."""
        run, _, number = self.slip.partition("-")
        return BEYOND * (1 + int(number)) + int(run, 36)


class Written(Protocol):
    """A lane that a call may go on with."""

    @property
    def id(self) -> str:
        """Return the id of its session."""
        ...

    @property
    def conversation(self) -> Conversation:
        """Return what it holds."""
        ...


class Flights:
    """Looks who is in flight; each slip is read once, and again when it changes."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[str, tuple[int, Flight | None]] = {}

    def look(self, lanes: Sequence[Written]) -> list[Flight]:
        """Return the calls in flight, the oldest first; ``lanes`` are those being written."""
        try:
            slips = self._library.spool.running()
        except OSError:
            slips = []
        known, self._known = self._known, {}
        for slip in slips:
            changed, before = slip.changed(), known.get(slip.name)
            is_same = before is not None and before[0] == changed
            flight = before[1] if before is not None and is_same else _read(slip, lanes)
            self._known[slip.name] = (changed, flight)
        found = (flight for _, flight in self._known.values())
        return sorted((one for one in found if one is not None), key=lambda one: one.time)


def _read(slip: Slip, lanes: Sequence[Written]) -> Flight | None:
    """Return the flight that a slip is; None where an answer has come, or it is none."""
    try:
        lines = slip.lines()
        if len(lines) != 1:
            return None
        head = read_json(lines[0].decode("utf-8"))
        return _flight(slip.name, head, lanes)
    except UNREADABLE:
        return None


def _flight(name: str, head: Any, lanes: Sequence[Written]) -> Flight | None:
    match head:
        case {"kind": kind, "path": str(path), "time": time, "request": Mapping() as request} if (
            kind in KINDS
        ):
            known = Flight(name, read_time(time, "time"))
        case _:
            return None
    try:
        asked = BodyReader().parse_request(Exchange(request, kind=kind, path=path))
    except UNREADABLE:
        return known  # It is passed on all the same, and so it is in flight.
    said = [one.message for one in asked.sent]
    last = said[-1] if said else None
    return known._replace(
        model=asked.model or "",
        messages=len(said),
        role="" if last is None else last.role,
        text="" if last is None else last.text[:LONGEST_TEXT],
        session=_goes_on_with(asked, said, lanes),
    )


def _goes_on_with(
    asked: ParsedRequest, said: Sequence[Message], lanes: Sequence[Written]
) -> str | None:
    """Return the session of the lane that a request has most in common with.

    This is only for show: the recorder finds the lane by more than that once the call has ended.
    """
    best, most = None, 0
    for lane in lanes:
        calls = lane.conversation.calls.all
        if asked.previous is not None and calls and calls[-1].request == asked.previous:
            return lane.id
        common = _common(said, lane.conversation)
        if common > most:
            best, most = lane.id, common
    return best


def _common(said: Iterable[Message], conversation: Conversation) -> int:
    """Return how many messages of a request a lane holds; what a system says is in many."""
    log = conversation.log
    start = max(0, len(log) - MOST_COMPARED)
    held = {(one.role, one.text) for one in (log[raw] for raw in range(start, len(log)))}
    return sum(one.role != "system" and (one.role, one.text) in held for one in said)
