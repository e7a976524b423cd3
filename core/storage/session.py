"""A session: a conversation that is saved as it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Lock, RLock
from typing import Any, NamedTuple, Self

from ..conversation.conversation import Clock, Conversation, OperationLike, Result
from ..formats.warnings import FormatWarning
from .checksummed import ChecksummedStorage, FileState
from .details import Details, ThreadPlace
from .disk import Disk, FileLock, FileVersion
from .entries import first_words, number_in_file, with_figures
from .errors import Locked, NotSaved, Stale, StorageError, reason
from .folder import SessionPaths
from .journal_file import Header, JournalFile, JournalLine, JournalPlace, JournalText
from .locks import WriterLock
from .rows import meta_row, tables_of


class ReadPosition(NamedTuple):
    """How far the files of a session were read."""

    base: str
    """The checksum of the TinyDB file."""
    previous: tuple[str, ...]
    """The checksums of those it took the place of."""
    journal: JournalPlace | None
    """Where reading of the journal file that continues it stopped."""


class SessionFiles:
    """Writes both files so that, whatever is cut off or fails, they belong together.

    The TinyDB file names the files it took the place of. A journal file that continues one of
    those is older: all it says is in the TinyDB file already.
    """

    def __init__(self, disk: Disk, place: SessionPaths, lock: FileLock | None = None) -> None:
        self.place = place
        self.storage = ChecksummedStorage(place.main, disk, is_safe=True, lock=lock)
        self.journal = JournalFile(disk, place.journal)
        self.disk = disk
        self.records = 0
        self.details: Details | None = None
        self.reached: ReadPosition | None = None
        """How far the files were read, if all of it could be used."""
        self._bases: list[str] = []

    def known(self, records: int, details: Details, previous: Sequence[str]) -> None:
        """Continue from a TinyDB file that was read: what is in it, and what it replaced."""
        assert self.storage.checksum is not None
        self.records = records
        self.details = details
        self._bases = [*previous, self.storage.checksum]

    def resume(self, text: JournalText, data: bytes, *, is_doubtful: bool) -> None:
        """Continue from a journal file that was read, if it belongs to the TinyDB file.

        A doubtful one ends in something that may have been confirmed, and is kept aside.
        """
        self.journal.know(data, is_doubtful=is_doubtful)
        if text.header.base == self.storage.checksum:
            self._bases = [text.header.base]
            self.journal.resume(text)

    def must_fold(self) -> bool:
        """Return whether a TinyDB file must be written; refuse to replace another program's."""
        state = self.storage.state()
        if state is FileState.FOREIGN:
            raise Stale(
                f"{self.place.main} was changed by another program since it was opened; "
                "nothing was written over; export this one to keep it",
                field="session",
                value=self.place.id,
            )
        return state is not FileState.KNOWN

    def fold(self, conversation: Conversation, details: Details) -> None:
        """Write everything into the TinyDB file; the journal file is then no longer needed."""
        self.must_fold()
        self.journal.must_be_known()
        meta = meta_row(self.place.id, conversation, details, self._bases)
        self.storage.write({**tables_of(conversation), "meta": {"1": meta}})
        checksum = self.storage.checksum
        assert checksum is not None
        self.records, self.details = len(conversation.journal), details
        self._bases.append(checksum)
        # Should removing it fail, the TinyDB file says that this journal file is an old one.
        with suppress(OSError):
            self.journal.remove()
            self._bases = [checksum]

    def has_journal(self) -> bool:
        """Return whether there is or may be a journal file or its record, whatever they say."""
        try:
            return self.journal.is_left()
        except OSError:
            return True

    def begin(self, lines: Sequence[JournalLine]) -> None:
        """Put a new journal file in place, with all lines since the TinyDB file."""
        checksum = self.storage.checksum
        assert checksum is not None
        self.journal.start(Header(self.place.id, checksum, self.records), lines)
        self._bases = [checksum]


FOLD_AT = 1 << 22
"""Bytes from which a journal file is folded automatically, unless the TinyDB file is larger."""
QUICK_FOLD = 1 << 20
"""The largest TinyDB file that is written at once when details change."""


class LibraryContext(NamedTuple):
    """What all sessions of a library have in common."""

    disk: Disk
    clock: Clock
    fold_at: int
    admit: Callable[[], None]
    """Called before a new session is written; refuses a folder that is no library."""
    saved: Callable[[Saved], None]
    """Called with every TinyDB file that was written."""


