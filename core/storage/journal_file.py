"""The journal file: what was done since the session file was written, safe on disk at once.

Lines are only ever added, after a look whether the file still is what this program left or read,
and while no other program of this kind can write it. Several are written at once and waited for
once. What this program doesn't know of is never written over or removed.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .confirmed import Confirmed, ConfirmedFile
from .disk import MOST_BYTES, Disk, too_large
from .errors import Locked, Stale
from .handles import Handle, Stamp
from .journal_text import Header, JournalLine, JournalText, header_text, lines_text
from .names import kept_of

END = 4096
"""Bytes at the end of the file by which it is known again."""


class JournalFile:
    """A journal file that is being written.

    After any failure it is not trusted again: the system may have forgotten bytes it took. The
    next write then has to ``start`` it anew.
    """

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self.path = path
        self.size = 0
        self._hold = disk.hold(path)
        self._record = ConfirmedFile(disk, path.with_suffix(".confirmed"))
        self._handle: Handle | None = None
        self._confirmed: Confirmed | None = None
        self._file: int | None = None
        self._end: bytes | None = None
        self._tried: list[tuple[int, bytes]] = []
        self._is_doubtful = False

    @property
    def is_ready(self) -> bool:
        """Tell whether lines can be added to it as it is."""
        return self._confirmed is not None and self._disk.stamp(self.path) is not None

    def is_left(self) -> bool:
        """Tell whether there is a file or its record of what is confirmed, whatever they say."""
        return self._disk.stamp(self.path) is not None or self._record.is_left()

    def know(self, data: bytes, *, is_doubtful: bool = False) -> None:
        """Note what was read from the file; a doubtful end is kept aside before it is dropped."""
        self.size, self._end, self._is_doubtful = len(data), data[-END:], is_doubtful

    def resume(self, text: JournalText) -> None:
        """Go on with a file that was read whole; one that ends badly has to be started anew.

        It is opened only when there is something to write: who just reads may not be allowed to.
        """
        if not text.unread:
            self._confirmed = Confirmed(
                text.header.base, text.chains[0], len(text.lines), text.chains[-1]
            )

    def must_be_known(self) -> None:
        """Take the file, and refuse one that holds anything this program doesn't know."""
        if not self._hold.take():
            raise Locked(f"{self.path} is being written by another program", "another program")
        found = self._disk.stamp(self.path)
        if found is not None and not self._is_known(found):
            raise Stale(
                f"{self.path} was changed by another program since it was opened; "
                "nothing was written over; export this one to keep it",
                field="session",
                value=self.path.stem,
            )

    def _is_known(self, found: Stamp) -> bool:
        if self._end is not None and found.size == self.size:
            if found.file == self._file:
                return True
            if self._disk.tail(self.path, len(self._end) or 1) == self._end:
                self._file = found.file
                return True
        # What a failed write may have left is known as well.
        data = self._disk.read(self.path) if self._tried else b""
        return any(
            start <= len(data) and tried.startswith(data[start:]) for start, tried in self._tried
        )

    def start(self, header: Header, lines: Sequence[JournalLine]) -> None:
        """Put a new journal file in place, with its first lines."""
        self.must_be_known()
        self._keep_doubtful()
        text, first = header_text(header)
        more, chain = lines_text(first, lines)
        self._distrust(0, text + more)
        self._disk.write_whole(self.path, text + more, hold=self._hold)
        self._tried.clear()
        self.know(text + more)
        found = self._disk.stamp(self.path)
        self._file = None if found is None else found.file
        self._confirm(Confirmed(header.base, first, len(lines), chain))

    def append(self, lines: Sequence[JournalLine]) -> None:
        """Write lines and wait until they are safe; only if this returns, they are."""
        self.must_be_known()
        before = self._confirmed
        assert before is not None
        text, chain = lines_text(before.chain, lines)
        if self.size + len(text) > MOST_BYTES:
            raise too_large(self.path, self.size + len(text))
        try:
            if self._handle is None:
                self._handle = self._disk.extend(self.path)
            self._handle.write(text)
            self._handle.fsync()
            self._must_be_there(self._handle, self.size + len(text))
        except OSError:
            self._distrust(self.size, text)
            raise
        self.size += len(text)
        self._end = ((self._end or b"") + text)[-END:]
        lines_now = before.lines + len(lines)
        self._confirm(before._replace(lines=lines_now, chain=chain))

    def _must_be_there(self, handle: Handle, size: int) -> None:
        """Refuse to confirm what went into a file that lost its name, or that others wrote too."""
        written, found = handle.stamp(), self._disk.stamp(self.path)
        if found is None or found.file != written.file or written.size != size:
            raise OSError(errno.ESTALE, "it was replaced by another program", str(self.path))

    def _confirm(self, confirmed: Confirmed) -> None:
        self._confirmed = confirmed
        with suppress(OSError):  # The lines are safe; only a loss of them might not be noticed.
            self._record.put(confirmed)

    def _distrust(self, start: int, tried: bytes) -> None:
        """Note what may stand in the file from some byte on, and write to it no more."""
        self._tried.append((start, tried))
        self._confirmed = None
        self._close_handle()

    def _keep_doubtful(self) -> None:
        """Keep a copy of a file whose end may have been more than a write that was cut off."""
        if self._is_doubtful and self._disk.stamp(self.path) is not None:
            self._disk.write_whole(kept_of(self.path), self._disk.read(self.path))
        self._is_doubtful = False

    def remove(self) -> None:
        """Remove file and record, held until they are gone: the session file has everything."""
        self._confirmed = None
        self._close_handle()
        self.must_be_known()
        if self.is_left():
            self._keep_doubtful()
            self._disk.unlink(self.path)
            self._record.remove()
            self._disk.fsync_folder(self.path.parent)
        self.close()
        self.size, self._end, self._file = 0, None, None
        self._tried.clear()

    def close(self) -> None:
        """Stop writing, and let others."""
        self._confirmed = None
        self._close_handle()
        self._record.close()
        self._hold.leave()

    def _close_handle(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                handle.close()
