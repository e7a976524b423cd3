"""Titles: how a session is found by what it is called."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import shown
from .entries import Entry
from .errors import NotFound

SHOWN_CANDIDATES = 5


def by_title(name: str, entries: Sequence[Entry]) -> str:
    """Return the id of the one session with a title, or say which ones come close."""
    found = [entry for entry in entries if entry.title == name]
    if len(found) == 1:
        return found[0].id
    if not found:
        close = [entry for entry in entries if name.casefold() in entry.title.casefold()]
        said = f"no session is called {shown(name)}"
    else:
        close, said = found, f"{len(found)} sessions are called {shown(name)}"
    named = ", ".join(f"{one.id} ({one.title})" for one in close[:SHOWN_CANDIDATES])
    hint = f"; there are {named}" if close and not found else f"; choose by id: {named}"
    raise NotFound(said + (hint if close else ""), field="session", value=name)
