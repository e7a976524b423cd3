"""The library: a folder of sessions, each in a TinyDB file of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from core.conversation import Clock, Conversation, milliseconds
from core.errors import Refused, shown
from core.storage.details import Details, Source, tidy_title
from core.storage.disk import Disk, RealDisk
from core.storage.entries import Entry, entry_of, read_entry
from core.storage.errors import Locked, NotFound, NotSaved, StorageError, reason
from core.storage.files import Place, SessionFiles
from core.storage.index import Index
from core.storage.locks import Seat
from core.storage.opening import Found, read_files, read_session
from core.storage.rows import figures
from core.storage.session import FOLD_AT, Access, House, Session
from core.storage.trash import Trash

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
ID_LENGTH = 12
SHOWN_CANDIDATES = 5


def new_id() -> str:
    """Return a name for a session that no other has."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def is_id(text: str) -> bool:
    """Tell whether a text can be the name of a session; no path is one."""
    return len(text) == ID_LENGTH and text.isascii() and text.isalnum() and text.islower()


class Library:
    """Sessions in a folder; the folder is made when the first session is."""

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
        self._disk = RealDisk() if disk is None else disk
        self._clock = clock
        self._ids = ids
        self._index = Index(self._disk, self.folder)
        self._house = House(self._disk, clock, fold_at, self._note)
        self.trash = Trash(self._disk, self.folder)

    def create(
        self,
        conversation: Conversation,
        *,
        title: str | None = None,
        source: Source | None = None,
    ) -> Session:
        """Return a new session of a conversation, saved if the disk lets us.

        Where it doesn't, the session says so (``is_saved``, ``problem``) and can be saved later.
        """
        named = title if title is not None else conversation.meta.get("title")
        if named is None and source is not None:
            named = Path(source.path).name
        now = self._clock()
        return self._new(
            conversation, Details(tidy_title(named), created=now, updated=now, source=source)
        )

    def _new(
        self, conversation: Conversation, details: Details, notes: tuple[str, ...] = ()
    ) -> Session:
        files = SessionFiles(self._disk, Place(self.folder, self._free_id()))
        seat = self._disk.seat(files.place.lock)
        session = Session(self._house, files, conversation, details, Access(seat), notes)
        with suppress(NotSaved):  # The session tells it, and stays usable.
            session.save()
        return session

    def _free_id(self) -> str:
        while True:
            id = self._place(self._ids()).id
            if self._disk.stamp(Place(self.folder, id).main) is None and id not in self.trash:
                return id

    def _place(self, id: str) -> Place:
        if not is_id(id):
            legal = f"{ID_LENGTH} small letters and digits"
            raise NotFound(f"{shown(id)} is not the id of a session ({legal})", field="session")
        return Place(self.folder, id)

    def open(self, id: str, *, read_only: bool = False, wait: float = 0.0) -> Session:
        """Return a session, checked; ``notes`` says whatever was done to get it.

        ``Locked`` names who else has it open; after that, it can be opened to be read only. A file
        that is damaged, or was changed by another program, stays as it is: what comes back is a
        new session with all that could be read.
        """
        place = self._place(id)
        self._must_exist(place)
        seat: Seat | None = self._disk.seat(place.lock)
        assert seat is not None
        holder: str | None = None
        try:
            if read_only:
                holder, seat = seat.holder(), None
            else:
                seat.take(wait)
        except Locked as locked:
            title = self._title(place)
            raise Locked(f"{title!r} is open in {locked.holder}", locked.holder) from None
        except OSError:
            pass  # There may be no place for a lock; the first write will tell.
        try:
            return self._read(place, Access(seat, holder))
        except BaseException:
            if seat is not None:
                seat.leave()
            raise

    def _must_exist(self, place: Place) -> None:
        if self._disk.stamp(place.main) is None:
            raise NotFound(
                f"there is no session {place.id} in {self.folder}", field="session", value=place.id
            )

    def _title(self, place: Place) -> str:
        return read_entry(self._disk, place).title

    def _read(self, place: Place, access: Access) -> Session:
        files = SessionFiles(self._disk, place)
        found = self._look(files)
        if found.damage:
            return self._recovered(place, access, found)
        # Who only watches a holder at work has recovered nothing.
        notes = found.notes if access.holder is None else ()
        session = Session(self._house, files, found.conversation, found.details, access, notes)
        return session.opened()

    def _look(self, files: SessionFiles) -> Found:
        try:
            return read_session(files, read_files(self._disk, files.place), self._clock)
        except OSError as error:
            raise StorageError(f"{files.place.main} can't be read: {reason(error)}") from None

    def _recovered(self, place: Place, access: Access, found: Found) -> Session:
        """Return a session of what could be read; the files it was read from stay as they are."""
        notes = (*found.damage, *found.notes)
        if access.seat is None:
            files = SessionFiles(self._disk, place)
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
        if is_id(name) and self._disk.stamp(Place(self.folder, name).main) is not None:
            return name
        entries = self.list()
        found = [entry for entry in entries if entry.title == name]
        if len(found) == 1:
            return found[0].id
        if not found:
            close = [entry for entry in entries if name.casefold() in entry.title.casefold()]
            said = f"no session is called {shown(name)}"
        else:
            close, said = found, f"{len(found)} sessions are called {shown(name)}"
        named = ", ".join(f"{one.id} ({one.title})" for one in close[:SHOWN_CANDIDATES])
        hint = f"; there are {named}" if close and not found else f"; choose by id: {named}"
        raise NotFound(said + (hint if close else ""), field="session", value=name)

    def find_source(self, path: str | Path, content: bytes) -> list[Entry]:
        """Return the sessions made from a file as it is now, in the order of its conversations."""
        source = Source.of(path, content)
        found = [
            entry
            for entry in self.list()
            if (entry.source, entry.content) == (source.path, source.content)
        ]
        return sorted(found, key=lambda entry: (entry.part, entry.created, entry.id))

    def _note(self, session: Session) -> None:
        """Tell the index about a session file that was just written."""
        with suppress(OSError):
            stamp = self._disk.stamp(Place(self.folder, session.id).main)
            if stamp is not None:
                entry = entry_of(session.id, session.details, figures(session.conversation))
                self._index.note(stamp, entry)

    def duplicate(self, id: str) -> Session:
        """Return a new session with the same conversation and history."""
        with self.open(id, read_only=True) as old:
            now = self._clock()
            title = tidy_title(f"{old.title} (copy)")
            details = old.details._replace(title=title, created=now, updated=now)
            return self._new(old.conversation.copy(), details, old.notes)

    def delete(self, id: str, *, wait: float = 0.0) -> None:
        """Put a session into the trash, from where it can be restored."""
        place = self._place(id)
        self._must_exist(place)
        self._alone(place, wait, lambda: self.trash.put(place))

    def restore(self, id: str) -> None:
        """Take a session out of the trash."""
        place = self._place(id)
        self.trash.must_hold(id)
        self._alone(place, 0.0, lambda: self.trash.take(place))

    def purge(self, id: str | None = None) -> list[str]:
        """Remove one session, or all, from the trash for good; return their ids."""
        ids = self.trash.ids() if id is None else [self._place(id).id]
        for one in ids:
            self._alone(self._place(one), 0.0, partial(self.trash.purge, one), "removed")
        return ids

    def _alone(
        self, place: Place, wait: float, act: Callable[[], None], word: str = "moved"
    ) -> None:
        """Do something to the files of a session while nobody has it open."""
        seat = self._disk.seat(place.lock)
        try:
            seat.take(wait)
            act()
        except Locked as locked:
            title = self._title(place)
            raise Locked(f"{title!r} is open in {locked.holder}", locked.holder) from None
        except OSError as error:
            why = f"session {place.id} can't be {word}: {reason(error)}"
            raise StorageError(why, field="session", value=place.id) from None
        finally:
            seat.leave()

    def verify(self, id: str, *, wait: float = 0.0) -> list[str]:
        """Return a sentence for everything that is wrong with a session; none means all is well.

        Both files are read and checked, the whole journal is done again, every invariant looked
        at; a journal file that a crash left behind is folded.
        """
        place = self._place(id)
        self._must_exist(place)
        try:
            found = self._look(SessionFiles(self._disk, place))
        except StorageError as error:
            return [str(error)]
        wrong = [*found.damage, *found.conversation.check()]
        if not wrong and self._disk.stamp(place.journal) is not None:
            try:
                with self.open(id, wait=wait):
                    pass
            except Locked:
                pass  # Its holder will fold it.
            except Refused as refusal:
                wrong.append(str(refusal))
        return wrong

    def _names(self) -> list[str]:
        try:
            return self._disk.names(self.folder)
        except OSError as error:
            why = f"the library {self.folder} can't be read: {reason(error)}"
            raise StorageError(why, field="library", value=str(self.folder)) from None

    def list(self) -> list[Entry]:
        """Return all sessions, the one changed last first; only changed files are looked into."""
        known, now = self._index.read(), {}
        for name in self._names():
            id = name.removesuffix(".json")
            stamp = self._disk.stamp(self.folder / name) if is_id(id) and id != name else None
            if stamp is not None:
                held = known.get(id)
                fresh = held is not None and held[0] == stamp
                entry = held[1] if held and fresh else read_entry(self._disk, self._place(id))
                now[id] = (stamp, entry)
        if now != known:
            self._index.write(now)
        self._disk.sweep(self.folder)
        entries = [entry for _, entry in now.values()]
        return sorted(entries, key=lambda entry: (-entry.updated, entry.id))
