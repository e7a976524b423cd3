"""Saving a session: what may be said of it, and closing it without losing anything."""

from __future__ import annotations

from collections.abc import Callable

from ctxtui.core.storage import Session, StorageError

COPY = "O and then D makes a copy to work on"
"""How to get a session of one's own: in the library."""
NOTHING = "Read-only: nothing is changed."


class Saver:
    """Makes a session safe on disk; each method returns why that failed, or None.

    Writing blocks, so a screen calls it in a thread; the session itself keeps the order.
    """

    def __init__(self, session: Session, followed: str | None = None) -> None:
        self.session = session
        self.followed = followed
        """The file that the session grows with, if it was opened to follow one."""
        self.was_warned = False
        """Whether it was said that leaving would lose something."""

    @property
    def read_only_reason(self) -> str | None:
        """Return why nothing can be changed here, or None."""
        holder = self.session.holder
        if self.followed is not None:
            return f"Read-only: it grows with {self.followed}; {COPY}."
        if not self.session.read_only:
            return None
        return f"Read-only: {holder} has it open; {COPY}." if holder else NOTHING

    def sync(self) -> str | None:
        """Make what was done safe."""
        return self._write(self.session.sync)

    def fold(self) -> str | None:
        """Fold everything into the session's file."""
        return self._write(self.session.save)

    def _write(self, write: Callable[[], object]) -> str | None:
        try:
            write()
        except StorageError as error:
            return str(error)
        self.was_warned = False
        return None

    def close(self) -> str | None:
        """Close the session; if that would lose something, only when asked a second time."""
        try:
            self.session.close()
        except StorageError as error:
            if not self.was_warned:
                self.was_warned = True
                return str(error)
            self.session.abandon()
        return None
