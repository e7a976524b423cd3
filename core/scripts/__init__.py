"""Scripts: a conversation to start with and the steps to take, as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from ..conversation.conversation import Clock, Conversation
from ..engine.messages import Message, read_messages
from ..engine.settings import Settings
from ..errors import Refused, wrong_type
from ..values.frozen import FrozenDict, freeze_object
from ..values.models import Checked, Model, nested, read_each
from ..values.times import milliseconds
from .run import StepReport, final_state, run_steps
from .steps import ScriptStep, read_step


def read_steps(value: object, field: str) -> tuple[ScriptStep, ...]:
    """Return the steps; an operation among them is judged only when it is taken."""
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of steps")
    return read_each(value, field, read_step)


class Script(Model):
    """Messages, settings and steps; what a context policy does, and what must come of it."""

    title = "script"
    messages: Annotated[tuple[Message, ...], Checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    meta: Annotated[FrozenDict, Checked(freeze_object)] = FrozenDict()
    steps: Annotated[tuple[ScriptStep, ...], Checked(read_steps)] = ()

    def start(self, clock: Clock = milliseconds) -> Conversation:
        return Conversation(self.messages, self.settings, meta=self.meta, clock=clock)

    def take(self, conversation: Conversation, *, keep_going: bool = False) -> Iterator[StepReport]:
        return run_steps(conversation, self.steps, keep_going=keep_going)

    def run(self, clock: Clock = milliseconds) -> Conversation:
        conversation = self.start(clock)
        for report in self.take(conversation):
            if report.error is not None:
                raise Refused(f"steps[{report.index}]: {report.error}", "steps")
        return conversation


__all__ = ["Script", "ScriptStep", "StepReport", "final_state"]
