"""The position in each library when the app was closed: session, filter and order."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ctxtui.files.preferences import preferences_file
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.writing import write_whole

MOST = 100
"""How many libraries are remembered; of more, those that were left first are forgotten."""
LONGEST = 1_000
"""Characters of anything that is remembered."""


class LibraryPosition(NamedTuple):
    """The session under the cursor, the filter and the order."""

    session: str = ""
    where: str = ""
    sort: str = ""
    is_reversed: bool = False


def positions_file() -> Path:
    """Return where the positions are stored: next to the preferences."""
    return preferences_file().with_name("places.json")


def load_position(folder: Path) -> LibraryPosition:
    """Return the saved position in a library; a file that can't be read is ignored."""
    found = _load().get(_name(folder))
    if not isinstance(found, dict):
        return LibraryPosition()
    session, where, sort = (_text(found.get(name)) for name in ("session", "where", "sort"))
    return LibraryPosition(session, where, sort, found.get("is_reversed") is True)


def _text(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST else ""


def save_position(folder: Path, place: LibraryPosition) -> None:
    """Save the position in a library; failures are ignored."""
    kept = {name: one for name, one in _load().items() if name != _name(folder)}
    kept[_name(folder)] = place._asdict()
    path = positions_file()
    with suppress(OSError, Unreadable):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(dict(list(kept.items())[-MOST:])))


def _name(folder: Path) -> str:
    return str(folder.absolute())


def _load() -> dict[str, object]:
    try:
        found = json.loads(positions_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
