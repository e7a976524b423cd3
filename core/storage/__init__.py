"""The library of sessions: saved as they change, readable with plain TinyDB, never half written.

Start reading at ``library``; ``session`` is what it hands out, ``rows`` what stands in a file, and
``disk`` the few things that can fail.
"""

from core.storage.details import STATUSES, Source
from core.storage.entries import Entry
from core.storage.errors import (
    Damaged,
    Locked,
    NotFound,
    NotSaved,
    Stale,
    StorageError,
    TooNew,
)
from core.storage.following import Follower
from core.storage.lane_place import LanePlace
from core.storage.library import Library
from core.storage.memory import MemoryLibrary
from core.storage.session import Session
from core.storage.spool import Slip, Spool
from core.storage.visiting import VisitedLibrary

__all__ = [
    "STATUSES",
    "Damaged",
    "Entry",
    "Follower",
    "LanePlace",
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
    "TooNew",
    "VisitedLibrary",
]