class Saved(NamedTuple):
    """A TinyDB file that was written, and the one it took the place of, if that was known."""

    session: Session
    conversation: Conversation
    version: FileVersion | None
    before: FileVersion | None
    is_same: bool
    """Whether the conversation is the one that was in the file before."""


class Access(NamedTuple):
    """Whether a session may write: with its lock; or not, and who else may."""

    writer: WriterLock | None
    holder: str | None = None


class Session:
    """A conversation with a place on disk, written by one program at a time.

    ``sync`` makes what was done so far safe, in order and without a gap, whichever thread calls
    it; ``save`` also folds the journal file. When the disk refuses, everything stays in memory,
    and the next call writes all that is missing.
    """

    def __init__(
        self,
        context: LibraryContext,
        files: SessionFiles,
        conversation: Conversation,
        details: Details,
        access: Access,
        notes: Sequence[str] = (),
    ) -> None:
        self.conversation = conversation
        self.notes = tuple(notes)
        self.facts: tuple[str, ...] = ()
        """What is good to know of one that was just made."""
        self.holder = access.holder
        self.problem: str | None = None
        self.is_open = True
        self._context = context
        self.files = files
        self._details = details
        self._safe_details: Details | None = None
        self._confirmed = 0
        self._writer = access.writer
        self._fold_at = context.fold_at
        self._writing = RLock()
        self._changing = Lock()

    def opened(self) -> Self:
        """Note that all of this is on disk already, because it was read from there."""
        self._confirmed = len(self.conversation.journal)
        self._safe_details = self._details
        with suppress(OSError):
            self.files.storage.state()  # From now on it is known which file this is.
        return self

    def followed(self, details: Details | None = None) -> None:
        """Note what its writer has done meanwhile, which was read and applied."""
        self._details = self._details if details is None else details
        self._confirmed, self._safe_details = len(self.conversation.journal), self._details

    @property
    def id(self) -> str:
        return self.files.place.id

    @property
    def details(self) -> Details:
        newest = self.conversation.journal[-1].time
        return self._details._replace(updated=max(self._details.updated, newest))

    @property
    def title(self) -> str:
        return self._details.title

    @property
    def name(self) -> str:
        """Return what it is called: its first words where its title is only that of its file."""
        source = self._details.source
        if number_in_file(self.title, source and source.path) is None:
            return self.title
        return first_words(self.conversation) or self.title

    @property
    def read_only(self) -> bool:
        return self._writer is None

    @property
    def is_lasting(self) -> bool:
        """Return whether what is saved outlives this program."""
        return self._context.disk.is_lasting

    @property
    def is_saved(self) -> bool:
        """Return whether everything done so far would survive the end of this program."""
        return self.problem is None and not self._is_missing()

    def _is_missing(self) -> bool:
        done = self._confirmed == len(self.conversation.journal)
        return not done or self._safe_details != self._details

    def change(self, operation: OperationLike) -> Result:
        """Apply an operation or a list of them in memory; ``sync`` makes it safe afterwards.

        Changes that several threads make in this way wait for each other, so that none is refused.
        """
        with self._changing:
            return self.conversation.execute(operation)

    def preview(self, operation: OperationLike) -> Result:
        """Return what an operation would do, also while another thread changes things."""
        return self.conversation.preview(operation)

    def execute(self, operation: OperationLike) -> Result:
        """Apply an operation or a list of them, and return when that is safe on disk."""
        result = self.change(operation)
        self.sync()
        return result

    def describe(self, **news: Any) -> None:
        """Change title, tags, status or note, and return when that is safe on disk."""
        with self._writing:
            self._must_be_writable()
            self._details = self._details.changed(news, self._context.clock())
            self.sync()

    def place(self, thread: ThreadPlace | None) -> None:
        """Set its place among what was recorded with it; ``sync`` makes that safe."""
        with self._writing:
            if thread != self._details.thread:
                now = self._context.clock()
                self._details = self._details._replace(thread=thread, updated=now)

    def warn(self, more: Iterable[FormatWarning]) -> None:
        """Store more warnings about the import; ``sync`` makes that safe."""
        with self._writing:
            warnings = dict.fromkeys((*self._details.warnings, *more))
            self._details = self._details._replace(warnings=tuple(warnings))

    def sync(self) -> None:
        """Make everything done so far safe, with one write and one wait for the disk."""
        with self._writing:
            self._must_be_writable()
            if self._is_missing() or self.problem is not None:
                self._try(self._sync)

    def save(self) -> None:
        """Fold everything into the TinyDB file, also where that file was removed meanwhile."""
        with self._writing:
            self._must_be_writable()
            self._try(self._fold_if_needed)

    def close(self) -> None:
        """Save and unlock; if something can't be made safe, the session stays open."""
        with self._writing:
            if not self.is_open:
                return
            if not self.read_only and (self._is_missing() or self.files.has_journal()):
                try:
                    self.save()
                except NotSaved as error:
                    if isinstance(error, Stale) or not self._is_in_journal():
                        raise
            self.abandon()

    def _is_in_journal(self) -> bool:
        """Return whether all is safe although it could not be folded."""
        try:
            return not self._is_missing() and not self.files.must_fold()
        except (OSError, StorageError):
            return False

    def abandon(self) -> None:
        """Unlock, and leave the disk as it is."""
        with self._writing:
            self.is_open = False
            self.files.journal.close()
            if self._writer is not None:
                with suppress(OSError):
                    self._writer.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _must_be_writable(self) -> None:
        if self.read_only:
            why = "to be read only" if self.holder is None else f"while {self.holder} has it open"
            raise Locked(
                f"{self.title!r} was opened {why}, so nothing is saved here", self.holder or ""
            )
        if not self.is_open:
            raise StorageError(f"{self.title!r} is closed; open it again", field="session")

    def _try(self, write: Callable[[], None]) -> None:
        """Write, and remember the reason if that fails."""
        try:
            self._acquire()
            write()
        except StorageError as error:
            self.problem = str(error)
            raise
        except OSError as error:
            self.problem = (
                f"{self.title!r} could not be saved in {self.files.place.folder}: {reason(error)}"
            )
            raise NotSaved(self.problem, field="session", value=self.id) from None
        self.problem = None

    def _acquire(self) -> None:
        assert self._writer is not None
        self._context.disk.make_folder(self.files.place.folder)
        if self.files.storage.checksum is None:
            self._context.admit()
        self._writer.acquire()

    def _sync(self) -> None:
        if self.files.must_fold() or self._folds_quicker():
            self._fold()
            return
        done, details = len(self.conversation.journal), self._details
        if self.files.journal.is_ready:
            self.files.journal.append(self._lines(self._confirmed, done, self._safe_details))
        else:
            self.files.begin(self._lines(self.files.records, done, self.files.details))
        self._confirmed, self._safe_details = done, details
        self._fold_if_large()

    def _folds_quicker(self) -> bool:
        """Return whether details of a small session were changed that has no journal.

        A new TinyDB file then needs two waits for the disk; a journal needs four, and three more to
        be folded. That counts where many sessions are judged or tagged.
        """
        main = self.files.storage.version
        is_small = main is not None and main.size <= QUICK_FOLD
        is_described = self._details != self._safe_details
        return is_described and is_small and not self.files.has_journal()

    def _lines(self, start: int, stop: int, known: Details | None) -> list[JournalLine]:
        """Return the lines of some records, and of the details if others are known on disk.

        Other threads may have changed the conversation since: the figures are those of the records.
        """
        records = self.conversation.journal[start:stop]
        lines: list[JournalLine] = [
            {"n": place, "record": record.to_dict()} for place, record in enumerate(records, start)
        ]
        lines += [] if self._details == known else [{"details": self._details.to_dict()}]
        then = self.conversation.journal[stop - 1].time
        updated = max(self._details.updated, then)
        return with_figures(lines, self.conversation.at_record(stop - 1), updated)

    def _fold_if_large(self) -> None:
        if self.files.journal.size <= self._fold_at:
            return
        try:
            main = self._context.disk.version(self.files.place.main)
            if main is None or self.files.journal.size > main.size:
                self._fold()
        except (OSError, StorageError):
            # All of it is safe in the journal file; the next try waits until it has doubled.
            self._fold_at = 2 * self.files.journal.size

    def _fold_if_needed(self) -> None:
        if self._is_missing() or self.files.has_journal() or self.files.must_fold():
            self._fold()

    def _fold(self) -> None:
        details = self._details
        snapshot = self.conversation.copy()
        newest = max(details.updated, snapshot.journal[-1].time)
        self._details = details._replace(updated=newest)
        before, known = self.files.storage.version, self.files.records
        self.files.fold(snapshot, self._details)
        self._confirmed, self._safe_details = len(snapshot.journal), self._details
        is_same = before is not None and known == len(snapshot.journal)
        version = self.files.storage.version
        self._context.saved(Saved(self, snapshot, version, before, is_same))
