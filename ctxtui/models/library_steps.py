"""What is done to the sessions of a library: each says what came of it, most can be undone.

Everything is done to as many sessions as are given, as one step. Where one of them can't be
changed, the others are, and it is said which one was not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.storage import Entry, Library, StorageError
from ctxtui.files.paths import read_path
from ctxtui.files.sessions import open_target, started
from ctxtui.models.told import Told, done, sentence_of, warned
from ctxtui.words import plural


class UndoStep(NamedTuple):
    """Something that was done: how to take it back, what to say then, and to which sessions."""

    take_back: Callable[[], Done]
    told: str
    word: str = ""
    """What was done, in a word, for who asks what would be taken back."""
    ids: tuple[str, ...] = ()


class Done(NamedTuple):
    """What came of something that was done."""

    told: Told | None = None
    made: tuple[str, ...] = ()
    """The ids of sessions that were made."""
    step: UndoStep | None = None
    """How to take it back."""
    changed: tuple[Entry, ...] = ()
    """The sessions that were changed, as they are now; those that came or went are not here."""
    instead: tuple[tuple[str, str], ...] = ()
    """The ids of sessions that are gone, each with that of the new one in its place."""
    must_list: bool = False
    """Whether sessions came or went, so that the library has to be listed again."""


# Making


def make(library: Library) -> Done:
    """Make a session without messages."""
    session = library.create(started(Conversation()), title="untitled")
    if not session.is_saved:
        session.abandon()
        raise StorageError(session.problem or "it can't be saved", field="session")
    session.close()
    return Done(made=(session.id,), must_list=True)


def take_in(library: Library, path: str) -> Done:
    """Make sessions of a file; there may be some already."""
    known = {entry.id for entry in library.list()}
    with open_target(library, str(read_path(path))) as session:
        word = "There already" if session.id in known else "Imported"
        title, first = f"{word}: {session.title}", session.id
        facts = " ".join(f"{fact}." for fact in session.facts)
        notes = " ".join((*session.notes[:3], facts)).strip()
        told = warned(title, notes) if session.notes else done(title, facts)
    fresh = [entry for entry in library.list() if entry.id not in known and entry.id != first]
    # The first conversation of a file comes last, to stand above the others.
    made = [entry.id for entry in sorted(fresh, key=lambda entry: -entry.part)]
    return Done(told, (*made, first), must_list=True)


def duplicate(library: Library, entries: Sequence[Entry]) -> Done:
    """Make sessions with the same history."""
    made: list[str] = []
    titles: list[str] = []
    notes: list[str] = []
    for entry in reversed(entries):
        try:
            with library.duplicate(entry.id) as session:
                made.append(session.id)
                said = session.notes[:3]
        except Exception as problem:
            if len(entries) == 1:
                raise
            said = (sentence_of(problem),)
        if said:
            titles.append(entry.title)
            notes += said
    told = warned(f"Duplicated: {', '.join(titles[:3])}", " ".join(notes[:3])) if notes else None
    return Done(told, tuple(made), made_step(library, made, "duplicate"), must_list=True)


def made_step(library: Library, ids: Sequence[str], word: str) -> UndoStep | None:
    """Return how to take back that sessions were made: they go to the trash."""
    listed = [library.listing.one(id) for id in ids]
    entries = [found[0] for found in listed if found is not None]
    if not entries:
        return None
    verb = "are" if len(entries) > 1 else "is"
    told = f"{plural(len(entries), 'new session')} {verb} in the trash."
    return UndoStep(partial(_away, library, entries), told, word, tuple(ids))


def _away(library: Library, entries: Sequence[Entry]) -> Done:
    """Put sessions that were made into the trash; those that are gone already need not go."""
    left = [entry for entry in entries if library.listing.one(entry.id) is not None]
    if not left:
        return Done(must_list=True)
    gone = delete(library, left)
    is_whole = gone.step is not None and len(gone.step.ids) == len(left)
    return gone._replace(told=None if is_whole else gone.told, step=None)


# The trash


def delete(library: Library, entries: Sequence[Entry]) -> Done:
    """Put sessions into the trash."""
    gone, problem = _moved(library.delete, entries)
    names = _names(gone)
    told = f"{names} {'are' if len(gone) > 1 else 'is'} out of the trash again."
    ids = tuple(entry.id for entry in gone)
    step = UndoStep(partial(_restored, library, gone), told, "trash", ids)
    verb = "are" if len(gone) > 1 else "is"
    answer = ("u", "puts them back" if len(gone) > 1 else "puts it back")
    title = f"{names} {verb} in the trash"
    return Done(
        warned(title, problem, answer) if problem else done(title, "", answer),
        step=step,
        must_list=True,
    )


def restore(library: Library, entries: Sequence[Entry]) -> Done:
    """Take sessions out of the trash."""
    back, problem = _moved(library.restore, entries)
    title = f"{_names(back)} {'are' if len(back) > 1 else 'is'} out of the trash"
    made = tuple(entry.id for entry in back)
    return Done(warned(title, problem) if problem else done(title), made, must_list=True)


def _restored(library: Library, entries: Sequence[Entry]) -> Done:
    gone = [entry for entry in entries if entry.id in library.trash] or entries
    _moved(library.restore, gone)
    return Done(must_list=True)


def _moved(move: Callable[[str], None], entries: Sequence[Entry]) -> tuple[list[Entry], str]:
    """Move sessions; return those that were, and why the last of the others was not."""
    moved: list[Entry] = []
    problem = ""
    for entry in entries:
        try:
            move(entry.id)
        except Exception as error:
            if not moved and entry is entries[-1]:
                raise
            problem = sentence_of(error)
        else:
            moved.append(entry)
    return moved, problem


def _names(entries: Sequence[Entry]) -> str:
    return entries[0].title if len(entries) == 1 else plural(len(entries), "session")
