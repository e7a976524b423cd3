"""Following: a session that another program writes is read on from where reading stopped.

A look costs what is new, however long the session is: lines that were added to the journal file
are read from their first byte on, and held to the chain of checksums as at opening. When the
writer has folded, the row about the session at the end of its file shows whether anything was
missed; only then the whole file is read once more. Nothing is ever written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from ..conversation.conversation import apply_record
from ..engine.journal import Record, read_record
from ..errors import Refused, format_value
from ..values.models import read_count
from .checksummed import TableRow, check_version, meta_of, read_checksummed
from .details import Details
from .disk import FileVersion
from .errors import StorageError, reason
from .journal_file import JournalLine, JournalPlace, read_journal, read_lines
from .locks import WriterLock
from .replay import CORRUPT_DATA_ERRORS, read_history
from .rows import figures
from .session import ReadPosition, Session

CLAIMED = ("records", "revision", "messages", "visible", "batches", "tokens", "view")
"""What the row about a session must say the same as what was followed to it."""


class _Changing(Exception):  # noqa: N818 - says what happens
    """The files are being replaced at this very moment; the next look will find them at rest."""


class Follower:
    """Keeps a read-only session up to date with the program that writes it.

    Where reading must not block a screen, ``read`` runs in a thread and ``apply`` puts what was
    read in place, some records at a time.
    """

    def __init__(self, session: Session) -> None:
        if not session.read_only:
            raise StorageError(
                f"{session.title!r} is written here, so there is no writer to follow",
                field="session",
                legal="a session that was opened read-only",
            )
        self.session = session
        self.problem: str | None = None
        """Why nothing new is read: for now if a file is gone or locked away, or for good."""
        self.is_over = False
        """Whether following has ended for good; everything that was read stays."""
        self._disk = session.files.disk
        self._place = session.files.place
        self._lock = WriterLock(self._disk, self._place.main)
        self._waiting: deque[Record | Details | TableRow] = deque()
        """What was read; a row of ``meta`` says what all records before it lead to."""
        self._read = len(session.conversation.journal)
        self._seen: tuple[FileVersion | None, FileVersion | None] | None = None
        self._journal_file: int | None = None
        self._reached = session.files.reached or ReadPosition("", (), None)
        if session.files.reached is None:
            self._end("its files are damaged, so what comes behind that can't be trusted")

    @property
    def is_written(self) -> bool:
        return self._lock.lock.is_held_elsewhere()

    def look(self) -> int:
        """Read and apply what is new; return how many records that were."""
        self.read()
        return self.apply()

    def read(self) -> int:
        """Read what has come since the last look; return how many records wait to be applied.

        While nothing has come, that is known from two file stamps.
        """
        if not self.is_over:
            try:
                stamps = (
                    self._disk.version(self._place.main),
                    self._disk.version(self._place.journal),
                )
                if stamps != self._seen:
                    self._read_new(*stamps)
                    self._seen = stamps
            except (_Changing, FileNotFoundError):
                pass  # The next look will find it.
            except OSError as error:
                self.problem = f"{self._where} can't be read: {reason(error)}"
            except CORRUPT_DATA_ERRORS as error:
                self._end(str(error))
        return sum(isinstance(one, Record) for one in self._waiting)

    def apply(self, most: int | None = None) -> int:
        """Apply what was read, at most some records of it; return how many those were."""
        done, details = 0, None
        conversation = self.session.conversation
        while self._waiting and (most is None or done < most):
            one = self._waiting.popleft()
            try:
                match one:
                    case Record():
                        apply_record(conversation, one)
                        done += 1
                    case Details():
                        details = one
                    case dict():
                        self._must_agree(one)
            except CORRUPT_DATA_ERRORS as error:
                self._waiting.clear()
                self._end(str(error))
        if done or details is not None:
            self.session.followed(details)
        return done

    @property
    def _where(self) -> str:
        return f"{self.session.title!r} in {self._place.folder}"

    def _end(self, why: str) -> None:
        self.is_over = True
        self.problem = f"{self._where} is no longer followed: {why}"

    # Reading

    def _read_new(self, main: FileVersion | None, journal: FileVersion | None) -> None:
        before = self._seen
        if main is None:
            self.problem = f"{self._where} is gone; what was read of it stays"
            return
        self.problem = None
        if before is None or before[0] != main:
            self._read_fold()
        if journal is not None:
            self._read_journal(journal)
        if self._disk.version(self._place.main) != main:
            raise _Changing

    def _read_fold(self) -> None:
        """Check whether the session file was replaced, and read what only the new one has."""
        meta = meta_of(self._disk, self._place.main)
        if meta.get("checksum") == self._reached.base:
            return
        check_version(meta, "session file")
        records = read_count(meta.get("records"), "records")
        if records < self._read:
            raise Refused(
                f"its file holds {records} changes, and {self._read} were read of it before",
                field="records",
                value=records,
            )
        if records > self._read:
            meta = self._read_missed(meta.get("checksum"))
        previous = tuple(one for one in meta.get("previous", ()) if isinstance(one, str))
        self._waiting += (Details.from_dict(meta), meta)
        self._reached = ReadPosition(str(meta.get("checksum")), previous, None)

    def _read_missed(self, checksum: object) -> TableRow:
        """Read the records that only the session file has; return its row about the session."""
        content = read_checksummed(self._disk.read(self._place.main))
        if not content.is_sealed:
            raise Refused("its file was changed by another program", field="checksum")
        if content.checksum != checksum:
            raise _Changing
        records = read_history(content.tables).records
        self._must_be_known(records, 0)
        self._take(records[self._read :])
        return content.tables["meta"]["1"]

    def _read_journal(self, found: FileVersion) -> None:
        """Read the lines behind the last one that was read, or another journal file from its start.

        Lines that can't be read may be those of another file with the same name: then all of it is
        read, and its first line shows which it is.
        """
        at = self._reached.journal
        is_same = self._journal_file in (None, found.file)
        if at is not None and is_same and found.size >= at.size:
            *whole, _ = self._disk.read(self._place.journal, at.size).split(b"\n")
            lines, chains, damage = read_lines(at.chain, whole, at.lines + 2)
            if damage is None:
                self._journal_file = found.file
                self._take_lines(lines)
                size = sum(len(line) + 1 for line in whole[: len(lines)])
                here = [at.chain, *chains][-1]
                at = at._replace(chain=here, lines=at.lines + len(lines), size=at.size + size)
                self._reached = self._reached._replace(journal=at)
                return
        self._journal_file = found.file
        text = read_journal(self._disk.read(self._place.journal))
        base = text.header.base
        if base in self._reached.previous:
            return  # All it says is in the session file, and it is about to be removed.
        if base != self._reached.base:
            if meta_of(self._disk, self._place.main).get("checksum") != self._reached.base:
                raise _Changing
            raise Refused("its journal file continues another session file", field="base")
        self._take_lines(text.lines)
        self._reached = self._reached._replace(journal=JournalPlace.after(text))
        if text.damage is not None:
            raise Refused(text.damage, field="journal")

    def _take_lines(self, lines: Sequence[JournalLine]) -> None:
        for line in lines:
            if "details" in line:
                self._waiting.append(Details.from_dict(line["details"]))
                continue
            place = line.get("n")
            if type(place) is not int or place > self._read:
                raise Refused(
                    f"change {format_value(place)} came where change {self._read} should", field="n"
                )
            record = read_record(line.get("record", {}), place)
            if place < self._read:
                self._must_be_known([record], place)
            else:
                self._take([record])

    def _take(self, records: Sequence[Record]) -> None:
        self._waiting += records
        self._read += len(records)

    def _must_be_known(self, records: Sequence[Record], start: int) -> None:
        known: Sequence[Any] = self.session.conversation.journal[start : start + len(records)]
        for place, (one, other) in enumerate(zip(known, records, strict=False), start):
            if one != other:
                raise Refused(f"change {place} is another one than was read before", field="n")

    def _must_agree(self, meta: TableRow) -> None:
        made = figures(self.session.conversation)
        for key in CLAIMED:
            if meta.get(key) != made[key]:
                raise Refused(
                    f"its file says {key} {format_value(meta.get(key))}, but its journal led to "
                    f"{format_value(made[key])}",
                    field=key,
                )
