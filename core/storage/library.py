"""The library: sessions in a folder, their list, and the trash."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import ClassVar

from ..conversation.conversation import Clock, Conversation
from ..errors import Refused, format_value
from ..formats.warnings import FormatWarning
from ..values.times import gc_paused, milliseconds
from .cache import CacheFile
from .details import Details, ImportSource, ThreadPlace, tidy_title
from .disk import Disk, FileVersion, MemoryDisk, RealDisk
from .entries import Entry, entry_of, read_entry, version_of
from .errors import Locked, NotFound, NotSaved, StorageError, reason, translated
from .folder import (
    CATALOG,
    COMPANION,
    ID_LENGTH,
    INDEX,
    JOURNAL,
    TRASH,
    UNFINISHED,
    SessionPaths,
    is_id,
    is_index,
    is_session,
    names_in,
    new_id,
    session_of,
    sweep,
)
from .locks import HOLDER, WriterLock
from .replay import SessionRead, read_files, read_session
from .rows import figures
from .session import FOLD_AT, Access, LibraryContext, Saved, Session, SessionFiles
from .spool import ByteSearch, CrashSpool

SHOWN_CANDIDATES = 5


def by_title(name: str, entries: Sequence[Entry]) -> str:
    """Return the id of the one session with a title, or say which ones come close."""
    found = [entry for entry in entries if entry.title == name]
    if len(found) == 1:
        return found[0].id
    if not found:
        close = [entry for entry in entries if name.casefold() in entry.title.casefold()]
        said = f"no session is called {format_value(name)}"
    else:
        close, said = found, f"{len(found)} sessions are called {format_value(name)}"
    named = ", ".join(f"{one.id} ({one.title})" for one in close[:SHOWN_CANDIDATES])
    hint = f"; there are {named}" if close and not found else f"; choose by id: {named}"
    raise NotFound(said + (hint if close else ""), field="session", value=name)


Known = dict[str, tuple[FileVersion, Entry]]
BEHIND = 100
"""The cache may be behind for one session in so many."""


class Listing:
    """The list of a folder's sessions; only files that changed are read.

    What is known of a session counts for one version of its files only. Whatever else the cache
    says is read from the files again.
    """

    def __init__(self, disk: Disk, folder: Path, cache: CacheFile) -> None:
        self._disk = disk
        self._folder = folder
        self._cache = cache
        self._known: Known = {}
        self._stored: Known | None = None
        """What the cache holds; None until it is read."""
        self._journals: dict[str, FileVersion] = {}
        """The journal files that the last list has seen, by session."""
        self._proof: Path | None = None
        """A file by which the folder was known as a library."""

    def all(self) -> Sequence[tuple[Entry, FileVersion]]:
        """Return all sessions, the one changed last first, each with its version."""
        self.must_be_library()
        with translated(f"the library {self._folder} can't be read", "library", str(self._folder)):
            versions = self._disk.versions(self._folder)
        entries = []
        with gc_paused():
            if self._stored is None:
                self._stored = self._read_cache()
                self._known = self._stored | self._known
            now: Known = {}
            journals: dict[str, FileVersion] = {}
            for name, main in versions.items():
                id = session_of(name)
                if id is None:
                    continue
                journal = versions.get(id + JOURNAL)
                if journal is not None:
                    journals[id] = journal
                version = version_of(main, journal)
                entry = self._entry(id, version)
                entries.append((entry, version))
                # What can't be read now may be readable later, without any change of the file.
                if entry.problem is None:
                    now[id] = (version, entry)
            self._known, self._journals = now, journals
            self._write_cache(now)
        with suppress(OSError):
            if INDEX in versions and is_index(self._disk, self._folder / INDEX):
                self._disk.unlink(self._folder / INDEX)
            if any(name.endswith(UNFINISHED) for name in versions):
                sweep(self._disk, self._folder)
        return sorted(entries, key=lambda one: (-one[0].updated, one[0].id))

    def _read_cache(self) -> Known:
        if not self._disk.is_real:
            return {}
        with self._cache.used():
            rows: list[tuple[str, str, str]] = self._cache.read(
                lambda db: db.execute("SELECT id, version, entry FROM entries").fetchall(), []
            )
        known: Known = {}
        for id, version, entry in rows:
            with suppress(Refused, LookupError, TypeError, AttributeError, ValueError):
                known[id] = FileVersion.of_text(version), Entry.from_dict(json.loads(entry))
        return known

    def _write_cache(self, now: Known) -> None:
        """Store what was found out, if the cache is far behind; nothing depends on it."""
        stored = self._stored or {}
        new = {id: one for id, one in now.items() if stored.get(id) != one}
        gone = stored.keys() - now.keys()
        if not self._disk.is_real or len(new) + len(gone) <= len(now) // BEHIND:
            return
        self._change_cache(new, gone)
        self._stored = now

    def _change_cache(self, new: Known, gone: Collection[str]) -> None:
        rows = [
            (id, version.to_text(), json.dumps(entry.to_dict()))
            for id, (version, entry) in new.items()
        ]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("DELETE FROM entries WHERE id = ?", [(id,) for id in gone])
            db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)

        with self._cache.used():
            self._cache.write(write)

    def forget(self, ids: Iterable[str]) -> None:
        """Remove what is known of sessions, also from the cache."""
        gone = set(ids)
        for id in gone:
            self._known.pop(id, None)
        self._stored = None
        if self._disk.is_real:
            self._change_cache({}, gone)

    def must_be_library(self) -> None:
        """Refuse a folder that holds only other files; one session shows that it is a library."""
        with suppress(OSError):
            if self._proof is not None and self._disk.version(self._proof) is not None:
                return
        names = names_in(self._disk, self._folder)
        ours = (name for name in names if session_of(name) is not None)
        proofs = (self._folder / name for name in ours)
        self._proof = next((path for path in proofs if is_session(self._disk, path)), None)

    def _entry(self, id: str, version: FileVersion) -> Entry:
        known = self._known.get(id)
        if known is not None and known[0] == version:
            return known[1]
        return read_entry(self._disk, SessionPaths(self._folder, id))

    def one(self, id: str) -> tuple[Entry, FileVersion] | None:
        """Return what the list says of one session, without looking at any other."""
        version = self.version(id)
        return None if version is None else (self._entry(id, version), version)

    def version(self, id: str) -> FileVersion | None:
        """Return which version of a session there is; None where there is none."""
        paths = SessionPaths(self._folder, id)
        with suppress(OSError):
            main = self._disk.version(paths.main)
            return None if main is None else version_of(main, self._disk.version(paths.journal))
        return None

    def grown(self) -> list[str]:
        """Return the sessions that were written since the last list; no other is read.

        One whose journal is new or gone is not among them: that changes the folder.
        """
        known = self._journals
        found = {id: self._journal(id) for id in known}
        self._journals = known | {id: one for id, one in found.items() if one is not None}
        return [id for id, one in found.items() if one not in (None, known[id])]

    def has_journal(self, id: str) -> bool:
        """Return whether a program writes a session, or was killed while doing so."""
        return self._journal(id) is not None

    def _journal(self, id: str) -> FileVersion | None:
        with suppress(OSError):
            return self._disk.version(SessionPaths(self._folder, id).journal)
        return None

    def note(self, saved: Saved) -> None:
        """Take over what a session file that was just written says.

        The cache is only written if there is none: by it the folder is known as a library, whatever
        becomes of its sessions.
        """
        session = saved.session
        if saved.version is not None:
            entry = entry_of(session.id, session.details, figures(session.conversation))
            self._known[session.id] = (saved.version, entry)
            if not self._cache.exists():
                self._write_cache({session.id: self._known[session.id]})


class Trash:
    """The sessions that were deleted from a library.

    Files of others in its folder are neither listed nor touched. What was deleted although nothing
    in it is known as a session, because it is damaged, is marked by a second file.
    """

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._folder = folder
        self._trash = folder / TRASH

    def place(self, id: str) -> SessionPaths:
        return SessionPaths(self._trash, id)

    def __contains__(self, id: str) -> bool:
        with self._translated():
            self._must_be_real()
            return self._is_ours(id)

    def has_name(self, id: str) -> bool:
        """Return whether the trash has a file of that name, even if it is not ours."""
        with self._translated():
            return self._disk.version(self.place(id).main) is not None

    def _must_be_real(self) -> None:
        if self._disk.version(self._trash) is None or self._disk.is_folder(self._trash):
            return
        raise StorageError(
            f"the trash {self._trash} is a link or a file, and only a real folder can be the trash",
            field="library",
            value=str(self._folder),
        )

    def _is_ours(self, id: str) -> bool:
        there = self.place(id)
        if self._disk.version(there.main) is None:
            return False
        return self._disk.version(_mark(there)) is not None or is_session(self._disk, there.main)

    def _translated(self) -> AbstractContextManager[None]:
        return translated(f"the trash {self._trash} can't be read", "library", str(self._folder))

    def must_hold(self, id: str) -> None:
        if id not in self:
            raise NotFound(f"there is no session {id} in the trash", field="session", value=id)

    def ids(self) -> list[str]:
        with self._translated():
            self._must_be_real()
            found = map(session_of, self._disk.names(self._trash))
            return [id for id in found if id is not None and self._is_ours(id)]

    def entries(self) -> list[Entry]:
        """Return what a list would say of the sessions in the trash, the one changed last first."""
        found = [read_entry(self._disk, self.place(id)) for id in self.ids()]
        return sorted(found, key=lambda entry: (-entry.updated, entry.id))

    def find(self, name: str) -> str:
        if is_id(name) and name in self:
            return name
        try:
            return by_title(name, self.entries())
        except NotFound as missing:
            raise NotFound(f"in the trash, {missing}", field="session", value=name) from None

    def put(self, place: SessionPaths) -> None:
        """Move a session into the trash, its file first."""
        self._must_be_real()
        there = self.place(place.id)
        if self._disk.version(there.main) is not None and not self._is_ours(place.id):
            raise StorageError(
                f"session {place.id} can't be moved: {there.main} is not a session; "
                "move that file away",
                field="session",
                value=place.id,
            )
        self._disk.make_folder(self._trash)
        is_plain = is_session(self._disk, place.main)
        if not is_plain:
            self._disk.write_whole(_mark(there), b"")
        self._disk.replace(place.main, there.main)
        if is_plain:
            self._disk.unlink(_mark(there))
        for old, new in ((place.journal, there.journal), (place.confirmed, there.confirmed)):
            if self._disk.version(old) is not None:
                self._disk.replace(old, new)
            else:
                self._disk.unlink(new)  # Of the same session, deleted once before.
        self._settle()

    def take(self, place: SessionPaths) -> None:
        """Move a session back; its file is last, so that it is never without its journal."""
        there = self.place(place.id)
        if self._disk.version(place.main) is not None:
            raise StorageError(f"session {place.id} already exists", field="session")
        for old, new in ((there.confirmed, place.confirmed), (there.journal, place.journal)):
            if self._disk.version(old) is not None:
                self._disk.replace(old, new)
        self._disk.replace(there.main, place.main)
        self._disk.unlink(_mark(there))
        self._settle()

    def _settle(self) -> None:
        self._disk.fsync_folder(self._trash)
        self._disk.fsync_folder(self._folder)

    def purge(self, id: str) -> None:
        self.must_hold(id)
        there, here = self.place(id), SessionPaths(self._folder, id)
        if self._disk.version(here.main) is None:
            for path in self._beside(here):
                self._disk.unlink(path)
        for path in (*self._beside(there), there.main, _mark(there)):
            self._disk.unlink(path)

    def _beside(self, place: SessionPaths) -> list[Path]:
        """Return all files that a session may have, except the session file."""
        known = [place.journal, place.confirmed, place.main.with_suffix(HOLDER)]
        kept = f"{place.journal.name}."
        names = [name for name in self._disk.names(place.folder) if COMPANION.fullmatch(name)]
        return known + [place.folder / name for name in names if name.startswith(kept)]


def _mark(place: SessionPaths) -> Path:
    """Return the file that marks a session as deleted, whatever the session file holds."""
    return place.main.with_suffix(".deleted")


class Library:
    """Sessions in a folder; the folder is made when the first session is."""

    is_read_only: ClassVar[bool] = False
    """Whether the sessions of the folder are read-only."""

    def __init__(
        self,
        folder: str | Path,
        *,
        disk: Disk | None = None,
        clock: Clock = milliseconds,
        ids: Callable[[], str] = new_id,
        fold_at: int = FOLD_AT,
    ) -> None:
        self.folder = Path(folder)
        self.disk = self._disk = RealDisk() if disk is None else disk
        self._clock = clock
        self._ids = ids
        self.cache = CacheFile(self._disk, self.folder / CATALOG)
        self.listing = Listing(self._disk, self.folder, self.cache)
        self._context = LibraryContext(self._disk, clock, fold_at, self._admit, self._note)
        self.trash = Trash(self._disk, self.folder)
        self.spool = CrashSpool(self._disk, self.folder)
        self.byte_search = ByteSearch(self._disk, self.folder)
        self.watchers: list[Callable[[Saved], None]] = []
        """Called with every session file that this library has written."""

    def may_change(self, id: str) -> bool:
        return not self.is_read_only

    def create(
        self,
        conversation: Conversation,
        *,
        title: str | None = None,
        source: ImportSource | None = None,
        thread: ThreadPlace | None = None,
        warnings: tuple[FormatWarning, ...] = (),
    ) -> Session:
        """Return a new session of a conversation, saved if the disk lets us.

        Where it doesn't, the session says so (``is_saved``, ``problem``) and can be saved later.
        ``warnings`` are those of reading its file; they are stored with it.
        """
        named = title if title is not None else conversation.meta.get("title")
        if named is None and source is not None:
            named = Path(source.path).name
        now = self._clock()
        title = tidy_title(named)
        details = Details(
            title, created=now, updated=now, source=source, thread=thread, warnings=warnings
        )
        return self._new(conversation, details)

    def _new(
        self, conversation: Conversation, details: Details, notes: tuple[str, ...] = ()
    ) -> Session:
        place = SessionPaths(self.folder, self._free_id())
        writer = WriterLock(self._disk, place.main)
        files = SessionFiles(self._disk, place, writer.lock)
        session = Session(self._context, files, conversation, details, Access(writer), notes)
        with suppress(NotSaved):  # The session shows why, and stays usable.
            session.save()
        return session

    def _free_id(self) -> str:
        while True:
            id = self._place(self._ids()).id
            try:
                is_free = not self._is_there(id) and not self.trash.has_name(id)
            except StorageError:
                is_free = True  # Saving it will show why the folder can't be read.
            if is_free:
                return id

    def _place(self, id: str) -> SessionPaths:
        if not is_id(id):
            legal = f"{ID_LENGTH} small letters and digits"
            raise NotFound(
                f"{format_value(id)} is not the id of a session ({legal})", field="session"
            )
        return SessionPaths(self.folder, id)

    def open(self, id: str, *, read_only: bool = False, wait: float = 0.0) -> Session:
        """Return a session, checked; ``notes`` says whatever was done to get it.

        ``Locked`` names who else has it open; after that, it can be opened to be read only. A file
        that is damaged, or was changed by another program, stays as it is: what comes back is a
        new session with all that could be read.
        """
        place = self._existing(id)
        writer = WriterLock(self._disk, place.main)
        if read_only:
            return self._read(place, Access(None, writer.holder()))
        try:
            self._take(writer, place, wait)
            return self._read(place, Access(writer))
        except BaseException:
            writer.release()
            raise

    def _take(self, writer: WriterLock, place: SessionPaths, wait: float) -> None:
        try:
            writer.acquire(wait)
        except Locked as locked:
            title = read_entry(self._disk, place).title
            raise Locked(f"{title!r} is open in {locked.holder}", locked.holder) from None
        except OSError:
            pass  # There may be no way to lock it; the first write will show that.

    def _is_there(self, id: str) -> bool:
        place = SessionPaths(self.folder, id)
        with translated(f"{place.main} can't be read", "session", id):
            return self._disk.version(place.main) is not None

    def _existing(self, id: str) -> SessionPaths:
        place = self._place(id)
        if not self._is_there(id):
            raise NotFound(f"there is no session {id} in {self.folder}", field="session", value=id)
        return place

    def _read(self, place: SessionPaths, access: Access) -> Session:
        lock = None if access.writer is None else access.writer.lock
        files = SessionFiles(self._disk, place, lock)
        found = self._look(files)
        if found.damage and access.writer is not None:
            return self._recovered(place, access.writer, found)
        return self._session(files, access, found)

    def _session(self, files: SessionFiles, access: Access, found: SessionRead) -> Session:
        # A reader that only watches another program has recovered nothing.
        notes = found.notes if found.damage or access.holder is None else ()
        notes = (*found.damage, *notes)
        session = Session(self._context, files, found.conversation, found.details, access, notes)
        return session.opened()

    def _look(self, files: SessionFiles) -> SessionRead:
        try:
            given = read_files(self._disk, files.place)
        except OSError as error:
            which = error.filename or files.place.main
            raise StorageError(f"{which} can't be read: {reason(error)}") from None
        return read_session(files, given, self._clock)

    def _recovered(self, place: SessionPaths, writer: WriterLock, found: SessionRead) -> Session:
        """Return a session of what could be read; the files it was read from stay as they are."""
        writer.release()
        earlier = [entry.id for entry in self.list() if entry.origin == found.origin]
        if earlier and earlier[0] != place.id:
            session = self.open(earlier[0])
            session.notes = (*found.damage, "this is the copy that was made of it earlier")
            return session
        title = tidy_title(f"{found.details.title} (recovered)")
        created = found.details.created or self._clock()
        details = found.details._replace(
            title=title, origin=found.origin, source=None, created=created
        )
        kept = f"what could be read is in this new session; {place.main.name} stays as it is"
        return self._new(found.conversation, details, (*found.damage, *found.notes, kept))

    def find(self, name: str) -> str:
        """Return the id of a session by its id or its title, or say which ones come close."""
        return self.find_all([name])[0]

    def find_all(self, names: Iterable[str]) -> Sequence[str]:
        """Return the ids of sessions by their ids or titles, each once; or say what comes close."""
        found: dict[str, None] = {}
        entries: Sequence[Entry] | None = None
        for name in names:
            if is_id(name) and self._is_there(name):
                found[name] = None
                continue
            entries = self.list() if entries is None else entries
            found[by_title(name, entries)] = None
        return tuple(found)

    def made_from(self, source: ImportSource) -> list[Entry]:
        """Return the sessions made from a source, in the order of its conversations."""
        wanted = (source.path, source.content)
        found = [entry for entry in self.list() if (entry.source, entry.content) == wanted]
        return sorted(found, key=lambda entry: (entry.part, entry.created, entry.id))

    def _admit(self) -> None:
        """Refuse to save a new session in a folder that is no library."""
        try:
            self.listing.must_be_library()
        except StorageError as error:
            raise NotSaved(str(error), field="library", value=str(self.folder)) from None

    def _note(self, saved: Saved) -> None:
        """Pass a session file that was just written to the list and to all watchers."""
        self.listing.note(saved)
        for notify in self.watchers:
            notify(saved)

    def duplicate(self, id: str) -> Session:
        with self.open(id, read_only=True) as old:
            now = self._clock()
            title = tidy_title(f"{old.title} (copy)")
            details = old.details._replace(title=title, created=now, updated=now, thread=None)
            return self._new(old.conversation.copy(), details, old.notes)

    def delete(self, id: str, *, wait: float = 0.0) -> None:
        """Move a session into the trash, from where it can be restored."""
        place = self._existing(id)
        self._alone(place, wait, partial(self.trash.put, place), "moved")

    def restore(self, id: str) -> None:
        place = self._place(id)
        self.trash.must_hold(id)
        self._alone(self.trash.place(id), 0.0, partial(self.trash.take, place), "moved")

    def look_in_trash(self, id: str) -> Session:
        """Return a deleted session, read-only; it stays in the trash."""
        self.trash.must_hold(self._place(id).id)
        return self._read(self.trash.place(id), Access(None))

    def purge(self, id: str | None = None) -> list[str]:
        """Remove one session, or all, from the trash for good; return their ids."""
        ids = self.trash.ids() if id is None else [self._place(id).id]
        for one in ids:
            self.trash.must_hold(one)
            self._alone(self.trash.place(one), 0.0, partial(self.trash.purge, one), "removed")
            self.listing.forget([one])
        return ids

    def _alone(self, place: SessionPaths, wait: float, act: Callable[[], None], word: str) -> None:
        """Do something to the files of a session while no other program has it open."""
        writer = WriterLock(self._disk, place.main)
        try:
            self._take(writer, place, wait)
            with translated(f"session {place.id} can't be {word}", "session", place.id):
                act()
        finally:
            writer.release()

    def verify(self, id: str, *, wait: float = 0.0) -> list[str]:
        """Return a sentence for everything that is wrong with a session; none means all is well.

        All files are read and checked, the whole journal is done again, every invariant looked
        at. Where nothing is wrong, a journal file that a crash left behind is folded.
        """
        place = self._existing(id)
        writer, is_alone = WriterLock(self._disk, place.main), True
        try:
            try:
                writer.acquire(wait)
            except Locked:
                is_alone = False
            except OSError:
                pass  # What can't be locked can be read all the same.
            files = SessionFiles(self._disk, place, writer.lock)
            found = self._look(files)
            wrong = [*found.damage, *found.conversation.check()]
            if not is_alone:
                return wrong  # The end may just be on its way to the disk; the holder will fold it.
            wrong += found.doubts
            if not wrong and files.has_journal():
                self._session(files, Access(writer), found).close()
            return wrong
        except StorageError as error:
            return [str(error)]
        finally:
            writer.release()

    def as_stored(self, id: str) -> SessionRead:
        """Return what the files of a session hold, and what is wrong with them."""
        return self._look(SessionFiles(self._disk, self._existing(id), None))

    def writers(self) -> dict[str, str]:
        """Return which program has locked which session, by its id; asking changes nothing.

        Only sessions with a note or a journal can be locked; those of programs that are gone have
        these files as well.
        """
        stems = (
            Path(name).stem
            for name in names_in(self._disk, self.folder)
            if name.endswith((HOLDER, JOURNAL))
        )
        places = {id: SessionPaths(self.folder, id) for id in filter(is_id, stems)}
        found = {id: WriterLock(self._disk, one.main).holder() for id, one in places.items()}
        return {id: holder for id, holder in found.items() if holder is not None}

    def list(self) -> list[Entry]:
        """Return all sessions, the one changed last first; only changed files are looked into."""
        return [entry for entry, _ in self.listing.all()]


class MemoryLibrary(Library):
    """Sessions that nothing on this machine remembers."""

    def __init__(
        self,
        *,
        clock: Clock = milliseconds,
        ids: Callable[[], str] = new_id,
        fold_at: int = FOLD_AT,
    ) -> None:
        super().__init__("memory", disk=MemoryDisk(), clock=clock, ids=ids, fold_at=fold_at)
