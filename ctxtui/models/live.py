"""What is known of whoever writes the session that is shown."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ctxtui.core.storage import Session


class Keeping(Protocol):
    """What keeps a session up to date: with another program, or with a file."""

    session: Session

    @property
    def problem(self) -> str | None:
        """Return why nothing new comes, for now or for good."""
        ...

    @property
    def is_over(self) -> bool:
        """Tell whether nothing will come any more."""
        ...

    @property
    def is_written(self) -> bool:
        """Tell whether somebody is writing."""
        ...

    def read(self) -> int:
        """Read what has come, in any thread; return how much of it waits."""
        ...

    def apply(self, most: int | None = None) -> int:
        """Put some of what was read in place; return how many changes that were."""
        ...


class Guest(Protocol):
    """A screen that goes along with whoever writes the session it shows."""

    def move_on(self) -> None:
        """Show what has come."""
        ...


class Liveness(NamedTuple):
    """Whether somebody writes the session, and whether it can be followed."""

    is_written: bool
    is_over: bool = False
    is_file: bool = False
    """Whether it grows with a file: then only this program writes it, and only what comes."""
