"""The library of sessions: saved as they change, readable with plain TinyDB, never half written.

Start reading at ``library``; ``session`` is what it hands out, ``rows`` what stands in a file, and
``disk`` the few things that can fail.
"""

from .details import STATUSES, Source, ThreadPlace
from .entries import Entry
from .errors import Damaged, Locked, NotFound, NotSaved, Stale, StorageError, TooNew
from .following import Follower
from .library import Library, MemoryLibrary
from .read_only import VisitedLibrary
from .session import Session
from .spool import Slip, Spool

__all__ = [
    "STATUSES",
    "Damaged",
    "Entry",
    "Follower",
    "Library",
    "Locked",
    "MemoryLibrary",
    "NotFound",
    "NotSaved",
    "Session",
    "Slip",
    "Source",
    "Spool",
    "Stale",
    "StorageError",
    "ThreadPlace",
    "TooNew",
    "VisitedLibrary",
]
