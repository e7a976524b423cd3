"""Writers: which sessions of a library other programs are writing right now."""

from __future__ import annotations

from pathlib import Path

from .disk import Disk
from .folders import names_in
from .locks import WriterLock
from .names import SessionPaths, is_id

LEFT = (".holder", ".journal")
"""Endings of what stands beside a session while it is written."""


def writers_in(disk: Disk, folder: Path) -> dict[str, str]:
    """Return who holds which session, by its id; looking changes nothing.

    Only sessions with a note or a journal beside them are asked whether they are locked: those of
    programs that are gone have these too, and nobody has any other.
    """
    ids = {
        Path(name).stem
        for name in names_in(disk, folder)
        if name.endswith(LEFT) and is_id(Path(name).stem)
    }
    held = {id: WriterLock(disk, SessionPaths(folder, id).main).holder() for id in sorted(ids)}
    return {id: holder for id, holder in held.items() if holder is not None}
