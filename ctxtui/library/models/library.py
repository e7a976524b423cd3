"""A library on screen: its sessions in order, the review, and what was done, to be undone.

The library screen and the inspector share a ``LibraryState``: a verdict given in one is undone in
the other, and both continue with the same next session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from ctxtui.core import Conversation, Refused
from ctxtui.core.curation.catalog import Catalog, Hit
from ctxtui.core.curation.digest import SessionRow, with_duplicates, with_newer_figures
from ctxtui.core.curation.query import SessionQuery, read_query
from ctxtui.core.curation.verdicts import Disagreement, disagreeing
from ctxtui.core.errors import format_value
from ctxtui.core.storage import STATUSES, Entry, Library, MemoryLibrary, StorageError
from ctxtui.files.library_position import LibraryPosition, load_position, save_position
from ctxtui.files.reading import read_path
from ctxtui.files.sessions import open_target, started
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import unsafe
from ctxtui.text.toast import NOTHING_CHANGED, Toast, done, note, sentence_of, warned

# Sort orders: by any column, either way; unknown values last.

Key = tuple[Any, ...]


class SortColumn(NamedTuple):
    """Something to sort by: its description, the key of a row, and the direction."""

    about: str
    key: Callable[[SessionRow], Any]
    """None where it is not known."""
    is_falling: bool = False


def _lint(row: SessionRow) -> Key | None:
    return None if row.digest is None else (row.digest.errors, row.digest.warnings)


def _format(row: SessionRow) -> str | None:
    return None if row.digest is None else row.digest.format


def _alike(row: SessionRow) -> int | None:
    return None if row.duplicate is None else row.duplicate.group


COLUMNS: Mapping[str, SortColumn] = {
    "imported": SortColumn("newest file first, in the order of the file", lambda _: 0),
    "updated": SortColumn("last changed first", lambda row: row.entry.updated, True),
    "title": SortColumn("by title", lambda row: row.entry.name.casefold()),
    "status": SortColumn("new ones first", lambda row: STATUSES.index(row.entry.status)),
    "messages": SortColumn("the longest first", lambda row: row.entry.messages, True),
    "sent": SortColumn("the fewest that are sent first", lambda row: row.entry.visible),
    "batches": SortColumn("the most batches first", lambda row: row.entry.batches, True),
    "tokens": SortColumn("the largest first", lambda row: row.entry.tokens, True),
    "lint": SortColumn("the most errors first", _lint, True),
    "format": SortColumn("by the format of its file", _format),
    "alike": SortColumn("duplicates together", _alike),
    "tags": SortColumn("by tags, those without last", lambda row: row.entry.tags or None),
}
"""What sessions can be sorted by, in the order of the picker."""


class Sort(NamedTuple):
    """A column to sort by, and whether the other way round."""

    column: str = "imported"
    is_reversed: bool = False

    @property
    def is_falling(self) -> bool:
        return COLUMNS[self.column].is_falling != self.is_reversed

    def chosen(self, column: str) -> Sort:
        """Return the sort of a column; the one that is in use is turned round."""
        return Sort(column, column == self.column and not self.is_reversed)


def sort_rows(rows: Iterable[SessionRow], sort: Sort) -> list[SessionRow]:
    """Return rows in an order; those that are equal in it are as they were imported."""
    listed = as_imported(rows)
    column = COLUMNS[sort.column]
    if sort.column == "imported":
        return listed[::-1] if sort.is_reversed else listed
    known = [row for row in listed if column.key(row) is not None]
    unknown = [row for row in listed if column.key(row) is None]
    return [*sorted(known, key=column.key, reverse=sort.is_falling), *unknown]


def as_imported(rows: Iterable[SessionRow]) -> list[SessionRow]:
    """Return rows as they came: the newest file first, its conversations as they are in it."""
    listed = list(rows)
    newest: dict[object, int] = {}
    for row in listed:
        source = _source(row)
        newest[source] = max(newest.get(source, 0), row.entry.created)
    return sorted(listed, key=partial(_place, newest))


def _source(row: SessionRow) -> object:
    """Return what sessions of one file have in common; one without a file is alone."""
    entry = row.entry
    return (entry.source, entry.content) if entry.source is not None else entry.id


def _place(newest: Mapping[object, int], row: SessionRow) -> Key:
    entry = row.entry
    return (-newest[_source(row)], entry.source or "", entry.content or "", entry.part, entry.id)


# The review: which sessions have a verdict, the progress, and the next one.

VERDICTS = ("accepted", "rejected", "needs work")
"""The statuses that are a verdict; all others are still to be reviewed."""


def is_open(entry: Entry) -> bool:
    """Return whether a session waits for a verdict; one that can't be read does not."""
    return entry.status not in VERDICTS and entry.problem is None


