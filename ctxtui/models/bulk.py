"""Changing many sessions as one step: each as a whole, and all of them taken back together.

A verdict was about what was there: an accepted session that is changed is in review again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ctxtui.core.curation.editing import settle
from ctxtui.core.storage import Entry, Library, Session, StorageError
from ctxtui.models.library_steps import Done, UndoStep
from ctxtui.models.told import Told, sentence_of, warned
from ctxtui.progress import Watch
from ctxtui.words import plural

About = Mapping[str, Any]
"""Some of title, tags and notes of a session."""


class Change(NamedTuple):
    """A session that was changed: its journal before and after, and its status before."""

    entry: Entry
    before: int
    after: int
    status: str
    was: About
    """What was said about it before, as far as that changed."""
    became: About


Act = Callable[[Session], About | None]
"""Changes an open session in memory, if there is anything to change; what it refuses is told.

What it returns is to be said about the session.
"""


def change_many(library: Library, entries: Sequence[Entry], act: Act, watch: Watch) -> Bulk:
    """Change sessions one after the other; what can't be changed is told and stays as it was."""
    changed: list[Change] = []
    problems: list[str] = []
    for number, entry in enumerate(entries):
        watch.step(number / len(entries))
        try:
            with taken(library, entry) as session:
                change = _changed(session, entry, act)
                changed += [] if change is None else [change]
        except Exception as problem:
            problems.append(f"{entry.title}: {sentence_of(problem)}")
    return Bulk(tuple(changed), tuple(problems))


def _changed(session: Session, entry: Entry, act: Act) -> Change | None:
    """Change one session and make that safe, or leave its file as it was."""
    old, before = session.details, len(session.conversation.journal)
    try:
        about = act(session) or {}
        after = len(session.conversation.journal)
        if after == before and not about:
            return None
        settle(session, before, about)
    except BaseException:
        session.abandon()
        raise
    was = {key: getattr(old, key) for key in about}
    became = {key: getattr(session.details, key) for key in about}
    return Change(entry_now(entry, session), before, after, old.status, was, became)


class Bulk(NamedTuple):
    """What became of many sessions: those that were changed, and why others were not."""

    changed: tuple[Change, ...]
    problems: tuple[str, ...]

    def done(self, library: Library, told: Told, word: str) -> Done:
        """Return it as one step of the library, which ``u`` takes back."""
        if self.problems:
            count = plural(len(self.problems), "session")
            told = warned(told.title, f"{count} stayed as they were: {self.problems[0]}")
        entries = tuple(change.entry for change in self.changed)
        if not entries:
            return Done(told)
        told_back = f"Restored {plural(len(entries), 'session')}."
        ids = tuple(entry.id for entry in entries)
        step = UndoStep(partial(take_back, library, self.changed), told_back, word, ids)
        return Done(told, step=step, changed=entries)


def take_back(library: Library, changed: Sequence[Change]) -> Done:
    """Undo what was done to sessions; those that were changed since then stay as they are."""
    back: list[Entry] = []
    problems: list[str] = []
    for entry, before, after, status, was, became in changed:
        try:
            with taken(library, entry) as session:
                is_same = all(getattr(session.details, key) == became[key] for key in became)
                if len(session.conversation.journal) != after or not is_same:
                    raise StorageError(
                        "it was changed since then, so that u in it takes back what came last",
                        field="session",
                        value=entry.id,
                    )
                for _ in range(after - before):
                    session.change({"operation": "UNDO"})
                session.describe(status=status, **was)
                back.append(entry_now(entry, session))
        except Exception as problem:
            problems.append(f"{entry.title}: {sentence_of(problem)}")
    count = f"{len(back):,} of {plural(len(changed), 'session')} were taken back"
    return Done(warned(count, problems[0]) if problems else None, changed=tuple(back))


def taken(library: Library, entry: Entry) -> Session:
    """Return a session to be changed; one that is damaged is refused."""
    session = library.open(entry.id)
    if session.id == entry.id:
        return session
    session.close()
    raise StorageError("it is damaged; open it to see what could be read", field="session")


def entry_now(entry: Entry, session: Session) -> Entry:
    """Return what a list says of a session as it is now."""
    talk, details = session.conversation, session.details
    return entry._replace(
        title=details.title,
        tags=details.tags,
        note=details.note,
        remarks=tuple(text for _, text in details.remarks),
        status=details.status,
        messages=len(talk.log),
        visible=len(talk.view),
        batches=len(talk.batches),
        tokens=talk.tokens.total,
        counter=talk.tokens.counter,
        updated=details.updated,
    )
