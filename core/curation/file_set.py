"""Several files that are put in place together: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from ..errors import Refused
from ..storage.disk import Disk
from ..storage.errors import NotSaved, reason
from ..storage.handles import Handle
from ..storage.names import part_of


class Finished(NamedTuple):
    """A file that was written: its path, its size and the hash of its bytes."""

    path: Path
    size: int
    sha256: str


class Growing:
    """A file of a set while it is written."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self.path = path
        self.part = part_of(path)
        self._hash = sha256()
        self._size = 0
        above = (path.parent, *path.parent.parents)
        self.new_folders = [folder for folder in above if not folder.exists()]
        """Those that have to be made, the innermost first."""
        with _telling(path):
            disk.make_folder(path.parent)
            self._handle: Handle | None = disk.create(self.part)

    def write(self, text: str) -> None:
        """Add a text; a lone surrogate is kept, since it may be what is looked for."""
        assert self._handle is not None
        data = text.encode("utf-8", "surrogatepass")
        with _telling(self.path):
            self._handle.write(data)
        self._hash.update(data)
        self._size += len(data)

    def finish(self) -> Finished:
        """Wait for the disk, and return what was written."""
        assert self._handle is not None
        with _telling(self.path):
            self._handle.fsync()
        self.close()
        return Finished(self.path, self._size, self._hash.hexdigest())

    def close(self) -> None:
        """Let go of the file."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            handle.close()


class FileSet:
    """Writes files under other names, and gives them their own when all are finished.

    They are put in place in the order in which they were begun, the first one at the end: where
    that is a manifest, it tells that all are there.
    """

    def __init__(self, disk: Disk, *, is_forced: bool = False) -> None:
        self._disk = disk
        self._is_forced = is_forced
        self._growing: list[Growing] = []

    def must_be_free(self, paths: Iterable[Path]) -> None:
        """Refuse names that something has already, unless it may be written over."""
        for path in paths:
            found = self._disk.stamp(path)
            if found is not None and (not self._is_forced or found.size < 0):
                told = "is there already" if found.size >= 0 else "is no regular file"
                hint = "; --force writes over it" if found.size >= 0 else ""
                raise Refused(
                    f"{path} {told}, so nothing is written{hint}",
                    field="out",
                    value=str(path),
                    legal="a name that is not taken",
                )

    def begin(self, path: Path) -> Growing:
        """Return a file of the set to be written, which gets its name later."""
        growing = Growing(self._disk, path)
        self._growing.append(growing)
        return growing

    def __enter__(self) -> Self:
        """Write files in a ``with`` block, at whose end they get their names."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Put all files in place, or remove them if something went wrong."""
        try:
            if kind is None:
                self._commit()
        finally:
            self._abandon()

    def _commit(self) -> None:
        """Give every file its name; where that fails, everything is as it was before."""
        self.must_be_free(one.path for one in self._growing)
        undo: list[tuple[Path, Path | None]] = []
        for one in (*self._growing[1:], *self._growing[:1]):
            try:
                with _telling(one.path):
                    self._place(one.path, one.part, undo)
            except BaseException:
                self._take_back(undo)
                raise
        self._growing.clear()
        for _, aside in undo:
            if aside is not None:
                with suppress(OSError):
                    self._disk.unlink(aside)
        for folder in dict.fromkeys(path.parent for path, _ in undo):
            with suppress(OSError):
                self._disk.fsync_folder(folder)

    def _place(self, path: Path, part: Path, undo: list[tuple[Path, Path | None]]) -> None:
        if self._disk.stamp(path) is not None and self._is_forced:
            aside = part_of(path)
            with suppress(OSError):  # Who may read it stays as it was.
                part.chmod(path.stat().st_mode & 0o777)
            self._disk.replace(path, aside)
            undo.append((path, aside))
        else:
            self._disk.create(path).close()  # Whoever comes between is not written over.
            undo.append((path, None))
        self._disk.replace(part, path)

    def _take_back(self, undo: list[tuple[Path, Path | None]]) -> None:
        for path, aside in reversed(undo):
            with suppress(OSError):
                if aside is None:
                    self._disk.unlink(path)
                else:
                    self._disk.replace(aside, path)

    def _abandon(self) -> None:
        """Remove what was written and has no name yet."""
        for one in self._growing:
            with suppress(OSError):
                one.close()
            with suppress(OSError):
                self._disk.unlink(one.part)
        for one in reversed(self._growing):
            for folder in one.new_folders:
                with suppress(OSError):  # Whatever is in it by now stays.
                    folder.rmdir()
        self._growing.clear()


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotSaved(
            f"{path} can't be written: {reason(error)}; nothing was left behind",
            field="out",
            value=str(path),
        ) from None
