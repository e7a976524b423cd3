"""The two files of a session: the TinyDB file, and the journal file of what came after it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from ..conversation.conversation import Conversation
from .details import Details
from .disk import Disk, FileLock
from .errors import Stale
from .folder import SessionPaths
from .journal_file import Header, JournalFile, JournalLine, JournalPlace, JournalText
from .rows import meta_row, tables_of
from .sealed import SealedStorage, SealState


class Reached(NamedTuple):
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
        self.storage = SealedStorage(place.main, disk, is_safe=True, lock=lock)
        self.journal = JournalFile(disk, place.journal)
        self.disk = disk
        self.records = 0
        self.details: Details | None = None
        self.reached: Reached | None = None
        """How far the files were read, if all of it could be used."""
        self._bases: list[str] = []

    def known(self, records: int, details: Details, previous: Sequence[str]) -> None:
        """Go on from a TinyDB file that was read: what is in it, and what it took the place of."""
        assert self.storage.checksum is not None
        self.records = records
        self.details = details
        self._bases = [*previous, self.storage.checksum]

    def resume(self, text: JournalText, data: bytes, *, is_doubtful: bool) -> None:
        """Go on from a journal file that was read, if it belongs to the TinyDB file.

        A doubtful one ends in something that may have been confirmed, and is kept aside.
        """
        self.journal.know(data, is_doubtful=is_doubtful)
        if text.header.base == self.storage.checksum:
            self._bases = [text.header.base]
            self.journal.resume(text)

    def must_fold(self) -> bool:
        """Tell whether only a whole TinyDB file will do; refuse to touch what others wrote."""
        state = self.storage.state()
        if state is SealState.FOREIGN:
            raise Stale(
                f"{self.place.main} was changed by another program since it was opened; "
                "nothing was written over; export this one to keep it",
                field="session",
                value=self.place.id,
            )
        return state is not SealState.KNOWN

    def fold(self, conversation: Conversation, details: Details) -> None:
        """Write everything into the TinyDB file; the journal file is then of no more use."""
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
        """Tell whether there is or may be a journal file or its record, whatever they say."""
        try:
            return self.journal.is_left()
        except OSError:
            return True

    def add(self, lines: Sequence[JournalLine]) -> None:
        """Add lines to the journal file, which is ready for them."""
        self.journal.append(lines)

    def begin(self, lines: Sequence[JournalLine]) -> None:
        """Put a new journal file in place, with all lines since the TinyDB file."""
        checksum = self.storage.checksum
        assert checksum is not None
        self.journal.start(Header(self.place.id, checksum, self.records), lines)
        self._bases = [checksum]
