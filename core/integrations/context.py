"""A managed context: what every integration does before, at and after a model call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..policies import Acted, Policy
from ..storage import NotSaved, Session
from .message_map import MessageMap, Translator, plain

T = TypeVar("T")

ContextStore = Conversation | Session
"""Where a context is stored: in memory, or in the library, where the app can watch it."""


def known_usage(**figures: object) -> dict[str, int] | None:
    """Return the figures of a call's usage that are known, or None."""
    return {name: count for name, count in figures.items() if isinstance(count, int)} or None


def function_tool(name: str, description: Any, parameters: Any) -> dict[str, Any]:
    """Return the definition of a tool in the form that calls are recorded with."""
    return {
        "type": "function",
        "name": name,
        "description": plain(description),
        "parameters": plain(parameters),
    }


class ManagedContext(Generic[T]):
    """A conversation that a policy manages, in terms of a framework's objects.

    ``acted`` is what the policy did before the last call, with the stages that were refused. When a
    session can't be saved, the agent continues: ``session.problem`` says why, and the next call
    saves everything.
    """

    def __init__(self, policy: Policy, place: ContextStore, translator: Translator[T]) -> None:
        self.session = place if isinstance(place, Session) else None
        self.conversation = place.conversation if isinstance(place, Session) else place
        if self.session is not None and self.session.read_only:
            raise Refused(
                f"session {self.session.title!r} can only be read here; "
                "an agent's context needs one that can be written",
                field="session",
                value=self.session.id,
                legal="a session that no other program has open",
            )
        self.policy = policy
        self.acted: Acted | None = None
        self.message_map = MessageMap(self.conversation, translator)
        self._pending_call: dict[str, Any] | None = None

    def before_call(self, objects: Sequence[T]) -> list[T]:
        """Follow the framework's list, let the policy act, and return what to send."""
        self.flush_call()
        self.message_map.follow(objects)
        return self.projected()

    def projected(self) -> list[T]:
        """Let the policy act, and return what to send."""
        self.flush_call()
        self.acted = self.policy.before_call(self.conversation)
        self.sync()
        sent = self.message_map.visible()
        if self.acted.raws is None:
            return sent
        return self.message_map.request(self.acted.raws, self.acted.messages)

    def record_call(self, answer: Sequence[T] = (), **call: Any) -> None:
        """Record that what is visible was sent, and add the answer if it is known."""
        self.conversation.record_call(**call)
        if answer:
            self.message_map.add(answer)
        self.sync()

    def begin_call(self, **call: Any) -> None:
        """Remember a call until its answer shows what it cost: a call is recorded only once."""
        self.flush_call()
        self._pending_call = call

    def flush_call(self, **known: Any) -> None:
        """Record the pending call, if there is one, with what is known of it now.

        It belongs to what was visible when it was sent, so this is done before any change.
        """
        call, self._pending_call = self._pending_call, None
        if call is not None:
            self.record_call(**{**call, **known})

    def sync(self) -> None:
        if self.session is not None:
            with suppress(NotSaved):
                self.session.sync()
