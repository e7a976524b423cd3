"""Judging one call after another: each is compared with the one before, not begun from nothing."""

from __future__ import annotations

from collections.abc import Collection

from ..history.state import State
from ..lint.counting import ErrorCount
from ..views.shared import shared_start
from ..views.view import View
from .figures import CallFigures


class Judge:
    """Judges calls whose states share one growing log, by the rules of a profile."""

    def __init__(self, profile: str) -> None:
        self._errors = ErrorCount(profile)

    @property
    def is_local(self) -> bool:
        """Tell whether whole exchanges that come at the end can neither break nor mend anything."""
        return self._errors.is_local

    def judge(
        self, call: int, state: State, before: View, must: Collection[int], *, acted: bool
    ) -> CallFigures:
        """Return the figures of a call that sends what is visible in a state.

        ``before`` is what the call before has sent, ``must`` the messages that must be sent.
        """
        view, tokens = state.view, state.total(state.current)
        shared = shared_start(view, before)
        return CallFigures(
            call,
            len(view),
            tokens,
            _tokens_at_start(state, view, shared, tokens),
            self._errors.errors(state),
            sum(raw not in view for raw in must),
            acted,
        )


def _tokens_at_start(state: State, view: View, shared: int, total: int) -> int:
    """Return the tokens of the first messages, summed up on the side that has fewer runs."""
    if not shared or shared == len(view):
        return total if shared else 0
    behind = view[shared:]
    if behind.run_count * 2 <= view.run_count:
        return total - state.log.total(behind, state.counter)
    return state.log.total(view[:shared], state.counter)