class ReviewProgress(NamedTuple):
    """How many of some sessions have which verdict."""

    whole: int
    accepted: int
    rejected: int
    needs_work: int

    @property
    def reviewed(self) -> int:
        return self.accepted + self.rejected + self.needs_work

    @property
    def to_go(self) -> int:
        return self.whole - self.reviewed


def next_open(is_open: Sequence[bool], after: int) -> int | None:
    """Return the next place that is open, from the top again behind the end; None if none is."""
    size = len(is_open)
    places = ((after + step) % size for step in range(1, size + 1))
    return next((at for at in places if is_open[at]), None)


def disagreement_toast(found: Sequence[Disagreement]) -> Toast | None:
    """Return a warning about verdicts that those on identical sessions contradict."""
    if not found:
        return None
    (entry, others), *more = found
    back = ("u", "undoes it")
    if more:
        title = f"{len(found):,} are identical with sessions of another verdict"
        first = f"{others[0].name} {_verdict(others[0])}, {entry.name} {_verdict(entry)}."
        return warned(title, first, back)
    rest = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
    title = f"Two verdicts on the same: {others[0].title} {_verdict(others[0])}"
    return warned(title, f"{entry.name}, identical with it{rest}, {_verdict(entry)}.", back)


def _verdict(entry: Entry) -> str:
    return entry.status if entry.status == "needs work" else f"is {entry.status}"


# The sessions of a library in the order in which the user works through them.


def key_of(id: str) -> int:
    """Return a number that is a session's own: its id, read as one."""
    return int(id, 36)


class SessionOrder:
    """Rows in a frozen order: whatever happens to a session, it keeps its position.

    They are sorted again only when the user filters, sorts or resets. The position of a deleted
    session is kept for when it is restored; sessions that others make are counted and wait.
    """

    def __init__(self) -> None:
        self.known: dict[str, SessionRow] = {}
        self.rows: list[SessionRow] = []
        self.where = ""
        self.sort = Sort()
        self._ids: list[str] = []
        self._waiting: set[str] = set()
        self._places: dict[str, int] = {}
        self.places: dict[int, int] = {}
        """Where sessions are, by the number that is each one's own."""

    # What there is

    def take(self, rows: Iterable[SessionRow]) -> None:
        """Take what is known of all sessions by now; none moves, and new ones wait."""
        known = {row.entry.id: row for row in rows}
        self._waiting |= known.keys() - self.known.keys()
        self._waiting &= known.keys() - set(self._ids)
        self.known = known
        self._settle()

    def put(self, row: SessionRow) -> None:
        id = row.entry.id
        self.known[id] = row
        at = self._places.get(id)
        if at is not None:
            self.rows[at] = row

    def changed(self, entry: Entry) -> None:
        self.put(self.known.get(entry.id, SessionRow(entry, None))._replace(entry=entry))

    def put_first(self, ids: Iterable[str]) -> None:
        """Put sessions that were just made above all others; those that were here stay."""
        for id in ids:
            if id in self._waiting:
                self._waiting.discard(id)
                self._ids.insert(0, id)
        self._settle()

    def replace(self, old: str, new: str) -> None:
        """Give a new session the place of one that is gone; it is shown once it is known."""
        if old in self._places:
            self._ids[self._ids.index(old)] = new

    def arrange(self, where: str | None = None, sort: Sort | None = None) -> None:
        """Put all sessions in order, with another filter or sort where one is given.

        A filter that can't be read is refused, and nothing changes.
        """
        wanted = self.where if where is None else where.strip()
        chosen: SessionQuery | None = read_query(wanted) if wanted else None
        self.where, self.sort = wanted, self.sort if sort is None else sort
        found = (row for row in self.known.values() if chosen is None or chosen.matches(row))
        self._ids = [row.entry.id for row in sort_rows(found, self.sort)]
        self._waiting.clear()
        self._settle()

    def _settle(self) -> None:
        self.rows = [self.known[id] for id in self._ids if id in self.known]
        self._places = {row.entry.id: at for at, row in enumerate(self.rows)}
        self.places = {key_of(row.entry.id): at for at, row in enumerate(self.rows)}

    # Asking

    def place(self, id: str) -> int | None:
        return self._places.get(id)

    @property
    def newcomers(self) -> int:
        return len(self._waiting)

    @property
    def progress(self) -> ReviewProgress:
        counted = Counter(row.entry.status for row in self.rows if row.entry.problem is None)
        return ReviewProgress(counted.total(), *(counted[verdict] for verdict in VERDICTS))

    @property
    def is_reviewing(self) -> bool:
        """Return whether there is a review: a verdict was given, or a data set imported."""
        entries = (row.entry for row in self.known.values())
        return any(one.status != "new" or one.part for one in entries)

    def next_unreviewed(self, id: str) -> Entry | None:
        """Return the next session without a verdict, from one on, or None when all have one."""
        at = self._places.get(id, -1)
        if at >= 0 and is_open(self.rows[at].entry):
            return self.rows[at].entry
        found = next_open([is_open(row.entry) for row in self.rows], at)
        return None if found is None else self.rows[found].entry

    def neighbour(self, id: str, by: int) -> Entry | None:
        """Return the session before or behind one, or None at the ends."""
        at = self._places.get(id)
        if at is None:
            return self.rows[0].entry if self.rows else None
        return self.rows[at + by].entry if 0 <= at + by < len(self.rows) else None

    def group_of(self, row: SessionRow) -> list[SessionRow]:
        if row.duplicate is None:
            return []
        group = row.duplicate.group
        known = self.known.values()
        return [one for one in known if one.duplicate and one.duplicate.group == group]

    def in_order(self, hits: Iterable[Hit]) -> list[Hit]:
        """Return what was found in the order of the sessions; those not shown come last."""
        return sorted(hits, key=lambda hit: self._places.get(hit.id, len(self.rows)))

    def missing(self, ids: Iterable[str]) -> list[str]:
        """Return which sessions of some are not known at length, or only as they were before."""
        found = (self.known[id] for id in ids if id in self.known)
        return [row.entry.id for row in found if row.digest is None or row.is_behind]


