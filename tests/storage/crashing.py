"""A disk that knows what a power cut would leave: only what was waited for is sure to be there."""

from __future__ import annotations

from pathlib import Path
from random import Random

from ctxtui.core.storage.disk import MemoryDisk, MemoryFile


class ForgetfulFile(MemoryFile):
    """Bytes of which some may not have reached the disk."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.safe = b""

    def fsync(self) -> None:
        self.safe = bytes(self.data)

    def survivor(self, random: Random) -> bytes:
        """Return what a power cut may leave of the bytes."""
        data, safe = bytes(self.data), self.safe
        if not data.startswith(safe):
            return random.choice([data, safe])  # Written over in one piece.
        more = data[len(safe) :]
        written = random.choice([0, len(more), random.randint(0, len(more))])
        zeros = random.choice([0, len(more) - written])
        return safe + more[:written] + bytes(zeros)


class ForgetfulDisk(MemoryDisk):
    """A disk in memory that keeps apart what is sure to survive."""

    def __init__(self) -> None:
        super().__init__()
        self._safe_names: dict[Path, MemoryFile] = {}

    def _new(self) -> MemoryFile:
        return ForgetfulFile(next(self._numbers))

    def fsync_folder(self, folder: Path) -> None:
        kept = {path: file for path, file in self._safe_names.items() if path.parent != folder}
        here = {path: file for path, file in self._files.items() if path.parent == folder}
        self._safe_names = {**kept, **here}

    def after_power_cut(self, *, names_kept: bool, bytes_kept: bool) -> MemoryDisk:
        """Return what is left: renames and bytes nobody waited for may be there, or not."""
        left = MemoryDisk()
        for path, file in (self._files if names_kept else self._safe_names).items():
            assert isinstance(file, ForgetfulFile)
            left.create(path).write(bytes(file.data) if bytes_kept else file.safe)
        return left

    def after_random_power_cut(self, random: Random) -> MemoryDisk:
        """Return what may be left: of bytes nobody waited for some, none, all, or zeros."""
        left = MemoryDisk()
        for path, file in random.choice([self._files, self._safe_names]).items():
            assert isinstance(file, ForgetfulFile)
            left.create(path).write(file.survivor(random))
        return left
