"""Which sessions a library shows, and in which order: nothing moves under the hand."""

from __future__ import annotations

from collections.abc import Iterable

from core.storage import Entry


class SessionOrder:
    """An order that stays until another one is asked for, whatever happens to the sessions."""

    def __init__(self) -> None:
        self._ids: list[str] = []

    def arrange(self, entries: Iterable[Entry], wanted: str = "") -> None:
        """Take the sessions that hold a text in title or tags, in the order given."""
        text = wanted.casefold()
        self._ids = [
            entry.id
            for entry in entries
            if any(text in one.casefold() for one in (entry.title, *entry.tags))
        ]

    def put_first(self, id: str) -> None:
        """Put a session that has just been made above all others; one that is here stays."""
        if id not in self._ids:
            self._ids.insert(0, id)

    def shown(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the sessions of this order as they are now.

        Those that have gone keep their place, for when they come back; those that others have
        made meanwhile wait until the order is asked for again.
        """
        known = {entry.id: entry for entry in entries}
        return [known[id] for id in self._ids if id in known]