# Changes of sessions: each returns its outcome, most can be undone.


class UndoStep(NamedTuple):
    """A change that can be undone: how, what to report then, and which sessions it was."""

    take_back: Callable[[], Done]
    restored: str
    """What to say then."""
    word: str = ""
    """What was done, in a word, for who asks what would be undone."""
    ids: tuple[str, ...] = ()


class Done(NamedTuple):
    """The outcome of a change."""

    toast: Toast | None = None
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
        toast = warned(title, notes) if session.notes else done(title, facts)
    fresh = [entry for entry in library.list() if entry.id not in known and entry.id != first]
    # The first conversation of a file comes last, so that it is above the others.
    made = [entry.id for entry in sorted(fresh, key=lambda entry: -entry.part)]
    return Done(toast, (*made, first), must_list=True)


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
            titles.append(entry.name)
            notes += said
    toast = warned(f"Duplicated: {', '.join(titles[:3])}", " ".join(notes[:3])) if notes else None
    return Done(toast, tuple(made), made_step(library, made, "duplicate"), must_list=True)


def made_step(library: Library, ids: Sequence[str], word: str) -> UndoStep | None:
    """Return how to undo that sessions were made: they go to the trash."""
    listed = [library.listing.one(id) for id in ids]
    entries = [found[0] for found in listed if found is not None]
    if not entries:
        return None
    verb = "are" if len(entries) > 1 else "is"
    text = f"{plural(len(entries), 'new session')} {verb} in the trash."
    return UndoStep(partial(_away, library, entries), text, word, tuple(ids))


def _away(library: Library, entries: Sequence[Entry]) -> Done:
    """Put sessions that were made into the trash; those that are gone already need not go."""
    left = [entry for entry in entries if library.listing.one(entry.id) is not None]
    if not left:
        return Done(must_list=True)
    gone = delete(library, left)
    is_whole = gone.step is not None and len(gone.step.ids) == len(left)
    return gone._replace(toast=None if is_whole else gone.toast, step=None)


# The trash


