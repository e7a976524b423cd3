"""What is done to recorded lanes: merging, splitting; what was there goes to the trash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.errors import Refused, format_value, out_of_range
from ctxtui.core.formats.merge_threads import merge_threads, split_thread
from ctxtui.core.storage import Library, Session, StorageError, ThreadPlace
from ctxtui.core.storage.details import Details, tidy_title
from ctxtui.core.values.models import read_number


class Made(NamedTuple):
    """A session that was made: its id, its title, and how many calls it has."""

    id: str
    title: str
    calls: int


class Mended(NamedTuple):
    """What became of lanes: the sessions made, those that are in the trash, and the way back."""

    made: tuple[Made, ...]
    gone: tuple[str, ...]
    take_back: Callable[[], None]


class _Part(NamedTuple):
    """A conversation that is about to be a session."""

    conversation: Conversation
    details: Details


def merge(library: Library, into: str, others: Sequence[str], *, wait: float = 0.0) -> Mended:
    """Make one session of the calls of several, named after the first."""
    if into in others:
        name = format_value(_title(library, into))
        raise Refused(f"{name} can't be merged into itself", field="session", value=into)
    ids = (into, *dict.fromkeys(others))
    with _held(library, ids, wait) as (target, *rest):
        beside = _beside(library, target, ids)
        talks = [one.conversation for one in rest]
        made = merge_threads(target.conversation, talks, [one.conversation for one in beside])
        place = _merged_place([one.details.thread for one in (target, *rest)])
        parts = [_Part(made, target.details._replace(thread=place))]
    return _replaced(library, ids, parts)


def split(library: Library, id: str, call: int, *, wait: float = 0.0) -> Mended:
    """Make two sessions of one: its calls before one, the first being 1, and those from it on."""
    with _held(library, (id,), wait) as (session,):
        size = len(session.conversation.calls.all)
        if not 1 < read_number(call, "call") <= size:
            raise out_of_range("call", call, f"2…{size}" if size > 1 else f"what has {size} calls")
        beside = _beside(library, session, (id,))
        talks = [one.conversation for one in beside]
        first, second = split_thread(session.conversation, call - 1, talks)
        details, place = session.details, session.details.thread
        new = None
        if place is not None:
            known = [one.details.thread for one in beside]
            used = [number for one in (place, *known) if one is not None for number in one.threads]
            new = place._replace(thread=max(used) + 1, also=())
        title = tidy_title(f"{details.title} from call {call}")
        parts = [_Part(first, details), _Part(second, details._replace(title=title, thread=new))]
    return _replaced(library, (id,), parts)


@contextmanager
def _held(library: Library, ids: Sequence[str], wait: float) -> Iterator[list[Session]]:
    """Hold some sessions, so that nobody else writes them meanwhile; refuse if somebody does."""
    with ExitStack() as stack:
        held = [stack.enter_context(library.open(id, wait=wait)) for id in ids]
        for id, session in zip(ids, held, strict=True):
            if session.id != id:
                raise StorageError(session.notes[0], field="session", value=id)
        yield held


def _beside(library: Library, session: Session, ids: Sequence[str]) -> list[Session]:
    """Return the sessions that were recorded with one, as far as they can be read."""
    found, details = [], session.details
    run, source = details.thread and details.thread.run, details.source
    for entry in library.list():
        is_of_run = run is not None and entry.run == run
        is_of_file = source is not None and (entry.source, entry.content) == source[:2]
        if (is_of_run or is_of_file) and entry.id not in ids:
            with suppress(Refused):
                found.append(library.open(entry.id, read_only=True))
    return found


def _merged_place(places: Sequence[ThreadPlace | None]) -> ThreadPlace | None:
    """Return where the first of some lanes stands when the others are part of it."""
    place = places[0]
    if place is None:
        return None
    same = [one for one in places[1:] if one is not None and one.run == place.run]
    also = [thread for one in (place, *same) for thread in one.threads if thread != place.thread]
    if place.parent in also:
        place = place._replace(role="main", parent=None, call=None)
    return place._replace(also=tuple(dict.fromkeys(also)))


def _replaced(library: Library, ids: Sequence[str], parts: Sequence[_Part]) -> Mended:
    """Put new sessions in the place of others; either all of it is done, or nothing."""
    made: list[Made] = []
    gone: list[str] = []
    try:
        for part in parts:
            made.append(_kept(library, part))
        for id in ids:
            library.delete(id)
            gone.append(id)
    except Exception:
        for id in gone:
            library.restore(id)
        for one in made:
            library.delete(one.id)
            library.purge(one.id)
        raise
    new = tuple(one.id for one in made)
    return Mended(tuple(made), tuple(gone), partial(_swap, library, new, tuple(gone)))


def _swap(library: Library, away: Sequence[str], back: Sequence[str]) -> None:
    """Put some sessions into the trash and take others out of it, or leave all as it is."""
    moved: list[str] = []
    try:
        for id in away:
            library.delete(id)
            moved.append(id)
        for id in back:
            library.restore(id)
    except Exception:
        for id in moved:
            library.restore(id)
        raise


def _kept(library: Library, part: _Part) -> Made:
    """Make a session and close it; one that the disk does not take is no session."""
    details = part.details
    session = library.create(
        part.conversation,
        title=details.title,
        source=details.source,
        thread=details.thread,
        warnings=details.warnings,
    )
    if not session.is_saved:
        session.abandon()
        raise StorageError(session.problem or "it can't be saved", field="session")
    with session:
        told = {"tags": details.tags, "status": details.status, "note": details.note}
        session.describe(**told)
        return Made(session.id, session.title, len(part.conversation.calls.all))


def _title(library: Library, id: str) -> str:
    return next((entry.title for entry in library.list() if entry.id == id), id)
