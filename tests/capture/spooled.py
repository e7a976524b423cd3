"""What the tests of the spool share: leaving something in it, and looking at what is there."""

from __future__ import annotations

import json
from pathlib import Path

from ctxtui.capture.keeper import CaptureEvent, Keeper
from ctxtui.core.storage import Library
from tests.capture.conftest import CHAT


def slips(folder: Path) -> list[Path]:
    """Return the files of what is in the spool of a library."""
    return sorted((folder / "spool").glob("*.slip"))


def in_library(folder: Path) -> list[list[str]]:
    """Return the ids of the calls of each session."""
    library = Library(folder)
    found = []
    for entry in library.list():
        with library.open(entry.id, read_only=True) as session:
            calls = session.conversation.calls.all
            found.append(["" if one.wire is None else one.wire.get("id", "") for one in calls])
    return found


def kept_again(folder: Path) -> list[CaptureEvent]:
    """Start a keeper that is given nothing, and return what it told."""
    told: list[CaptureEvent] = []
    Keeper(Library(folder), told.append).close()
    return told


def left_behind(folder: Path, count: int, tag: str = "run") -> None:
    """Leave calls in the spool as a proxy does that is killed before it has recorded any."""
    spool = Library(folder).spool
    for number in range(count):
        slip = spool.begin()
        asked = [{"role": "user", "content": f"question {n}"} for n in range(number + 1)]
        head = {
            "kind": "chat",
            "path": CHAT,
            "headers": {},
            "time": 1_000 + number,
            "tag": tag,
            "request": {"model": "m", "messages": asked},
        }
        slip.add(json.dumps(head).encode())
        slip.add(
            json.dumps({"response": {"choices": []}, "status": 200, "outcome": "complete"}).encode()
        )
        slip.close()
    spool.close()
