"""The library: a folder of sessions, each in a TinyDB file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import ClassVar

from ..conversation.conversation import Clock, Conversation
from ..errors import shown
from ..formats.warnings import FormatWarning
from ..values.times import milliseconds
from .details import Details, Source, tidy_title
from .disk import Disk
from .entries import Entry, read_entry
from .errors import Locked, NotFound, NotSaved, StorageError, reason, telling
from .files import SessionFiles
from .folders import names_in
from .lane_place import LanePlace
from .listing import Listing
from .locks import WriterLock
from .mentions import Mentions
from .names import ID_LENGTH, SessionPaths, is_id, new_id
from .opening import SessionRead, read_files, read_session
from .real_disk import RealDisk
from .session import FOLD_AT, Access, House, Saved, Session
from .spool import Spool
from .titles import by_title
from .trash import Trash
from .writers import writers_in


class Library:
    """Sessions in a folder; the folder is made when the first session is."""

    is_read_only: ClassVar[bool] = False
    """Whether the sessions of the folder can only be looked at."""

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
        self.listing = Listing(self._disk, self.folder)
        self._house = House(self._disk, clock, fold_at, self._admit, self._note)
        self.trash = Trash(self._disk, self.folder)
        self.spool = Spool(self._disk, self.folder)
        self.mentions = Mentions(self._disk, self.folder)
        self.watchers: list[Callable[[Saved], None]] = []
        """Whoever is told of every session file that this library has written."""

    def may_change(self, id: str) -> bool:
        """Tell whether a session is one that may be changed here at all."""
        return not self.is_read_only

    def create(
        self,
        conversation: Conversation,
        *,
        title: str | None = None,
        source: Source | None = None,
        lane: LanePlace | None = None,
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
            title, created=now, updated=now, source=source, lane=lane, warnings=warnings
        )
        return self._new(conversation, details)

    def _new(
        self, conversation: Conversation, details: Details, notes: tuple[str, ...] = ()
    ) -> Session:
        place = SessionPaths(self.folder, self._free_id())
        seat = WriterLock(self._disk, place.main)
        files = SessionFiles(self._disk, place, seat.hold)
        session = Session(self._house, files, conversation, details, Access(seat), notes)
        with suppress(NotSaved):  # The session tells it, and stays usable.
            session.save()
        return session

    def _free_id(self) -> str:
        while True:
            id = self._place(self._ids()).id
            try:
                is_free = not self._is_there(id) and not self.trash.has_name(id)
            except StorageError:
                is_free = True  # Saving it will tell why nothing can be seen there.
            if is_free:
                return id

    def _place(self, id: str) -> SessionPaths:
        if not is_id(id):
            legal = f"{ID_LENGTH} small letters and digits"
            raise NotFound(f"{shown(id)} is not the id of a session ({legal})", field="session")
        return SessionPaths(self.folder, id)

    def open(self, id: str, *, read_only: bool = False, wait: float = 0.0) -> Session:
        """Return a session, checked; ``notes`` says whatever was done to get it.

        ``Locked`` names who else has it open; after that, it can be opened to be read only. A file
        that is damaged, or was changed by another program, stays as it is: what comes back is a
        new session with all that could be read.
        """
        place = self._place(id)
        self._must_exist(place)
        seat = WriterLock(self._disk, place.main)
        if read_only:
            return self._read(place, Access(None, seat.holder()))
        try:
            self._take(seat, place, wait)
            return self._read(place, Access(seat))
        except BaseException:
            seat.leave()
            raise

    def _take(self, seat: WriterLock, place: SessionPaths, wait: float) -> None:
        try:
            seat.take(wait)
        except Locked as locked:
            title = read_entry(self._disk, place).title
            raise Locked(f"{title!r} is open in {locked.holder}", locked.holder) from None
        except OSError:
            pass  # There may be no way to lock it; the first write will tell.

    def _is_there(self, id: str) -> bool:
        place = SessionPaths(self.folder, id)
        with telling(f"{place.main} can't be read", "session", id):
            return self._disk.stamp(place.main) is not None

    def _must_exist(self, place: SessionPaths) -> None:
        if not self._is_there(place.id):
            raise NotFound(
                f"there is no session {place.id} in {self.folder}", field="session", value=place.id
            )

    def _read(self, place: SessionPaths, access: Access) -> Session:
        hold = None if access.seat is None else access.seat.hold
        files = SessionFiles(self._disk, place, hold)
        found = self._look(files)
        if found.damage:
            return self._recovered(files, access, found)
        return self._session(files, access, found)

    def _session(self, files: SessionFiles, access: Access, found: SessionRead) -> Session:
        # Who only watches a holder at work has recovered nothing.
        notes = found.notes if access.holder is None else ()
        session = Session(self._house, files, found.conversation, found.details, access, notes)
        return session.opened()

    def _look(self, files: SessionFiles) -> SessionRead:
        try:
            given = read_files(self._disk, files.place)
        except OSError as error:
            which = error.filename or files.place.main
            raise StorageError(f"{which} can't be read: {reason(error)}") from None
        return read_session(files, given, self._clock)

    def _recovered(self, files: SessionFiles, access: Access, found: SessionRead) -> Session:
        """Return a session of what could be read; the files it was read from stay as they are."""
        place, notes = files.place, (*found.damage, *found.notes)
        if access.seat is None:
            return Session(
                self._house, files, found.conversation, found.details, access, notes
            ).opened()
        access.seat.leave()
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
        return self._new(found.conversation, details, (*notes, kept))

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

    def find_source(self, path: str | Path, content: bytes) -> list[Entry]:
        """Return the sessions made from a file as it is now, in the order of its conversations."""
        return self.made_from(Source.of(path, content))

    def made_from(self, source: Source) -> list[Entry]:
        """Return the sessions made from a source, in the order of its conversations."""
        found = [
            entry
            for entry in self.list()
            if (entry.source, entry.content) == (source.path, source.content)
        ]
        return sorted(found, key=lambda entry: (entry.part, entry.created, entry.id))

    def _admit(self) -> None:
        """Refuse a folder that is no library; where the index is one, that is a quick look."""
        if self.listing.is_of_library():
            return
        try:
            names_in(self._disk, self.folder)
        except StorageError as error:
            raise NotSaved(str(error), field="library", value=str(self.folder)) from None

    def _note(self, saved: Saved) -> None:
        """Tell the list, and whoever else wants to know, of a session file just written."""
        self.listing.note(saved)
        for tell in self.watchers:
            tell(saved)

    def duplicate(self, id: str) -> Session:
        """Return a new session with the same conversation and history."""
        with self.open(id, read_only=True) as old:
            now = self._clock()
            title = tidy_title(f"{old.title} (copy)")
            details = old.details._replace(title=title, created=now, updated=now, lane=None)
            return self._new(old.conversation.copy(), details, old.notes)

    def delete(self, id: str, *, wait: float = 0.0) -> None:
        """Put a session into the trash, from where it can be restored."""
        place = self._place(id)
        self._must_exist(place)
        self._alone(place, wait, partial(self.trash.put, place), "moved")

    def restore(self, id: str) -> None:
        """Take a session out of the trash."""
        place = self._place(id)
        self.trash.must_hold(id)
        self._alone(self.trash.place(id), 0.0, partial(self.trash.take, place), "moved")

    def look_in_trash(self, id: str) -> Session:
        """Return a deleted session, only to be read; it stays in the trash."""
        self.trash.must_hold(self._place(id).id)
        return self._read(self.trash.place(id), Access(None))

    def purge(self, id: str | None = None) -> list[str]:
        """Remove one session, or all, from the trash for good; return their ids."""
        ids = self.trash.ids() if id is None else [self._place(id).id]
        for one in ids:
            self.trash.must_hold(one)
            self._alone(self.trash.place(one), 0.0, partial(self.trash.purge, one), "removed")
            self.listing.forget()
        return ids

    def _alone(self, place: SessionPaths, wait: float, act: Callable[[], None], word: str) -> None:
        """Do something to the files of a session while nobody has it open."""
        seat = WriterLock(self._disk, place.main)
        try:
            self._take(seat, place, wait)
            with telling(f"session {place.id} can't be {word}", "session", place.id):
                act()
        finally:
            seat.leave()

    def verify(self, id: str, *, wait: float = 0.0) -> list[str]:
        """Return a sentence for everything that is wrong with a session; none means all is well.

        All files are read and checked, the whole journal is done again, every invariant looked
        at. Where nothing is wrong, a journal file that a crash left behind is folded.
        """
        place = self._place(id)
        self._must_exist(place)
        seat, is_alone = WriterLock(self._disk, place.main), True
        try:
            try:
                seat.take(wait)
            except Locked:
                is_alone = False
            except OSError:
                pass  # What can't be locked can be read all the same.
            return self._findings(place, seat, is_alone)
        except StorageError as error:
            return [str(error)]
        finally:
            seat.leave()

    def as_stored(self, id: str) -> SessionRead:
        """Return what the files of a session give, and what is odd about them; nothing is done."""
        place = self._place(id)
        self._must_exist(place)
        return self._look(SessionFiles(self._disk, place, None))

    def _findings(self, place: SessionPaths, seat: WriterLock, is_alone: bool) -> list[str]:
        files = SessionFiles(self._disk, place, seat.hold)
        found = self._look(files)
        wrong = [*found.damage, *found.conversation.check()]
        if not is_alone:
            return wrong  # The end may just be on its way to the disk; the holder will fold it.
        wrong += found.doubts
        if not wrong and files.has_journal():
            self._session(files, Access(seat), found).close()
        return wrong

    def writers(self) -> dict[str, str]:
        """Return who has which session open for writing, by its id: other programs, or this one."""
        return writers_in(self._disk, self.folder)

    def list(self) -> list[Entry]:
        """Return all sessions, the one changed last first; only changed files are looked into."""
        return [entry for entry, _ in self.listing.all()]
