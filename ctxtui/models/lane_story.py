"""The story of a lane: every call it made, told once when it comes and kept from then on.

A new call costs what it brings, however many there were before: nothing is counted again.
"""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.engine.calls import Call
from ctxtui.core.lint.linting import ErrorCount
from ctxtui.models.call_figures import MOSTLY, cached_share
from ctxtui.models.call_story import CallStory, cause_of, explained_by


class ToldCall(NamedTuple):
    """A call of a lane: its number from 1, what explains it, and what came of it.

    ``share`` is the part of it that a prompt cache served, where that was told; ``errors`` are
    those of lint in what was sent; ``before`` is the revision that the call before had sent, and
    ``done`` the operation that led from there, where nobody has explained the call.
    """

    story: CallStory
    batch: int
    share: float | None
    errors: int
    before: int | None
    done: str

    @property
    def number(self) -> int:
        """Return which call of the lane it is, from 1."""
        return self.story.number

    @property
    def call(self) -> Call:
        """Return the call itself."""
        return self.story.call

    @property
    def is_broken(self) -> bool:
        """Tell whether it did not begin as the call before did, so that no cache could serve it."""
        return self.story.cause is not None


class LaneStory:
    """All calls of a conversation in the order they were recorded, whatever branch they are on."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._profile = conversation.settings.profile
        self._begin()

    def _begin(self) -> None:
        self.calls: list[ToldCall] = []
        self.by_batch: dict[int, list[ToldCall]] = {}
        self.broken = 0
        """Calls that broke the prompt cache."""
        self.refused = 0
        """Calls that sent something with a lint error."""
        self.measured = 0
        """Calls of which the provider said what a cache served."""
        self.again = 0
        """Those of them that paid for most of the prompt again."""
        self._errors = ErrorCount(self._profile)

    def catch_up(self) -> None:
        """Tell of the calls that have come since; another profile judges all of them anew."""
        conversation = self._conversation
        if conversation.settings.profile != self._profile:
            self._profile = conversation.settings.profile
            self._begin()
        every = conversation.calls.all
        for at in range(len(self.calls), len(every)):
            self._add(every[at])

    def _add(self, call: Call) -> None:
        conversation = self._conversation
        before = self.calls[-1].call.revision if self.calls else None
        told = ToldCall(
            CallStory(len(self.calls) + 1, call, explained_by(call), cause_of(call)),
            conversation.revisions[call.revision].batch,
            cached_share(call),
            self._errors.errors(conversation.at(call.revision).moment),
            before,
            _done(conversation, call, before),
        )
        self.calls.append(told)
        self.by_batch.setdefault(told.batch, []).append(told)
        self.broken += told.is_broken
        self.refused += bool(told.errors)
        self.measured += told.share is not None
        self.again += told.share is not None and told.share < MOSTLY

    @property
    def model(self) -> str:
        """Return which model is called, if that is known."""
        return next((one.call.model for one in reversed(self.calls) if one.call.model), "")


def _done(conversation: Conversation, call: Call, before: int | None) -> str:
    """Return what was done last before a call, or that nothing was."""
    if call.revision == before:
        return "the same messages as before"
    operation = conversation.revisions[call.revision].operation
    return "START" if operation is None else operation.sentence()
