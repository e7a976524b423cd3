"""What is done to the sessions of a library: each says what came of it, most can be undone.

Everything is done to as many sessions as are given, as one step. Where one of them can't be
changed, the others are, and it is said which one was not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from ctxtui.words import plural

PROBLEMS = (Refused, Unreadable, OSError)
"""What may go wrong with a library: all of it is said in a sentence."""


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
    must_list: bool = False
    """Whether sessions came or went, so that the library has to be listed again."""


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
    return Done(made=(session.id,), must_list=True)


def take_in(library: Library, path: str) -> Done:
    """Make sessions of a file; there may be some already."""
    known = {entry.id for entry in library.list()}
    with open_target(library, str(read_path(path))) as session:
        word = "There already" if session.id in known else "Imported"
        title, notes = f"{word}: {session.title}", " ".join(session.notes[:3])
        told, first = warned(title, notes) if notes else done(title), session.id
    fresh = [entry for entry in library.list() if entry.id not in known and entry.id != first]
    # The first conversation of a file comes last, to stand above the others.
    made = [entry.id for entry in sorted(fresh, key=lambda entry: -entry.part)]
    return Done(told, (*made, first), must_list=True)


def duplicate(library: Library, entries: Sequence[Entry]) -> Done:
    """Make sessions with the same history."""
    made: list[str] = []
    notes: list[str] = []
    titles: list[str] = []
    for entry in reversed(entries):
        with library.duplicate(entry.id) as session:
            made.append(session.id)
            if session.notes:
                titles.append(entry.title)
                notes += session.notes[:3]
    told = warned(f"Duplicated: {', '.join(titles[:3])}", " ".join(notes[:3])) if notes else None
    return Done(told, tuple(made), must_list=True)


# Changing


class _Changed(NamedTuple):
    """A session whose details were changed, as it is now, and what it said before."""

    entry: Entry
    before: Mapping[str, Any]


def describe(library: Library, entries: Sequence[Entry], news: Mapping[str, Any]) -> Done:
    """Change title, tags, status or note of sessions."""
    _must_be_writing(news.get("title", ""))
    return _changed(library, [(entry, news) for entry in entries])


def retag(
    library: Library, entries: Sequence[Entry], added: Sequence[str], removed: Sequence[str]
) -> Done:
    """Give tags to sessions and take some away; all others stay."""
    kept = {one.id: [tag for tag in one.tags if tag not in removed] for one in entries}
    return _changed(
        library, [(one, {"tags": [*dict.fromkeys((*kept[one.id], *added))]}) for one in entries]
    )


def _changed(library: Library, wanted: Sequence[tuple[Entry, Mapping[str, Any]]]) -> Done:
    """Change some sessions, each by what is wanted of it; what can't be changed is told."""
    changed: list[_Changed] = []
    problems: list[str] = []
    same = 0
    for entry, news in wanted:
        try:
            found = describe_one(library, entry, news)
        except PROBLEMS as problem:
            if len(wanted) == 1:
                raise
            problems.append(sentence_of(problem))
        else:
            same += found is None
            changed += [] if found is None else [found]
    told = _told_of(len(changed) + same, len(wanted), problems)
    if not changed:
        return Done(told or NOTHING_CHANGED)
    entries = tuple(one.entry for one in changed)
    return Done(told, step=_step_of(library, changed), changed=entries)


def describe_one(library: Library, entry: Entry, news: Mapping[str, Any]) -> _Changed | None:
    """Change what one session says about itself; None where it said so before."""
    with library.open(entry.id) as session:
        if session.id != entry.id:
            raise StorageError(session.notes[0], field="session", value=entry.id)
        before = {name: getattr(session.details, name) for name in news}
        session.describe(**news)
        after = {name: getattr(session.details, name) for name in news}
        now = entry._replace(**after, updated=session.details.updated)
    return None if before == after else _Changed(now, before)


def _told_of(done_to: int, whole: int, problems: Sequence[str]) -> Told | None:
    if not problems:
        return None
    return warned(f"{done_to:,} of {whole:,} were changed", problems[0])


def _step_of(library: Library, changed: Sequence[_Changed]) -> UndoStep:
    """Return how to take back what was changed: every session as it was."""
    wanted = [(one.entry, one.before) for one in changed]
    first = changed[0]
    told, word = f"{first.entry.title} {_again(first.before)} again.", _word(first)
    if len(changed) > 1:
        told = f"{plural(len(changed), 'session')} are as they were."
    ids = tuple(one.entry.id for one in changed)
    return UndoStep(partial(_changed, library, wanted), told, word, ids)


def _word(changed: _Changed) -> str:
    """Return what was done to a session, in a word."""
    return {"status": changed.entry.status, "tags": "tags", "note": "note"}.get(
        next(iter(changed.before)), "title"
    )


def judged(library: Library, entry: Entry, before: str) -> UndoStep:
    """Return how to take back a verdict that was given while a session was open."""
    return _step_of(library, [_Changed(entry, {"status": before})])


def _again(before: Mapping[str, Any]) -> str:
    """Return what a session is again, in words."""
    match dict(before):
        case {"title": title}:
            return f"is called {title}"
        case {"tags": tags}:
            return f"has the tags {', '.join(tags)}" if tags else "has no tags"
        case {"note": note}:
            return "has its note" if note else "has no note"
        case _:
            return f"is {before['status']}"


def _must_be_writing(title: str) -> None:
    """Refuse a title with characters that are no part of any writing."""
    char = unsafe(title)
    if char is not None:
        legal = "letters, signs and spaces, no control characters"
        why = f"title {shown(title)} holds U+{ord(char):04X}; legal are {legal}"
        raise Refused(why, field="title", value=title, legal=legal)


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
        except PROBLEMS as error:
            if not moved and entry is entries[-1]:
                raise
            problem = sentence_of(error)
        else:
            moved.append(entry)
    return moved, problem


def _names(entries: Sequence[Entry]) -> str:
    return entries[0].title if len(entries) == 1 else plural(len(entries), "session")
