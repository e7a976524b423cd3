"""Resuming: sessions that were captured before, for a conversation that may go on with one.

They are looked for when a request begins no conversation of its own: by ids, names and words in it
that a session must hold in which it goes on. Only a look is taken at those that do. A session is
opened for writing when its conversation does go on, and left alone if it was changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import orjson

from ctxtui.core.conversation.conversation import Conversation
from ctxtui.core.formats.bodies import exchanges_of
from ctxtui.core.requests.bodies import ParsedRequest
from ctxtui.core.requests.exchange import KINDS
from ctxtui.core.requests.recording import EarlierThread
from ctxtui.core.requests.threads import Role, Thread
from ctxtui.core.storage import Library, StorageError, ThreadPlace

MOST_LOOKED_AT = 200
MOST_TAKEN_UP = 8
"""Sessions that are looked through, the newest first, and sessions that are read for a request."""
MOST_CALLS = 2_000
"""Calls of a session that is taken up again; a longer one goes on in a new session."""
MOST_MARKS = 8
SHORTEST, LONGEST = 12, 60
"""Characters of an answer that is looked for: too few would be found anywhere."""
Open = Callable[[str, Conversation], Conversation | None]
"""Opens a session for writing, and returns its conversation if it is still the given one."""


class LookedAt(NamedTuple):
    """A session that was captured: where it stands, and its thread."""

    place: ThreadPlace
    past: EarlierThread


def earlier(
    library: Library, asked: ParsedRequest, known: set[str], wake: Open
) -> Iterator[EarlierThread]:
    """Yield the conversations of sessions with which a request may go on, but those known."""
    marks = marks_of(asked)
    if not marks:
        return
    entries = [one for one in library.list()[:MOST_LOOKED_AT] if one.run and not one.problem]
    runs = {one.id: one.run for one in entries if one.id not in known}
    for id in islice(library.byte_search.of(marks, runs), MOST_TAKEN_UP):
        main = _looked_at(library, id, wake)
        if main is None or main.place.is_side:
            continue
        known.add(id)
        fellows = (one for one, run in runs.items() if run == main.place.run and one not in known)
        beside = []
        for other in fellows:
            side = _looked_at(library, other, wake)
            if side is not None and side.place.is_side and side.place.parent in main.place.threads:
                known.add(other)
                beside.append(side.past)
        yield main.past._replace(beside=tuple(beside))


def marks_of(asked: ParsedRequest) -> list[bytes]:
    """Return what stands in the session that a request goes on with; nothing if it goes on none."""
    hints = asked.hints
    ids = [asked.previous, asked.after, hints.session]
    told = [f'"tag":{_json(hints.tag)}'] if hints.tag else []
    said = [one for one in reversed(asked.sent) if one.message.role == "assistant"][:MOST_MARKS]
    ids += [id for one in said for id in one.message.calls][:MOST_MARKS]
    texts = (one.message.text[:LONGEST] for one in said)
    told += [_json(text)[1:-1] for text in texts if len(text) >= SHORTEST]
    return [mark.encode() for mark in (*(_json(id)[1:-1] for id in ids if id), *told)]


def _json(text: str) -> str:
    """Return a text as it stands in a file; one that can't stand there as it is, as nothing."""
    try:
        return orjson.dumps(text).decode()
    except TypeError:
        return '""'


def _looked_at(library: Library, id: str, wake: Open) -> LookedAt | None:
    """Return what a session holds; None where it is no thread, or somebody is writing it."""
    try:
        with library.open(id, read_only=True) as session:
            talk, holder, place = session.conversation, session.holder, session.details.thread
    except StorageError:
        return None
    thread = None if place is None else _thread(talk.meta.get("requests"), place.role)
    if place is None or thread is None or holder is not None or len(talk.calls.all) > MOST_CALLS:
        return None
    past = EarlierThread(thread, talk, list(exchanges_of(talk)), lambda: wake(id, talk))
    return LookedAt(place, past)


def is_same(one: Conversation, other: Conversation) -> bool:
    """Return whether nothing was done to a conversation since it was looked at."""
    return len(one.journal) == len(other.journal) and one.journal[-1] == other.journal[-1]


def _thread(told: Any, role: Role) -> Thread | None:
    """Return the thread that a conversation says it is, with the role that it was found to have."""
    match told:
        case {"name": str(name), "kind": kind} if kind in KINDS:
            return Thread(0, name, kind, role)
    return None
