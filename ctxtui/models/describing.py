"""What sessions say about themselves, changed: title, tags, note, and the verdict on them.

A verdict is given on what is seen. Where somebody else has given one meanwhile, theirs stays, and
it is told and shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ctxtui.core import Refused
from ctxtui.core.errors import format_value
from ctxtui.core.storage import Entry, Library, StorageError
from ctxtui.models.library_steps import Done, UndoStep
from ctxtui.models.told import NOTHING_CHANGED, Told, note, sentence_of, warned
from ctxtui.symbols import unsafe
from ctxtui.words import plural


class _Found(NamedTuple):
    """A session as it is now, and what it said before."""

    entry: Entry
    before: Mapping[str, Any]
    is_changed: bool = True
    is_news: bool = False
    """Whether its status was another one than is shown."""
    is_kept: bool = False
    """Whether it keeps that, although another one was wanted."""


def describe(library: Library, entries: Sequence[Entry], news: Mapping[str, Any]) -> Done:
    """Change title, tags, status or note of sessions."""
    _must_be_writing(news.get("title", ""))
    return _changed(library, [(entry, news) for entry in entries])


def judge(library: Library, entries: Sequence[Entry], status: str) -> Done:
    """Give a verdict on sessions; the one they have already is a step of the review as well."""
    made = describe(library, entries, {"status": status})
    return Done(step=confirmed(entries)) if made.told == NOTHING_CHANGED else made


def confirmed(entries: Sequence[Entry]) -> UndoStep:
    """Return how to go back over a verdict that sessions had already: nothing is changed."""
    told = f"{entries[0].title} {_again({'status': entries[0].status})}, as before."
    if len(entries) > 1:
        told = f"Restored {plural(len(entries), 'session')}."
    return UndoStep(Done, told, entries[0].status, tuple(entry.id for entry in entries))


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
    found: list[_Found] = []
    problems: list[str] = []
    for entry, news in wanted:
        try:
            found.append(_describe_one(library, entry, news))
        except Exception as problem:
            if len(wanted) == 1:
                raise
            problems.append(sentence_of(problem))
    changed = [one for one in found if one.is_changed]
    told = _told_of(found, len(wanted), problems)
    entries = tuple(one.entry for one in found if one.is_changed or one.is_news)
    if not entries:
        return Done(told or NOTHING_CHANGED)
    return Done(told, step=_step_of(library, changed) if changed else None, changed=entries)


def _describe_one(library: Library, entry: Entry, news: Mapping[str, Any]) -> _Found:
    """Change what one session says about itself, unless it got another verdict than is shown."""
    with library.open(entry.id) as session:
        if session.id != entry.id:
            raise StorageError(session.notes[0], field="session", value=entry.id)
        before = {name: getattr(session.details, name) for name in news}
        is_news = before.get("status", entry.status) != entry.status
        if not is_news:
            session.describe(**news)
        after = {name: getattr(session.details, name) for name in news}
        now = entry._replace(**after, updated=session.details.updated)
    is_kept = is_news and after != news
    return _Found(now, before, is_changed=before != after, is_news=is_news, is_kept=is_kept)


def _told_of(found: Sequence[_Found], whole: int, problems: Sequence[str]) -> Told | None:
    """Return what went wrong, or whose verdict of somebody else was kept."""
    kept = [one.entry for one in found if one.is_kept]
    if problems:
        return warned(f"{len(found) - len(kept):,} of {whole:,} were changed", problems[0])
    if not kept:
        return None
    if len(kept) > 1:
        return note(f"{len(kept):,} sessions were judged meanwhile", "They stay as they are.")
    (entry,) = kept
    verb = {"needs work": "", "in review": "is ", "new": "is "}.get(entry.status, "was ")
    return note(f"{entry.title} {verb}{entry.status} meanwhile", "It stays as it is.")


def _step_of(library: Library, changed: Sequence[_Found]) -> UndoStep:
    """Return how to take back what was changed: every session as it was."""
    wanted = [(one.entry, one.before) for one in changed]
    first = changed[0]
    told, word = f"{first.entry.title} {_again(first.before)} again.", _word(first)
    if len(changed) > 1:
        told = f"Restored {plural(len(changed), 'session')}."
    ids = tuple(one.entry.id for one in changed)
    return UndoStep(partial(_changed, library, wanted), told, word, ids)


def _word(changed: _Found) -> str:
    """Return what was done to a session, in a word."""
    return {"status": changed.entry.status, "tags": "tags", "note": "note"}.get(
        next(iter(changed.before)), "title"
    )


def judged(library: Library, entry: Entry, before: str) -> UndoStep:
    """Return how to take back a verdict that was given while a session was open."""
    return _step_of(library, [_Found(entry, {"status": before})])


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
            status: str = before["status"]
            return status if status == "needs work" else f"is {status}"


def _must_be_writing(title: str) -> None:
    """Refuse a title with characters that are no part of any writing."""
    char = unsafe(title)
    if char is not None:
        legal = "letters, signs and spaces, no control characters"
        why = f"title {format_value(title)} holds U+{ord(char):04X}; legal are {legal}"
        raise Refused(why, field="title", value=title, legal=legal)