def delete(library: Library, entries: Sequence[Entry]) -> Done:
    """Put sessions into the trash."""
    gone, problem = _moved(library.delete, entries)
    names = _names(gone)
    text = f"{names} {'are' if len(gone) > 1 else 'is'} out of the trash again."
    ids = tuple(entry.id for entry in gone)
    step = UndoStep(partial(_restored, library, gone), text, "trash", ids)
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
    return entries[0].name if len(entries) == 1 else plural(len(entries), "session")


# Title, tags, note and verdict.


class _Described(NamedTuple):
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
    return Done(step=confirmed(entries)) if made.toast == NOTHING_CHANGED else made


def confirmed(entries: Sequence[Entry]) -> UndoStep:
    """Return how to go back over a verdict that sessions had already: nothing is changed."""
    text = f"{entries[0].name} {_again({'status': entries[0].status})}, as before."
    if len(entries) > 1:
        text = f"Restored {plural(len(entries), 'session')}."
    return UndoStep(Done, text, entries[0].status, tuple(entry.id for entry in entries))


def retag(
    library: Library, entries: Sequence[Entry], added: Sequence[str], removed: Sequence[str]
) -> Done:
    """Give tags to sessions and take some away; all others stay."""
    kept = {one.id: [tag for tag in one.tags if tag not in removed] for one in entries}
    return _changed(
        library, [(one, {"tags": [*dict.fromkeys((*kept[one.id], *added))]}) for one in entries]
    )


def _changed(library: Library, wanted: Sequence[tuple[Entry, Mapping[str, Any]]]) -> Done:
    """Change some sessions, each by what is wanted of it; what can't be changed is reported."""
    found: list[_Described] = []
    problems: list[str] = []
    for entry, news in wanted:
        try:
            found.append(_describe_one(library, entry, news))
        except Exception as problem:
            if len(wanted) == 1:
                raise
            problems.append(sentence_of(problem))
    changed = [one for one in found if one.is_changed]
    toast = _problem_toast(found, len(wanted), problems)
    entries = tuple(one.entry for one in found if one.is_changed or one.is_news)
    if not entries:
        return Done(toast or NOTHING_CHANGED)
    return Done(toast, step=_step_of(library, changed) if changed else None, changed=entries)


def _describe_one(library: Library, entry: Entry, news: Mapping[str, Any]) -> _Described:
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
    return _Described(now, before, is_changed=before != after, is_news=is_news, is_kept=is_kept)


def _problem_toast(
    found: Sequence[_Described], whole: int, problems: Sequence[str]
) -> Toast | None:
    """Return what went wrong, or which verdict of another program was kept."""
    kept = [one.entry for one in found if one.is_kept]
    if problems:
        return warned(f"{len(found) - len(kept):,} of {whole:,} were changed", problems[0])
    if not kept:
        return None
    if len(kept) > 1:
        return note(f"{len(kept):,} sessions were judged meanwhile", "They stay as they are.")
    (entry,) = kept
    verb = {"needs work": "", "in review": "is ", "new": "is "}.get(entry.status, "was ")
    return note(f"{entry.name} {verb}{entry.status} meanwhile", "It stays as it is.")


def _step_of(library: Library, changed: Sequence[_Described]) -> UndoStep:
    """Return how to undo what was changed: every session as it was."""
    wanted = [(one.entry, one.before) for one in changed]
    first = changed[0]
    text, word = f"{first.entry.name} {_again(first.before)} again.", _word(first)
    if len(changed) > 1:
        text = f"Restored {plural(len(changed), 'session')}."
    ids = tuple(one.entry.id for one in changed)
    return UndoStep(partial(_changed, library, wanted), text, word, ids)


def _word(changed: _Described) -> str:
    """Return what was done to a session, in a word."""
    return {"status": changed.entry.status, "tags": "tags", "note": "note"}.get(
        next(iter(changed.before)), "title"
    )


def judged(library: Library, entry: Entry, before: str) -> UndoStep:
    """Return how to undo a verdict that was given while a session was open."""
    return _step_of(library, [_Described(entry, {"status": before})])


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
        legal = "letters, symbols and spaces, no control characters"
        why = f"title {format_value(title)} holds U+{ord(char):04X}; legal are {legal}"
        raise Refused(why, field="title", value=title, legal=legal)


MOST_READ = 1_000
"""Sessions that are read while the user waits for a verdict to be checked."""


