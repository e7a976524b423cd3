"""A managed context: what every integration does before, at and after a model call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..policies import Acted, Policy
from ..storage import NotSaved, Session
from .ledger import Ledger, Translator

T = TypeVar("T")

Place = Conversation | Session
"""Where a context is kept: in memory, or in the library, where the app can watch it."""


class ManagedContext(Generic[T]):
    """A conversation that a policy manages, in terms of a framework's objects.

    ``acted`` tells what the policy did before the last call, and which stages were refused. When a
    session can't be saved, the agent goes on: ``session.problem`` says why, and the next call saves
    all that is missing.
    """

    def __init__(self, policy: Policy, place: Place, translator: Translator[T]) -> None:
        self.session = place if isinstance(place, Session) else None
        self.conversation = place.conversation if isinstance(place, Session) else place
        if self.session is not None and self.session.read_only:
            raise Refused(
                f"session {self.session.title!r} can only be read here; "
                "an agent's context is kept in one that can be written",
                field="session",
                value=self.session.id,
                legal="a session that nobody else has open",
            )
        self.policy = policy
        self.acted: Acted | None = None
        self.ledger = Ledger(self.conversation, translator)
        self._awaited: dict[str, Any] | None = None

    def before_call(self, objects: Sequence[T]) -> list[T]:
        """Follow the framework's list, let the policy act, and return what is to be sent."""
        self.settle()
        self.ledger.follow(objects)
        return self.projected()

    def projected(self) -> list[T]:
        """Let the policy act on what there is, and return what is to be sent."""
        self.settle()
        self.acted = self.policy.before_call(self.conversation)
        self.sync()
        return self.ledger.visible()

    def record_call(self, answer: Sequence[T] = (), **call: Any) -> None:
        """Note that what is visible was sent, and take in the answer where it is known by now."""
        self.conversation.record_call(**call)
        if answer:
            self.ledger.add(answer)
        self.sync()

    def await_call(self, **call: Any) -> None:
        """Remember a call until its answer tells what it cost: a call is noted only once."""
        self.settle()
        self._awaited = call

    def settle(self, **known: Any) -> None:
        """Note the call that is awaited, if there is one, with what is known of it by now.

        It belongs to what was visible when it was sent, so this comes before any change.
        """
        call, self._awaited = self._awaited, None
        if call is not None:
            self.record_call(**{**call, **known})

    def sync(self) -> None:
        """Make what was done so far safe, where there is a session."""
        if self.session is not None:
            with suppress(NotSaved):
                self.session.sync()
