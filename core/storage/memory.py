"""The library in memory: the same library, on a disk that is gone with the process."""

from __future__ import annotations

from collections.abc import Callable

from ..conversation.conversation import Clock
from ..values.times import milliseconds
from .library import Library
from .memory_disk import MemoryDisk
from .names import new_id
from .session import FOLD_AT


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