class LibraryState:
    """The sessions of a library in order, the one under the cursor, and the undo steps."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.catalog = Catalog(library)
        self.order = SessionOrder()
        self.steps: list[UndoStep] = []
        self.here = ""
        """The session under the cursor, or the one that is open."""
        self.made: list[str] = []
        """Sessions that were opened or made here and are not in the order yet."""
        self.is_loaded = False
        self.turns = 0
        """How many changes were made: what was read before the last one is stale."""

    # Reading

    def read(self) -> list[SessionRow]:
        """Return what is known of all sessions; it may take a moment, and any thread may ask."""
        return self.catalog.rows()

    def load_rows(self, rows: Iterable[SessionRow], *, again: bool = False) -> None:
        """Store what was read: sorted at first or on request, later without moving anything."""
        rows = list(rows)
        was_empty = not self.order.known
        self.order.take(rows)
        if not self.is_loaded:
            self._recall()
        elif again or was_empty:
            self.order.arrange()
        self.is_loaded = True
        self.order.put_first(self.made)
        self.made.clear()

    def learned(self, rows: Iterable[SessionRow]) -> None:
        for found in rows:
            row = self.order.known.get(found.entry.id)
            if row is not None:
                entry = with_newer_figures(row.entry, found.entry)
                self.order.put(found._replace(entry=entry, duplicate=row.duplicate))

    def match(self) -> None:
        for row in with_duplicates(list(self.order.known.values())):
            self.order.put(row)

    def _recall(self) -> None:
        kept = LibraryPosition()
        if not isinstance(self.library, MemoryLibrary):
            kept = load_position(self.library.folder)
        sort = Sort(kept.sort, kept.is_reversed) if kept.sort in COLUMNS else Sort()
        self.order.arrange("", sort)
        if kept.where:
            with suppress(Refused):  # A filter of another version: then all are shown.
                self.order.arrange(kept.where)
        self.here = self.here or kept.session

    def leave(self) -> None:
        if self.is_loaded and not isinstance(self.library, MemoryLibrary):
            sort = self.order.sort
            place = LibraryPosition(self.here, self.order.where, sort.column, sort.is_reversed)
            save_position(self.library.folder, place)

    def open(self, id: str) -> None:
        """Note that a session was opened here: it may be one that was just made.

        The place is kept at once, since the app may end at any time.
        """
        self.here = id
        self.made.append(id)
        self.leave()

    # Doing

    def note(self, done: Done) -> None:
        self.turns += 1
        if done.step is not None:
            self.steps.append(done.step)
        for entry in done.changed:
            self.order.changed(entry)
        for old, new in done.instead:
            self.order.replace(old, new)
        self.made += done.made

    def note_verdict(self, id: str, status: str, before: str, updated: int) -> None:
        """Note a verdict that was given while a session was open."""
        self.turns += 1
        row = self.order.known.get(id)
        if row is None:
            return
        entry = row.entry._replace(status=status, updated=updated)
        if status == before:
            if self.order.next_unreviewed(id) is not None:  # Else it leads nowhere.
                self.steps.append(confirmed([entry]))
        else:
            self.order.changed(entry)
            self.steps.append(judged(self.library, entry, before))

    def read_judged(self, id: str) -> list[SessionRow]:
        """Read a session, and those with a verdict that were not read yet, in a thread.

        This finds duplicates with another verdict. If there are too many, a verdict does not wait.
        """
        known = self.order.known
        blank = [row.entry for row in known.values() if row.digest is None]
        size = known[id].entry.visible if id in known else 0  # Twins have as many messages.
        ids = [
            one.id
            for one in blank
            if (one.visible == size and one.status in VERDICTS) or one.id == id
        ]
        if len(ids) > MOST_READ:
            return []
        self.catalog.learn(ids)
        return [row for row in map(self.catalog.row, ids) if row is not None]

    def disagreement(self, judged: Iterable[str]) -> Toast | None:
        return disagreement_toast(disagreeing(self.order.known.values(), set(judged)))

    def take_back(self) -> Done:
        """Undo the last step; it stays undoable if that fails."""
        if not self.steps:
            return Done(note("Nothing was changed here yet"))
        step = self.steps[-1]
        undone = step.take_back()._replace(step=None)
        if undone.toast is not None and undone.toast.severity == "warning":
            return undone
        self.steps.pop()
        if undone.toast in (None, NOTHING_CHANGED):
            return undone._replace(toast=done("Undone", step.restored))
        return undone
