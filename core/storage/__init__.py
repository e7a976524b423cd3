"""The library of sessions: saved as they change, readable with plain TinyDB, never half written.

Start reading at ``library``; ``session`` is what it returns, ``rows`` what is in a file, and
``disk`` the few things that can fail.
"""

from .details import STATUSES, ImportSource, ThreadPlace
from .entries import Entry
from .errors import Damaged, Locked, NotFound, NotSaved, Stale, StorageError, TooNew
from .following import Follower
from .library import Library, MemoryLibrary
from .read_only import ReadOnlyLibrary
from .session import Session
from .spool import CrashSpool, SpoolEntry

__all__ = [
    "STATUSES",
    "CrashSpool",
    "Damaged",
    "Entry",
    "Follower",
    "ImportSource",
    "Library",
    "Locked",
    "MemoryLibrary",
    "NotFound",
    "NotSaved",
    "ReadOnlyLibrary",
    "Session",
    "SpoolEntry",
    "Stale",
    "StorageError",
    "ThreadPlace",
    "TooNew",
]
