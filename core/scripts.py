"""Scripts: a conversation to start with and the steps to take, as one JSON object."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from core.conversation import Clock, Conversation, milliseconds
from core.errors import Refused, not_a
from core.frozen import FrozenDict, freeze_object
from core.messages import Message, read_messages
from core.models import Model, checked, nested
from core.settings import Settings


def read_steps(value: object, field: str) -> tuple[Any, ...]:
    """Return the steps, which are read one by one as they are taken."""
    if not isinstance(value, list | tuple):
        raise not_a(field, value, "a list of operations")
    return tuple(value)


class Script(Model):
    """Messages, settings and operations in any dialect; a list among the steps is a transaction."""

    title: ClassVar[str] = "script"
    messages: Annotated[tuple[Message, ...], checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    meta: Annotated[FrozenDict, checked(freeze_object)] = FrozenDict()
    steps: Annotated[tuple[Any, ...], checked(read_steps)] = ()

    def run(self, clock: Clock = milliseconds) -> Conversation:
        """Return the conversation after all steps; a refusal names the step."""
        conversation = Conversation(self.messages, self.settings, meta=self.meta, clock=clock)
        for i, step in enumerate(self.steps):
            try:
                conversation.execute(step)
            except Refused as refusal:
                raise refusal.inside(f"steps[{i}]") from None
        return conversation
