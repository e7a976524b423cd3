"""What a call sends, as a state that can be asked like any other."""

from __future__ import annotations

from ..history.revisions import Revision
from ..history.state import Head, Moment, State
from ..views.view import View


class Sent(Moment):
    """A state in which something is visible that needs no revision of its own.

    A call in the middle of one APPEND, or of the messages a conversation starts with, is such one.
    """

    __slots__ = ("_current",)

    def __init__(self, base: State, head: Head, view: View, log_size: int) -> None:
        super().__init__(base, head)
        counter = head.settings.counter
        self._current = base.revisions[head.revision]._replace(
            view=view, log_size=log_size, tokens=base.log.total(view, counter), counter=counter
        )

    @property
    def current(self) -> Revision:
        """Return the revision as it would be."""
        return self._current

    @property
    def view(self) -> View:
        """Return what is sent."""
        return self._current.view
