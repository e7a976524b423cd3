"""What is done to the sessions of a library: each says what came of it, most can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from core import Conversation, Refused
from core.errors import shown
from core.storage import Entry, Library, StorageError
from ctxtui.files.paths import read_path
from ctxtui.files.reading import Unreadable
from ctxtui.files.sessions import open_target, started
from ctxtui.models.told import NOTHING_CHANGED, Told, done, warned
from ctxtui.symbols import unsafe

PROBLEMS = (Refused, Unreadable, OSError)
"""What may go wrong with a library: all of it is said in a sentence."""


class UndoStep(NamedTuple):
    """Something that was done: how to take it back, and what to say then."""

    take_back: Callable[[], object]
    told: str


class Done(NamedTuple):
    """What came of something that was done."""

    told: Told | None = None
    made: str | None = None
    """The id of the session that was made."""
    step: UndoStep | None = None
    """How to take it back."""


def sentence_of(problem: Exception) -> str:
    """Return what went wrong as a sentence."""
    if isinstance(problem, OSError):
        place = f"{problem.filename}: " if problem.filename else ""
        return f"{place}{problem.strerror or problem}"
    return str(problem)


# Making


def make(library: Library) -> Done:
    """Make a session without messages."""
    session = library.create(started(Conversation()), title="untitled")
    if not session.is_saved:
        session.abandon()
        raise StorageError(session.problem or "it can't be saved", field="session")
    session.close()
    return Done(made=session.id)


def take_in(library: Library, path: str) -> Done:
    """Make a session of a file; there may be one already."""
    known = {entry.id for entry in library.list()}
    with open_target(library, str(read_path(path))) as session:
        word = "There already" if session.id in known else "Imported"
        title, notes = f"{word}: {session.title}", " ".join(session.notes[:3])
        return Done(warned(title, notes) if notes else done(title), made=session.id)


def duplicate(library: Library, entry: Entry) -> Done:
    """Make a session with the same history."""
    with library.duplicate(entry.id) as session:
        notes = " ".join(session.notes[:3])
        return Done(warned(f"Duplicated: {entry.title}", notes) if notes else None, session.id)


# Changing


def describe(library: Library, entry: Entry, news: Mapping[str, Any]) -> Done:
    """Change title, tags or status of a session."""
    _must_be_writing(news.get("title", ""))
    with library.open(entry.id) as session:
        if session.id != entry.id:
            raise StorageError(session.notes[0], field="session", value=entry.id)
        old = session.details
        session.describe(**news)
        new = session.details
    before = {name: getattr(old, name) for name in news}
    if before == {name: getattr(new, name) for name in news}:
        return Done(NOTHING_CHANGED)
    told = f"{new.title} {_again(before)} again."
    return Done(step=UndoStep(partial(_describe_again, library, entry.id, before), told))


def _describe_again(library: Library, id: str, before: Mapping[str, Any]) -> None:
    with library.open(id) as session:
        session.describe(**before)


def _again(before: Mapping[str, Any]) -> str:
    """Return what a session is again, in words."""
    match dict(before):
        case {"title": title}:
            return f"is called {title}"
        case {"tags": tags}:
            return f"has the tags {', '.join(tags)}" if tags else "has no tags"
        case _:
            return f"is {before['status']}"


def _must_be_writing(title: str) -> None:
    """Refuse a title with characters that are no part of any writing."""
    char = unsafe(title)
    if char is not None:
        legal = "letters, signs and spaces, no control characters"
        why = f"title {shown(title)} holds U+{ord(char):04X}; legal are {legal}"
        raise Refused(why, field="title", value=title, legal=legal)


def delete(library: Library, entry: Entry) -> Done:
    """Put a session into the trash."""
    library.delete(entry.id)
    told = f"{entry.title} is out of the trash again."
    step = UndoStep(partial(library.restore, entry.id), told)
    return Done(done(f"{entry.title} is in the trash", "", ("u", "puts it back")), step=step)
