"""The library in memory: the same library, on a disk that is gone with the process."""

from __future__ import annotations

from collections.abc import Callable

from core.conversation.conversation import Clock
from core.storage.library import Library
from core.storage.memory_disk import MemoryDisk
from core.storage.names import new_id
from core.storage.session import FOLD_AT
from core.values.times import milliseconds


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
